"""Builds `tichu.duckdb` from the Parquet files of all months: aside, out of core, and swapped in when it is whole.

Readers keep the file that they have open, and never see a half; a second builder is refused. The stamps (the code's
version with that of the months, and the tournaments) stand in the database, so that nothing is built twice; where only
tournaments are new, a copy gets a new table of them. The tables are filled by `fill`, and read by `reading`.
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

from tichu_pipeline.analysis.fill import fill, fill_tournaments, quoted, tournaments_stamp
from tichu_pipeline.analysis.reading import DatabaseError, table
from tichu_pipeline.rounds.manifest import DamagedMonthError, RoundsManifest, manifest, stored_month_stamp
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing, ranges, span
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.os_errors import TransientError
from tichu_pipeline.storage.stamps import stored_stamp

# Bumped by hand when the database of unchanged months would differ; tests/golden/analysis.json says when.
VERSION = 2
MEMORY = "2GB"  # for DuckDB; a batch of rounds and the ratings come on top
FULL_DISK = ("No space left on device", "max_temp_directory_size")  # in DuckDB's words
TOURNAMENTS = "tournaments"  # the stamp of that table, which may be renewed alone
SECONDS_TO_WAIT = 60.0  # for the end of another build, by whoever only adds a table


class DatabaseBusyError(DatabaseError, TransientError):
    """Another process is building the database."""


class DatabaseFileError(DatabaseError, TransientError):
    """DuckDB could not read or write a file: it is in use, or the disk fails."""


@dataclass(frozen=True, kw_only=True)
class Built(Made):
    """The database."""

    tables: dict[str, int]  # rows of each
    months: list[str]


def build(
    paths: DataPaths, force: bool = False, memory: str = MEMORY, done: Callable[[str], None] = lambda _: None
) -> Built:
    """Brings the database up to date; `done` hears what has been filled in."""
    started = time.perf_counter()
    found = manifest(paths)
    _check_months(paths, found)
    stamp = _stamp(found)
    with _only_writer(paths), _plain_errors(paths):
        is_built = not force and stored_stamp(paths.database) == stamp
        reused = is_built and has_all_tournaments(paths)
        if is_built and not reused:
            _renew_tournaments(paths)
        elif not is_built:
            with _aside(paths) as made, duckdb.connect(made) as connection:
                connection.execute(f"SET memory_limit = '{memory}'")
                connection.execute(f"SET temp_directory = {quoted(made.with_name('spilled'))}")
                fill(connection, paths, found.months, stamp, done)
        tables = row_counts(paths.database)
    return Built(
        path=paths.database,
        stamp=stamp,
        rows=tables["rounds"],
        bytes=paths.database.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
        tables=tables,
        months=found.months,
    )


def add_tournaments(paths: DataPaths) -> None:
    """Brings the table of tournaments up to date, where there is a database that can have one. Waits a
    while for who builds it: there may be hours of play behind."""
    with _only_writer(paths, SECONDS_TO_WAIT), _plain_errors(paths):
        if stored_stamp(paths.database, TOURNAMENTS) is not None and not has_all_tournaments(paths):
            _renew_tournaments(paths)


def has_all_tournaments(paths: DataPaths) -> bool:
    """Whether the database holds the tournaments that are there."""
    return stored_stamp(paths.database, TOURNAMENTS) == tournaments_stamp(paths)


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `analysis`."""
    paths = survey.paths
    if not paths.database.is_file():
        return missing("analysis", "not built yet")
    reasons, there = survey.not_fresh("rounds"), ""
    try:
        about = table(paths, "SELECT (SELECT count(*) FROM rounds) AS rounds, months FROM about").to_pylist()[0]
        there = f"{span(about['months'])}, {about['rounds']:,} rounds"
        here, within = set(survey.once(manifest).months), set(about["months"])
        for what, differing in (("not in it", here - within), ("no longer there", within - here)):
            reasons += [f"{what}: {ranges(sorted(differing))}"] if differing else []
        if not reasons and stored_stamp(paths.database) != database_stamp(paths):
            reasons.append("rounds have changed since, or it is of another version")
        elif not reasons and not has_all_tournaments(paths):
            reasons.append("tournaments have been played since")
    except (DatabaseError, DamagedMonthError) as error:
        reasons.append(str(error))
    return judged("analysis", there, paths.database.stat().st_size, reasons)


def database_stamp(paths: DataPaths) -> str:
    """The stamp that an up-to-date database carries."""
    return _stamp(manifest(paths))


def _stamp(found: RoundsManifest) -> str:
    return hashlib.sha256(f"analysis {VERSION} {found.stamp}".encode()).hexdigest()


def _check_months(paths: DataPaths, found: RoundsManifest) -> None:
    if not found.months:
        raise DatabaseError(f"{paths.rounds}: no rounds are there; expected months of rounds (tichu ingest)")
    for month in found.months:
        if stored_month_stamp(paths, month) is None:
            raise DatabaseError(
                f"{month_file(paths.rounds, month)}: the files of this month are not of one run; read it again "
                "(tichu ingest)"
            )


@contextmanager
def _only_writer(paths: DataPaths, seconds: float = 0) -> Iterator[None]:
    paths.tmp.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(paths.tmp / "analysis.lock", timeout=seconds):
            for leftover in paths.tmp.glob("analysis-*"):  # of a killed build: who holds the lock is the only one
                shutil.rmtree(leftover, ignore_errors=True)
            yield
    except Timeout as error:
        raise DatabaseBusyError(
            f"{paths.database}: another process is building it at this moment; wait for its end. Reading is possible "
            "all the time"
        ) from error


@contextmanager
def _plain_errors(paths: DataPaths) -> Iterator[None]:
    """A full disk is told as everywhere else. What DuckDB spills fills it, too, and is then short of memory. A commit
    fails for want of a disk only: nobody else writes."""
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
    """Where a database is made, which takes the old one's place if all goes well."""
    folder = paths.tmp / f"analysis-{os.getpid()}"
    folder.mkdir()
    try:
        yield folder / "tichu.duckdb"
        publish(folder / "tichu.duckdb", paths.database)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _renew_tournaments(paths: DataPaths) -> None:
    with _aside(paths) as made:
        shutil.copyfile(paths.database, made)
        with duckdb.connect(made) as connection:
            connection.execute("DROP TABLE tournaments")
            fill_tournaments(connection, paths)
            connection.execute("UPDATE about SET tournaments = $1", [tournaments_stamp(paths)])
            connection.execute("CHECKPOINT")


def publish(made: Path, target: Path) -> None:
    """Swaps a finished database in. Readers of the old one keep it until they close it."""
    made.replace(target)
    # Left by a foreign writer, it would be taken for the new file's.
    target.with_name(target.name + ".wal").unlink(missing_ok=True)


def row_counts(database: Path) -> dict[str, int]:
    """How many rows each table of a database has."""
    with duckdb.connect(database, read_only=True) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        ]
        return {name: connection.table(name).count("*").fetchall()[0][0] for name in tables}
