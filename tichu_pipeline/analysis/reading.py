"""Reading the database: any SQL, and nothing but reading.

A connection is read-only, reaches no file and no network, and cannot be told otherwise. Results leave as Arrow, in
batches, so that they need not fit into memory. How they are printed is `results`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from tichu_pipeline.storage.folders import DataPaths

ROWS_A_BATCH = 50_000


class DatabaseError(Exception):
    """There is no database to read, or to build, or SQL that it does not understand."""


@contextmanager
def reader(paths: DataPaths) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that can only read. It keeps the database that it has opened, even if a new one is swapped in."""
    if not paths.database.is_file():
        raise DatabaseError(f"{paths.database}: no such database; build it first (tichu analyse --data {paths.root})")
    try:
        connection = duckdb.connect(paths.database, read_only=True)
    except duckdb.Error as error:
        raise DatabaseError(f"{paths.database}: cannot be opened for reading: {error}") from error
    with connection:
        # A folder for each process: they would take each other's spilled data away.
        connection.execute("SET temp_directory = $folder", {"folder": str(paths.tmp / f"reader-{os.getpid()}")})
        for setting in ("python_enable_replacements", "enable_external_access"):
            connection.execute(f"SET {setting} = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def batches(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.RecordBatchReader:
    """The result of one statement, which must be a question: a read-only connection still lets `COPY` write the
    database's own write-ahead log, which would keep every other reader out."""
    try:
        for statement in connection.extract_statements(sql):
            if statement.type != duckdb.StatementType.SELECT:
                raise DatabaseError(
                    f"{statement.type.name} is not for readers; expected SELECT, FROM, WITH, SHOW or DESCRIBE: "
                    f"{_first_line(sql)}"
                )
        result = connection.sql(sql)
        if result is None:
            raise DatabaseError(f"no rows to show; expected a statement that asks for some: {_first_line(sql)}")
        return result.to_arrow_reader(ROWS_A_BATCH)
    except duckdb.Error as error:
        raise DatabaseError(str(error)) from error


def table(paths: DataPaths, sql: str) -> pa.Table:
    """The whole result of one statement."""
    with reader(paths) as connection:
        return batches(connection, sql).read_all()


def value(paths: DataPaths, sql: str) -> object:
    """The first value of a result."""
    return table(paths, sql).column(0)[0].as_py()


def _first_line(sql: str) -> str:
    return sql.strip().partition("\n")[0][:80]
