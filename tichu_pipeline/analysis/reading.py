"""Reads the database with any SQL, and only reads.

A connection is read-only, has no access to files or the network, and its configuration is locked. Results are batches
of Arrow, so that they need not fit into memory. `results` prints them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from tichu_pipeline.analysis.scripts import Query
from tichu_pipeline.storage.folders import DataPaths

ROWS_A_BATCH = 50_000


class DatabaseError(Exception):
    """A database that is missing or cannot be built, or SQL that fails."""


@contextmanager
def reader(paths: DataPaths) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a connection that can only read. It keeps its database, even if a new one replaces the file."""
    if not paths.database.is_file():
        raise DatabaseError(f"{paths.database}: no such database; build it first (tichu analyse --data {paths.root})")
    try:
        connection = duckdb.connect(paths.database, read_only=True)
    except duckdb.Error as error:
        raise DatabaseError(f"{paths.database}: cannot be opened for reading: {error}") from error
    with connection:
        # A folder for each process, or they would delete each other's spilled data.
        connection.execute("SET temp_directory = $folder", {"folder": str(paths.tmp / f"reader-{os.getpid()}")})
        for setting in ("python_enable_replacements", "enable_external_access"):
            connection.execute(f"SET {setting} = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def batches(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.RecordBatchReader:
    """The result of one statement. Only queries are allowed, since even a read-only connection lets `COPY` write the
    database's write-ahead log, which would lock out all other readers."""
    try:
        for statement in connection.extract_statements(sql):
            if statement.type != duckdb.StatementType.SELECT:
                raise DatabaseError(
                    f"{statement.type.name} is not allowed; expected SELECT, FROM, WITH, SHOW or DESCRIBE: "
                    f"{_first_line(sql)}"
                )
        result = connection.sql(sql)
        if result is None:
            raise DatabaseError(f"the statement returns no rows; expected a query: {_first_line(sql)}")
        return result.to_arrow_reader(ROWS_A_BATCH)
    except duckdb.Error as error:
        raise DatabaseError(str(error)) from error


def table(paths: DataPaths, sql: str) -> pa.Table:
    """The whole result of one statement."""
    with reader(paths) as connection:
        return batches(connection, sql).read_all()


def value(paths: DataPaths, sql: str) -> object:
    """The first value of the result of one statement."""
    return table(paths, sql).column(0)[0].as_py()


def unanswerable(connection: duckdb.DuckDBPyConnection, query: Query) -> str | None:
    """Why a query finds nothing as yet: the table that it needs is empty. None if it is not."""
    if query.needs is None or connection.sql(f"SELECT 1 FROM {query.needs} LIMIT 1").fetchall():
        return None
    return f"{query.name} finds nothing: table {query.needs} is empty until {query.until}"


def _first_line(sql: str) -> str:
    return sql.strip().partition("\n")[0][:80]
