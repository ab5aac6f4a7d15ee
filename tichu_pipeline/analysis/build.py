"""Builds `tichu.duckdb` from the Parquet files of all months, in a temporary file that then replaces the old database.

Readers keep the file that they have open and never see half a database; a second builder is refused. The database holds
a stamp of the months, and one of each table that is added from other files, of tournaments and of reviews. If only
these are new, a copy of the database gets new tables of them. `fill` fills the tables, `reading` reads them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from tichu_pipeline.analysis.fill import ADDED, added_stamp, fill, fill_added, quoted
from tichu_pipeline.analysis.reading import DatabaseError, table
from tichu_pipeline.rounds.manifest import DamagedMonthError, RoundsManifest, manifest, stored_month_stamp
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.freshness import Standing, Survey, changed, judged, missing, ranges, span
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.os_errors import TransientError
from tichu_pipeline.storage.stamps import stored_stamp

# Bumped by hand when the database of unchanged months would differ; tests/golden/analysis.json says when.
VERSION = 3
MEMORY = "2GB"  # for DuckDB; a batch of rounds and the ratings need some more
FULL_DISK = ("No space left on device", "max_temp_directory_size")  # in DuckDB's words
SECONDS_TO_WAIT = 60.0  # for the end of another build, before tables are renewed


class DatabaseBusyError(DatabaseError, TransientError):
    """Another process is building the database."""


class DatabaseFileError(DatabaseError, TransientError):
    """DuckDB could not read or write a file, which is in use or on a failing disk."""


@dataclass(frozen=True, kw_only=True)
class Built(Made):
    """The database that was built, or was up to date; its rows are rounds."""

    tables: dict[str, int]  # rows of each table
    months: list[str]


def build(
    paths: DataPaths, force: bool = False, memory: str = MEMORY, done: Callable[[str], None] = lambda _: None
) -> Built:
    """Brings the database up to date. `done` is called with the name of each part that has been filled in."""
    started = time.perf_counter()
    rounds = manifest(paths)
    _check_months(paths, rounds)
    stamp = _stamp(rounds)
    with _only_writer(paths), _plain_errors(paths):
        is_built = not force and stored_stamp(paths.database) == stamp
        outdated = outdated_tables(paths) if is_built else []
        reused = is_built and not outdated
        if outdated:
            _renew(paths, outdated)
        elif not is_built:
            with _aside(paths) as made, duckdb.connect(made) as connection:
                connection.execute(f"SET memory_limit = '{memory}'")
                connection.execute(f"SET temp_directory = {quoted(made.with_name('spilled'))}")
                fill(connection, paths, rounds.months, stamp, done)
        tables = row_counts(paths.database)
    return Built(
        path=paths.database,
        stamp=stamp,
        rows=tables["rounds"],
        bytes=paths.database.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
        tables=tables,
        months=rounds.months,
    )


def renew_tables(paths: DataPaths) -> None:
    """Brings the tables of tournaments and reviews up to date, if there is a database. It waits a while for another
    process that builds the database, rather than fail after hours of play."""
    with _only_writer(paths, SECONDS_TO_WAIT), _plain_errors(paths):
        known = [table for table in outdated_tables(paths) if stored_stamp(paths.database, table) is not None]
        if known:
            _renew(paths, known)


def outdated_tables(paths: DataPaths) -> list[str]:
    """The tables whose stored files are not those that the database holds."""
    return [table for table in ADDED if stored_stamp(paths.database, table) != added_stamp(paths, table)]


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `analysis`."""
    paths = survey.paths
    if not paths.database.is_file():
        return missing("analysis", "the database has not been built yet; tichu analyse builds it")
    reasons, there = survey.not_fresh("rounds"), ""
    try:
        about = table(paths, "SELECT (SELECT count(*) FROM rounds) AS rounds, months FROM about").to_pylist()[0]
        there = f"{span(about['months'])}, {about['rounds']:,} rounds"
        stored, within = set(survey.once(manifest).months), set(about["months"])
        for problem, months in (("months are not in it", stored - within), ("months are gone", within - stored)):
            reasons += [f"{problem}: {ranges(sorted(months))}"] if months else []
        stored_as = stored_stamp(paths.database)
        if not reasons and stored_as != database_stamp(paths):
            now = survey.once(manifest)
            reasons.append(changed("rounds", stored_as, lambda version: _stamp(now, version), VERSION))
        elif not reasons:
            reasons += [ADDED[table].news for table in outdated_tables(paths)]
    except (DatabaseError, DamagedMonthError) as error:
        reasons.append(str(error))
    return judged("analysis", there, paths.database.stat().st_size, reasons)


def database_stamp(paths: DataPaths) -> str:
    """The stamp that an up-to-date database has."""
    return _stamp(manifest(paths))


def _stamp(rounds: RoundsManifest, version: int | None = None) -> str:
    """The stamp of a database of these rounds, made by this version or another."""
    return hashlib.sha256(f"analysis {version or VERSION} {rounds.stamp}".encode()).hexdigest()


def _check_months(paths: DataPaths, rounds: RoundsManifest) -> None:
    """Fails if there are no months, or if a month is incomplete."""
    if not rounds.months:
        raise DatabaseError(f"{paths.rounds}: there are no rounds yet; tichu ingest makes them from logs")
    for month in rounds.months:
        if stored_month_stamp(paths, month) is None:
            raise DatabaseError(
                f"{month_file(paths.rounds, month)}: the five files of this month have different stamps; read the "
                "month again with tichu ingest"
            )


@contextmanager
def _only_writer(paths: DataPaths, seconds: float = 0) -> Iterator[None]:
    """Holds the lock of the database. It waits for it at most `seconds`."""
    paths.tmp.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(paths.tmp / "analysis.lock", timeout=seconds):
            for leftover in paths.tmp.glob("analysis-*"):  # of a killed build, since this process has the lock
                shutil.rmtree(leftover, ignore_errors=True)
            yield
    except Timeout as error:
        raise DatabaseBusyError(
            f"{paths.database}: another process is building it at this moment; wait until it is done. The old database "
            "can be read in the meantime"
        ) from error


@contextmanager
def _plain_errors(paths: DataPaths) -> Iterator[None]:
    """Turns DuckDB's errors into those of this module, and a full disk into an OSError. What DuckDB spills can fill the
    disk as well, which it reports as too little memory. A commit fails only for the disk: there is one writer."""
    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.TransactionException) as error:
        if any(sign in str(error) for sign in FULL_DISK):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(paths.database)) from error
        if isinstance(error, duckdb.OutOfMemoryException):
            raise DatabaseError(
                f"{paths.database}: {error}; give DuckDB more memory (tichu analyse --memory)"
            ) from error
        raise DatabaseFileError(f"{paths.database}: {error}") from error


@contextmanager
def _aside(paths: DataPaths) -> Iterator[Path]:
    """Yields the path of a temporary database, which replaces the old one if the block succeeds."""
    folder = paths.tmp / f"analysis-{os.getpid()}"
    folder.mkdir()
    try:
        yield folder / "tichu.duckdb"
        publish(folder / "tichu.duckdb", paths.database)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _renew(paths: DataPaths, tables: list[str]) -> None:
    """Replaces tables in a copy of the database, and publishes the copy."""
    with _aside(paths) as made:
        shutil.copyfile(paths.database, made)
        with duckdb.connect(made) as connection:
            for table in tables:
                connection.execute(f"DROP TABLE {table}")
                fill_added(connection, paths, table)
                connection.execute(f"UPDATE about SET {table} = $1", [added_stamp(paths, table)])
            connection.execute("CHECKPOINT")


def publish(made: Path, target: Path) -> None:
    """Replaces the database by a finished one. Readers keep the old one until they close it."""
    made.replace(target)
    # DuckDB would take the write-ahead log of a foreign writer for that of the new file.
    target.with_name(target.name + ".wal").unlink(missing_ok=True)


def row_counts(database: Path) -> dict[str, int]:
    """The number of rows of each table of a database."""
    with duckdb.connect(database, read_only=True) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        ]
        return {name: connection.table(name).count("*").fetchall()[0][0] for name in tables}
