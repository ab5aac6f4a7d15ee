"""Fills an empty database: runs the scripts of `sql/schema`, a batch of months at a time to bound the memory.

The scripts define the tables; Python only runs them. `build` makes the database file and publishes it. Tables of what
other stages have made besides rounds may be renewed alone (`ADDED`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_pipeline.analysis.ratings import Rater, Ratings
from tichu_pipeline.analysis.reading import DatabaseError
from tichu_pipeline.analysis.scripts import script
from tichu_pipeline.rounds.round_facts import rounds_and_seats
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files

BATCH_ROUNDS = 400_000
MONTHLY = ("games", "rounds", "players_rounds", "players_games", "tricks", "rule_breaks", "combination_stats")
FROM_PARQUET = ("games", "tricks", "rule_breaks", "combination_stats")  # read as they are; rounds get more columns
NO_METADATA = "SELECT NULL::VARCHAR AS file_name, NULL::BLOB AS key, NULL::BLOB AS value LIMIT 0"


class Added(NamedTuple):
    """A table that is made from other files than those of months of rounds."""

    files: Callable[[DataPaths], list[Path]]
    of: str  # what a file is
    maker: str  # of the files
    news: str  # why the table is out of date


ADDED: Mapping[str, Added] = {
    "tournaments": Added(
        lambda paths: sorted(paths.tournaments.glob("[!.]*.parquet")),
        *("tournament", "tichu tournament", "tournaments have been played since"),
    ),
    "reviews": Added(
        lambda paths: month_files(paths.reviews), *("review", "the job judge", "decisions have been judged since")
    ),
}


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
    for table in ADDED:
        fill_added(connection, paths, table)
    connection.execute(script("turns"))
    connection.execute("SET VARIABLE stamp = $1", [stamp])
    connection.execute("SET VARIABLE months = $1", [months])
    for table in ADDED:
        connection.execute(f"SET VARIABLE {table} = $1", [added_stamp(paths, table)])
    connection.execute(script("about"))
    connection.execute("CHECKPOINT")
    done("players and ratings")


def added_stamp(paths: DataPaths, table: str) -> str:
    """A digest of all files of an added table."""
    digest = hashlib.sha256()
    for path in ADDED[table].files(paths):
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def fill_added(connection: duckdb.DuckDBPyConnection, paths: DataPaths, table: str) -> None:
    """Makes an added table from its files."""
    files = ADDED[table].files(paths)
    source = f"FROM {_parquet(files)}" if files else "SELECT NULL::VARCHAR AS filename LIMIT 0"
    facts = f"FROM parquet_kv_metadata({_listed(files)})" if files else NO_METADATA
    connection.execute(f"CREATE TEMP VIEW new_{table} AS {source}")
    connection.execute(f"CREATE TEMP VIEW new_{table}_metadata AS {facts}")
    try:
        connection.execute(script(table))
    except duckdb.BinderException as error:
        of, maker = ADDED[table].of, ADDED[table].maker
        raise DatabaseError(
            f"{files[0].parent}: a file is no {of} ({error}); expected those that {maker} writes"
        ) from error


def _fill_monthly(
    connection: duckdb.DuckDBPyConnection, paths: DataPaths, months: list[str], done: Callable[[str], None]
) -> Ratings:
    """Fills the tables that grow with each month, and rates the games. The next batch is read in the meantime."""
    rater = Rater()
    parts = list(batches(paths, months))
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(rounds_and_seats, paths, parts[0])
        for batch, following in zip_longest(parts, parts[1:]):
            rounds, seats = reading.result()
            if following:
                reading = pool.submit(rounds_and_seats, paths, following)
            sources = {"new_rounds": rounds, "new_seats": seats}
            sources |= {f"new_{table}": _files(paths, table, batch) for table in FROM_PARQUET}
            rating = pool.submit(_with_view, connection, sources, rater.add)
            _with_view(connection, sources, _insert)
            rating.result()
            done(f"{batch[0]} .. {batch[-1]}")
    return rater.ratings()


def _define(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Runs the statements of a script that do not insert rows."""
    for statement in connection.extract_statements(script(table)):
        if statement.type != duckdb.StatementType.INSERT:
            connection.execute(statement)


def _insert(connection: duckdb.DuckDBPyConnection) -> None:
    """Runs the inserts of all tables, one after the other: inserts side by side would fragment the file."""
    for table in MONTHLY:
        for statement in connection.extract_statements(script(table)):
            if statement.type == duckdb.StatementType.INSERT:
                connection.execute(statement)


def _with_view(
    connection: duckdb.DuckDBPyConnection,
    sources: dict[str, pa.Table | str],
    work: Callable[[duckdb.DuckDBPyConnection], None],
) -> None:
    """Runs `work` with a separate connection, for use in a thread, in which `sources` are views by name."""
    with connection.cursor() as cursor:
        for name, source in sources.items():
            if isinstance(source, str):
                cursor.execute(f"CREATE TEMP VIEW {name} AS FROM {source}")
            else:
                cursor.register(name, source)
        work(cursor)


def batches(paths: DataPaths, months: Sequence[str]) -> Iterator[list[str]]:
    """Months in order, in batches of at most BATCH_ROUNDS rounds or of one month."""
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


def _files(paths: DataPaths, table: str, months: Sequence[str]) -> str:
    """SQL that reads the files of a table for some months."""
    return f"read_parquet({_listed([month_file(paths.root / table, month) for month in months])})"


def _parquet(files: Sequence[Path]) -> str:
    """SQL that reads files with different columns as one table, with a column `filename`."""
    return f"read_parquet({_listed(files)}, union_by_name = true, filename = true)"


def _listed(files: Sequence[Path]) -> str:
    """Paths as an SQL list."""
    return f"[{', '.join(quoted(file) for file in files)}]"


def quoted(path: Path) -> str:
    """A path as an SQL literal."""
    return "'" + str(path).replace("'", "''") + "'"
