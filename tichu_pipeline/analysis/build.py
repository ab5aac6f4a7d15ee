"""Builds `tichu.duckdb` from the Parquet files of all months: aside, out of core, and swapped in when it is whole.

Readers keep the file that they have open, and never see a half; a second builder is refused. The stamps (the code's
version with that of the months, and the tournaments) stand in the database, so that nothing is built twice; where only
tournaments are new, a copy gets a new table of them. What the tables
are is told by the scripts in `sql/schema`; Python only runs them, a batch of months at a time, which keeps the memory
bounded whatever the number of years. Reading is `reading`, ratings are `ratings`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from tichu_pipeline.analysis.ratings import Rater, Ratings
from tichu_pipeline.analysis.reading import DatabaseError, stored_stamp
from tichu_pipeline.analysis.scripts import script
from tichu_pipeline.rounds.ingest import Manifest, manifest, stored_month_stamp
from tichu_pipeline.rounds.round_facts import months_of
from tichu_pipeline.storage.folders import DataPaths, month_file

# Bumped by hand when the database of unchanged months would differ; tests/golden says when.
VERSION = 2
MEMORY = "2GB"  # for DuckDB; a batch of rounds and the ratings come on top
BATCH_ROUNDS = 400_000
FULL_DISK = ("No space left on device", "max_temp_directory_size")  # in DuckDB's words
MONTHLY = ("games", "rounds", "players_rounds", "players_games", "tricks", "rule_breaks", "combination_stats")
SECONDS_TO_WAIT = 60.0  # for the end of another build, by whoever only adds a table
FROM_PARQUET = ("games", "tricks", "rule_breaks", "combination_stats")  # as they are; rounds are added to


class DatabaseBusyError(DatabaseError):
    """Another process is building the database."""


@dataclass(frozen=True)
class Built:
    """What a build made, or found."""

    rows: dict[str, int]
    months: list[str]
    bytes: int
    seconds: float
    stamp: str
    reused: bool


def build(
    paths: DataPaths, force: bool = False, memory: str = MEMORY, done: Callable[[str], None] = lambda _: None
) -> Built:
    """Brings the database up to date; `done` hears what has been filled in."""
    started = time.perf_counter()
    found = manifest(paths)
    _check_months(paths, found)
    stamp = _stamp(found)
    with _only_writer(paths), _plain_errors(paths):
        is_built = not force and stored_stamp(paths) == stamp
        reused = is_built and has_all_tournaments(paths)
        if is_built and not reused:
            _renew_tournaments(paths)
        elif not is_built:
            with _aside(paths) as made, duckdb.connect(made) as connection:
                connection.execute(f"SET memory_limit = '{memory}'")
                connection.execute(f"SET temp_directory = {_quoted(made.with_name('spilled'))}")
                fill(connection, paths, found.months, stamp, done)
        rows = row_counts(paths.database)
    size = paths.database.stat().st_size
    return Built(rows, found.months, size, time.perf_counter() - started, stamp, reused)


def add_tournaments(paths: DataPaths) -> None:
    """Brings the table of tournaments up to date, where there is a database that can have one. Waits a
    while for who builds it: there may be hours of play behind."""
    with _only_writer(paths, SECONDS_TO_WAIT), _plain_errors(paths):
        if stored_stamp(paths, "tournaments") is not None and not has_all_tournaments(paths):
            _renew_tournaments(paths)


def has_all_tournaments(paths: DataPaths) -> bool:
    """Whether the database holds the tournaments that are there."""
    return stored_stamp(paths, "tournaments") == _tournaments_stamp(paths)


def database_stamp(paths: DataPaths) -> str:
    """The stamp that an up-to-date database carries."""
    return _stamp(manifest(paths))


def _stamp(found: Manifest) -> str:
    return hashlib.sha256(f"analysis {VERSION} {found.stamp}".encode()).hexdigest()


def _tournaments(paths: DataPaths) -> list[Path]:
    return sorted(paths.tournaments.glob("[!.]*.parquet"))


def _tournaments_stamp(paths: DataPaths) -> str:
    digest = hashlib.sha256()
    for path in _tournaments(paths):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _check_months(paths: DataPaths, found: Manifest) -> None:
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
    """A full disk is told as everywhere else. What DuckDB spills fills it, too, and is then short of memory."""
    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        if any(sign in str(error) for sign in FULL_DISK):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(paths.database)) from error
        if isinstance(error, duckdb.OutOfMemoryException):
            raise DatabaseError(
                f"{paths.database}: {error}; give DuckDB more memory (tichu analyse --memory)"
            ) from error
        raise


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
            _fill_tournaments(connection, paths)
            connection.execute("UPDATE about SET tournaments = $1", [_tournaments_stamp(paths)])
            connection.execute("CHECKPOINT")


def _fill_tournaments(connection: duckdb.DuckDBPyConnection, paths: DataPaths) -> None:
    files = _tournaments(paths)
    source = f"SELECT * FROM {_parquet(files)}" if files else "SELECT NULL::VARCHAR AS filename LIMIT 0"
    connection.execute(f"CREATE TEMP VIEW new_tournaments AS {source}")
    try:
        connection.execute(script("tournaments"))
    except duckdb.BinderException as error:
        raise DatabaseError(
            f"{paths.tournaments}: a file there is no tournament ({error}); expected those that tichu tournament writes"
        ) from error


def publish(made: Path, target: Path) -> None:
    """Swaps a finished database in. Readers of the old one keep it until they close it."""
    made.replace(target)
    # Left by a foreign writer, it would be taken for the new file's.
    target.with_name(target.name + ".wal").unlink(missing_ok=True)


def fill(
    connection: duckdb.DuckDBPyConnection,
    paths: DataPaths,
    months: list[str],
    stamp: str,
    done: Callable[[str], None],
) -> None:
    """Makes all tables and macros in an empty database."""
    connection.execute(script("macros"))
    for table in MONTHLY:
        _define(connection, table)
    ratings = _fill_monthly(connection, paths, months, done)
    for table in ("error_codes", "players"):
        connection.execute(script(table))
    connection.register("new_player_ratings", ratings.players)
    connection.register("new_rating_predictions", ratings.predictions)
    connection.execute(script("player_ratings"))
    _fill_tournaments(connection, paths)
    connection.execute(script("turns"))
    connection.execute("SET VARIABLE stamp = $1", [stamp])
    connection.execute("SET VARIABLE months = $1", [months])
    connection.execute("SET VARIABLE tournaments = $1", [_tournaments_stamp(paths)])
    connection.execute(script("about"))
    connection.execute("CHECKPOINT")
    done("players and ratings")


def _fill_monthly(
    connection: duckdb.DuckDBPyConnection, paths: DataPaths, months: list[str], done: Callable[[str], None]
) -> Ratings:
    """The tables that grow by the month. While a batch is filled in, its games are rated and the next one is read."""
    rater = Rater()
    parts = list(batches(paths, months))
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(months_of, paths, parts[0])
        for batch, following in zip_longest(parts, parts[1:]):
            rounds, seats = reading.result()
            if following:
                reading = pool.submit(months_of, paths, following)
            sources = {"new_rounds": rounds, "new_seats": seats}
            sources |= {f"new_{table}": _files(paths, table, batch) for table in FROM_PARQUET}
            rating = pool.submit(_with_view, connection, sources, rater.add)
            _with_view(connection, sources, _insert)
            rating.result()
            done(f"{batch[0]} .. {batch[-1]}")
    return rater.ratings()


def _define(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Runs all of a script but what fills the table."""
    for statement in connection.extract_statements(script(table)):
        if statement.type != duckdb.StatementType.INSERT:
            connection.execute(statement)


def _insert(connection: duckdb.DuckDBPyConnection) -> None:
    """Runs what fills the tables, one after the other: side by side they would tear each other to pieces on disk."""
    for table in MONTHLY:
        for statement in connection.extract_statements(script(table)):
            if statement.type == duckdb.StatementType.INSERT:
                connection.execute(statement)


def _with_view(
    connection: duckdb.DuckDBPyConnection,
    sources: dict[str, pa.Table | str],
    work: Callable[[duckdb.DuckDBPyConnection], None],
) -> None:
    """Gives the work a connection of its own, for its thread, which knows a batch by the names of `sources`."""
    with connection.cursor() as cursor:
        for name, source in sources.items():
            if isinstance(source, str):
                cursor.execute(f"CREATE TEMP VIEW {name} AS FROM {source}")
            else:
                cursor.register(name, source)
        work(cursor)


def batches(paths: DataPaths, months: Sequence[str]) -> Iterator[list[str]]:
    """Months in order, as many at a time as have BATCH_ROUNDS rounds or a little less; at least one."""
    batch: list[str] = []
    rounds = 0
    for month in months:
        count = pq.read_metadata(month_file(paths.rounds, month)).num_rows
        if batch and rounds + count > BATCH_ROUNDS:
            yield batch
            batch, rounds = [], 0
        batch.append(month)
        rounds += count
    if batch:
        yield batch


def row_counts(database: Path) -> dict[str, int]:
    """How many rows each table of a database has."""
    with duckdb.connect(database, read_only=True) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
        ]
        return {name: connection.table(name).count("*").fetchall()[0][0] for name in tables}


def _files(paths: DataPaths, table: str, months: Sequence[str]) -> str:
    files = ", ".join(_quoted(month_file(paths.root / table, month)) for month in months)
    return f"read_parquet([{files}])"


def _parquet(files: Sequence[Path]) -> str:
    return f"read_parquet([{', '.join(_quoted(file) for file in files)}], union_by_name = true, filename = true)"


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
