"""The stage from archives to rounds: a month's logs to five Parquet files, again only when something has changed.

A month is a pure function of its logs: the same bytes come out wherever and whenever it runs. Its stamp (the code's
version and the digest of its logs) stands in each file, so that an unchanged month is skipped. Files are written aside
and renamed when all five are whole; `rounds` comes last, and a month counts as done only if all carry the same stamp.
Commands and assets call `ingest`. How text is read is `brettspielwelt`, what the columns are is `tables`.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.rules.breaks import GameError
from tichu_pipeline.brettspielwelt.archives import scan
from tichu_pipeline.brettspielwelt.games import Reader
from tichu_pipeline.brettspielwelt.inflate import CHUNK_BYTES, inflate, split
from tichu_pipeline.brettspielwelt.members import Members, Problem
from tichu_pipeline.folders import DataPaths, month_file
from tichu_pipeline.tables import SCHEMAS, Walker, game_table, round_table, rule_break_table

# Bumped by hand when the files of unchanged logs would differ; tests/golden/ingest.json says when.
VERSION = 2
TABLES = (
    "games",
    "rule_breaks",
    "tricks",
    "combination_stats",
    "rounds",
)  # rounds last: it says that all are there
STAMP, SUMMARY = b"tichu.stamp", b"tichu.summary"
ROWS_A_GROUP = 65_536
NAMED_FILES = 1_000  # of each kind in a month; the portal has some 60 empty ones a month


@dataclass
class Summary:
    """What a month holds, and what reading it cost."""

    month: str
    files: int = 0
    games: int = 0
    empty: int = 0
    unreadable: int = 0
    rounds: int = 0
    turns: int = 0
    tricks: int = 0
    raw_bytes: int = 0
    bytes: int = 0
    seconds: float = 0.0
    reused: bool = False
    rule_breaks: dict[str, int] = field(default_factory=dict)  # by code, fragments included
    empty_files: list[str] = field(default_factory=list)  # by name, the first NAMED_FILES
    not_logs: list[str] = field(default_factory=list)  # files without a round's header, likewise
    problems: list[str] = field(default_factory=list)


class DamagedMonthError(ValueError):
    """A stored month that says nothing of itself."""


@dataclass(frozen=True)
class Ingested:
    """All months that were asked for."""

    months: list[Summary]
    problems: list[str]  # of the raw folder, whatever the month
    orphans: list[str]  # months that have files, but no logs any more
    seconds: float

    @property
    def games_a_second(self) -> float:
        """Of the months that were read."""
        return sum(month.games for month in self.months if not month.reused) / max(self.seconds, 1e-9)


def month_stamp(logs: str) -> str:
    """The stamp of a month, from the digest of its logs."""
    return hashlib.sha256(f"ingest {VERSION} {logs}".encode()).hexdigest()


def stored_stamp(paths: DataPaths, month: str) -> str | None:
    """The stamp that all five files of a month carry; None if one is missing or another's."""
    stamps = {_metadata(month_file(paths.root / table, month)).get(STAMP) for table in TABLES}
    stamp = stamps.pop()
    return stamp.decode() if stamp and not stamps else None


def stored_summary(paths: DataPaths, month: str) -> Summary:
    """What the month's files say of themselves."""
    path = month_file(paths.rounds, month)
    facts = _metadata(path).get(SUMMARY)
    if facts is None:
        raise DamagedMonthError(f"{path}: expected a month of tichu ingest; delete the file, and ingest its logs again")
    known = {field.name for field in fields(Summary)}  # a month whose logs are gone may be of another version
    return Summary(**{name: value for name, value in json.loads(facts).items() if name in known})


def _metadata(path: Path) -> dict[bytes, bytes]:
    try:
        return pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowInvalid):
        return {}


def ingest(
    raw: Path,
    paths: DataPaths,
    months: Sequence[str] | None = None,
    force: bool = False,
    workers: int | None = None,
    done: Callable[[Summary], None] = lambda _: None,
) -> Ingested:
    """Brings the files of these months (default: all that have logs) up to date; `done` hears of each."""
    started = time.perf_counter()
    _tidy(paths)
    catalogue = scan(raw)
    wanted = [month for month in catalogue.months if months is None or month in months]
    orphans = sorted({path.stem for path in paths.rounds.glob("????-??.parquet")} - set(catalogue.months))
    todo, summaries = [], {}
    for month in wanted:
        if not force and stored_stamp(paths, month) == month_stamp(catalogue.stamp(month)):
            summaries[month] = stored_summary(paths, month)
            summaries[month].reused = True
            done(summaries[month])
        else:
            todo.append(month)
    todo.sort(key=lambda month: -catalogue.month(month).bytes)  # the largest first: threads end together

    def read(month: str) -> Summary:
        return ingest_month(catalogue.month(month), month_stamp(catalogue.stamp(month)), paths, month)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        for summary in pool.map(read, todo):
            summaries[summary.month] = summary
            done(summary)
    return Ingested(
        [summaries[month] for month in wanted],
        [str(problem) for problem in catalogue.problems],
        [month for month in orphans if months is None or month in months],
        time.perf_counter() - started,
    )


def ingest_month(members: Members, stamp: str, paths: DataPaths, month: str) -> Summary:
    """Reads a month's logs and writes its five files."""
    started = time.perf_counter()
    summary = Summary(month, files=len(members))
    walker, reader, buffer = Walker(), Reader(), np.empty(CHUNK_BYTES, dtype=np.uint8)
    codes, problems = Counter[int](), dict[Problem, None]()
    with ExitStack() as stack:
        files = {name: stack.enter_context(_TableFile(paths.root / name, month, name, stamp)) for name in TABLES}
        for part in split(members):
            chunk = inflate(part, buffer)
            problems |= dict.fromkeys(chunk.problems)
            games = reader.read(chunk)
            file_of = _Files(part)
            tricks, spreads = walker.walk(games)
            breaks = rule_break_table(games, file_of, month)
            files["rounds"].add(round_table(games, spreads, month))
            files["games"].add(game_table(games, file_of, month))
            files["rule_breaks"].add(breaks)
            files["tricks"].add(tricks)
            codes.update(breaks["rule_break"].to_pylist())
            errors = games.games["error_code"]
            summary.raw_bytes += int((chunk.ends - chunk.starts).sum())
            summary.games += int((errors < GameError.EMPTY).sum())
            summary.empty += int((errors == GameError.EMPTY).sum())
            summary.unreadable += int((errors == GameError.UNREADABLE).sum())
            for names, code in ((summary.empty_files, GameError.EMPTY), (summary.not_logs, GameError.UNREADABLE)):
                ids = games.games["game_id"][errors == code][: NAMED_FILES - len(names)]
                names += map(file_of, ids.tolist())
            summary.rounds += len(games.rounds)
            summary.tricks += len(tricks)
            summary.turns += int(games.outcomes["num_turns"][games.outcomes["completed"] == 1].sum())
        files["combination_stats"].add(walker.stats_table(month))
        summary.rule_breaks = {str(code): codes[code] for code in sorted(codes)}
        summary.problems = [str(problem) for problem in problems]
        # What follows from the logs alone goes into the files, so that they are the same bytes whenever they are made.
        files["rounds"].describe(summary)
        for table in TABLES:
            files[table].close()
            summary.bytes += files[table].temporary.stat().st_size
        for table in TABLES:
            files[table].publish()
    summary.seconds = time.perf_counter() - started
    return summary


class _Files:
    """The archive or path in which a game of a chunk lies."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, game_id: int) -> str:
        index = int(np.searchsorted(self._members.game_ids, game_id))
        return f"{self._members.file(index)}:{self._members.member(index)}"


class _TableFile:
    """A month's Parquet file in the making. Nothing is left of it if it is not published."""

    def __init__(self, folder: Path, month: str, table: str, stamp: str) -> None:
        self.path = month_file(folder, month)
        self.temporary = folder / f".{month}.parquet.{os.getpid()}.tmp"
        self._schema = SCHEMAS[table].with_metadata({STAMP: stamp.encode()})
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def __enter__(self) -> _TableFile:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = pq.ParquetWriter(
            self.temporary, self._schema, compression="zstd", compression_level=3, use_dictionary=DICTIONARIES
        )
        return self

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += len(table)
        if self._rows >= ROWS_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.concat_tables(self._waiting).replace_schema_metadata(self._schema.metadata)
            self._writer.write_table(table, row_group_size=max(self._rows, 1))
        self._waiting, self._rows = [], 0

    def describe(self, summary: Summary) -> None:
        facts = {name: value for name, value in asdict(summary).items() if name not in ("seconds", "bytes", "reused")}
        self._writer.add_key_value_metadata({SUMMARY: json.dumps(facts)})

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def publish(self) -> None:
        self.temporary.replace(self.path)

    def __exit__(self, *_: object) -> None:
        try:
            self._writer.close()
        finally:  # closing fails again where writing has: the disk is full, say
            self.temporary.unlink(missing_ok=True)


@dataclass(frozen=True)
class Manifest:
    """The months of rounds that are there."""

    months: list[str]
    games: int
    rounds: int
    bytes: int
    stamp: str  # digest of the months' stamps


def manifest(paths: DataPaths, months: Sequence[str] | None = None) -> Manifest:
    """What is there of these months, by default of all."""
    found = sorted(path.stem for path in paths.rounds.glob("????-??.parquet"))
    found = [month for month in found if months is None or month in months]
    stamps = [f"{month} {stored_stamp(paths, month)}\n" for month in found]
    summaries = [stored_summary(paths, month) for month in found]
    files = [month_file(paths.root / table, month) for month in found for table in TABLES]
    return Manifest(
        found,
        sum(summary.games for summary in summaries),
        sum(summary.rounds for summary in summaries),
        sum(file.stat().st_size for file in files if file.exists()),
        hashlib.sha256("".join(stamps).encode()).hexdigest(),
    )


DICTIONARIES = ["player_names.list.element", "file", "year", "month", "type", "length", "rank"]


def _tidy(paths: DataPaths) -> None:
    """Removes what killed runs have left half written; a living one's files bear the number of its process."""
    for table in TABLES:
        for leftover in (paths.root / table).glob(".*.tmp"):
            owner = leftover.name.split(".")[-2]
            if not Path(f"/proc/{owner}").exists():
                leftover.unlink(missing_ok=True)
