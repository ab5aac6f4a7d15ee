"""The stage from archives to rounds: a month's logs to five Parquet files, again only when something has changed.

A month is a pure function of its logs: the same bytes come out wherever and whenever it runs. Its stamp (the code's
version, the digest of its logs, and which of them could not be read) stands in each file, so that an unchanged month is
skipped. Files are written aside and renamed when all five are whole; `rounds` comes last, and a month counts as done
only if all carry the same stamp. Logs that could not be read are tried again: a repaired archive may have the directory
of the damaged one. What may pass by itself (an archive that was just replaced, a disk that fails) takes no log out of a
stored month: the month is left as it was. Commands and assets call `ingest`. How text is read is `brettspielwelt`, what
the columns are is `tables`.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tichu_models.rules.breaks import GameError
from tichu_models.whole_files import remove_leftovers
from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.inflate import BUFFER_BYTES, any_readable, inflate, lent, split
from tichu_pipeline.brettspielwelt.archives.members import Members, Problem
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.text.reader import Reader
from tichu_pipeline.rounds.tables import SCHEMAS, game_table, round_table, rule_break_table, stats_table, trick_table
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.monthly_files import MonthlyFile, stored_facts, stored_stamp
from tichu_pipeline.storage.workers import Processes, Workers, threads

# Bumped by hand when the files of unchanged logs would differ; tests/golden/ingest.json says when.
VERSION = 3
TABLES = ("games", "rule_breaks", "tricks", "combination_stats", "rounds")  # rounds last: it says that all are there
WORTH_PROCESSES = (
    400_000  # games: processes need a second to start, threads lose some percent in waiting for each other
)
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
    unread: list[int] = field(default_factory=list)  # games whose logs could not be read
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


def month_stamp(logs: str, version: int = VERSION, *, unread: Sequence[int] = ()) -> str:
    """The stamp of a month, from the digest of its logs and the games that could not be read."""
    without = f" without {list(unread)}" if unread else ""
    return hashlib.sha256(f"ingest {version} {logs}{without}".encode()).hexdigest()


def stored_month_stamp(paths: DataPaths, month: str) -> str | None:
    """The stamp that all five files of a month carry; None if one is missing or another's."""
    stamps = {stored_stamp(month_file(paths.root / table, month)) for table in TABLES}
    return stamps.pop() if len(stamps) == 1 else None


def changed_months(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The months whose files are not those of their logs, in order of time."""
    changed = []
    for month in catalogue.months:
        lacking = _lacking(catalogue, paths, month)
        if lacking is None or any_readable(catalogue.month(month), lacking):
            changed.append(month)
    return changed


def repaired_months(catalogue: Catalogue, paths: DataPaths, months: Iterable[str]) -> list[str]:
    """Those of the months that are changed only because logs can now be read that could not be."""
    return [month for month in months if any_readable(catalogue.month(month), _lacking(catalogue, paths, month) or ())]


def _lacking(catalogue: Catalogue, paths: DataPaths, month: str) -> list[int] | None:
    """The games that a stored month lacks of just these logs, because they could not be read; None if it is not of
    these logs."""
    stored, logs = stored_month_stamp(paths, month), catalogue.stamp(month)
    if stored is None or stored == month_stamp(logs):
        return None if stored is None else []
    unread = stored_unread(paths, month)
    return unread if stored == month_stamp(logs, unread=unread) else None


def orphaned_months(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The months that have files, but no logs any more."""
    return sorted({path.stem for path in paths.rounds.glob("????-??.parquet")} - set(catalogue.months))


def stored_unread(paths: DataPaths, month: str) -> list[int]:
    """The games that the month's files say could not be read."""
    return (stored_facts(month_file(paths.rounds, month)) or {}).get("unread", [])


def stored_summary(paths: DataPaths, month: str) -> Summary:
    """What the month's files say of themselves."""
    path = month_file(paths.rounds, month)
    facts = stored_facts(path)
    if facts is None:
        raise DamagedMonthError(f"{path}: expected a month of tichu ingest; delete the file, and ingest its logs again")
    known = {field.name for field in fields(Summary)}  # a month whose logs are gone may be of another version
    return Summary(**{name: value for name, value in facts.items() if name in known})


def ingest(
    raw: Path,
    paths: DataPaths,
    months: Sequence[str] | None = None,
    force: bool = False,
    workers: Workers | None = None,
    done: Callable[[Summary], None] = lambda _: None,
) -> Ingested:
    """Brings the files of these months (default: all that have logs) up to date; `done` hears of each.

    By default a small corpus is read here, and a large one by processes on all cores.
    """
    started = time.perf_counter()
    for table in TABLES:
        remove_leftovers(paths.root / table)
    catalogue = scan(raw)
    wanted = [month for month in catalogue.months if months is None or month in months]
    orphans = orphaned_months(catalogue, paths)
    changed = set(wanted if force else changed_months(catalogue, paths))
    todo, summaries = [month for month in wanted if month in changed], {}
    for month in wanted:
        if month not in changed:
            summaries[month] = _reused(paths, month)
            done(summaries[month])
    todo.sort(key=lambda month: -catalogue.month(month).bytes)  # the largest first: workers end together
    tasks = [_Month(catalogue.month(month), catalogue.stamp(month), paths, month) for month in todo]
    for summary in (workers or _usual_workers(tasks)).map(_read, tasks):
        summaries[summary.month] = summary
        done(summary)
    for table in TABLES:
        remove_leftovers(paths.root / table)  # of workers that were killed
    return Ingested(
        [summaries[month] for month in wanted],
        [str(problem) for problem in catalogue.problems],
        [month for month in orphans if months is None or month in months],
        time.perf_counter() - started,
    )


class _Month(NamedTuple):
    members: Members
    logs: str  # their digest
    paths: DataPaths
    month: str


def _read(month: _Month) -> Summary:
    return ingest_month(*month)


def _reused(paths: DataPaths, month: str) -> Summary:
    summary = stored_summary(paths, month)
    summary.reused = True
    summary.bytes = sum(file.stat().st_size for file in _files_of(paths, month))
    return summary


def _usual_workers(tasks: Sequence[_Month]) -> Workers:
    cores = os.cpu_count() or 1
    games = sum(len(task.members) for task in tasks)
    return Processes(cores) if cores > 1 and len(tasks) > 1 and games >= WORTH_PROCESSES else threads()


def ingest_month(members: Members, logs: str, paths: DataPaths, month: str) -> Summary:
    """Reads a month's logs, whose digest is `logs`, and writes its five files."""
    started = time.perf_counter()
    summary = Summary(month, files=len(members))
    reader, buffer = Reader(), lent(BUFFER_BYTES, np.uint8)
    codes, problems, missed = Counter[int](), dict[Problem, None](), set[int]()
    with ExitStack() as stack:
        files = {name: stack.enter_context(MonthlyFile(paths.root / name, month, SCHEMAS[name])) for name in TABLES}
        for part in split(members):
            chunk = inflate(part, buffer)
            problems |= dict.fromkeys(chunk.problems)
            missed.update(chunk.missed.tolist())
            summary.unread += sorted([*chunk.damaged.tolist(), *chunk.missed.tolist()])
            games = reader.read(chunk)
            file_of = _Files(part)
            breaks = rule_break_table(games, file_of, month)
            files["rounds"].add(round_table(games, month))
            files["games"].add(game_table(games, file_of.column, month))
            files["rule_breaks"].add(breaks)
            files["tricks"].add(trick_table(games))
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
            summary.tricks += len(games.tricks)
            summary.turns += int(games.outcomes["num_turns"][games.outcomes["completed"] == 1].sum())
        files["combination_stats"].add(stats_table(reader.counts, month))
        summary.rule_breaks = {str(code): codes[code] for code in sorted(codes)}
        summary.problems = [str(problem) for problem in problems]
        if missed and (left := _left_as_it_was(paths, summary, missed)):
            return left
        # What follows from the logs alone goes into the files, so that they are the same bytes whenever they are made.
        facts = asdict(summary)
        files["rounds"].describe({name: facts[name] for name in facts if name not in ("seconds", "bytes", "reused")})
        stamp = month_stamp(logs, unread=summary.unread)
        for table in TABLES:
            summary.bytes += files[table].close(stamp)
        for table in TABLES:
            files[table].publish()
    summary.seconds = time.perf_counter() - started
    return summary


def _left_as_it_was(paths: DataPaths, summary: Summary, missed: set[int]) -> Summary | None:
    """What to tell instead of the summary if a month is not to be written: because the stored one may have logs that
    were missed this time, or because none was read. None if it is."""
    if stored_month_stamp(paths, summary.month) is None:
        left = summary if len(missed) == summary.files else None
    else:
        left = _reused(paths, summary.month)
        left = None if missed <= set(left.unread) else left
    if left:
        reason = f"{len(missed):,} of its logs could not be read now; run the command again"
        left.problems = [*summary.problems, f"{summary.month}: it is left as it was, because {reason}"]
    return left


class _Files:
    """Where a chunk's games lie: `archive.zip:member`."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, game_id: int) -> str:
        """The file of one game."""
        index = int(np.searchsorted(self._members.game_ids, game_id))
        return f"{self._members.file(index)}:{self._members.member(index)}"

    def column(self, game_ids: np.ndarray) -> pa.Array:
        """The files of many games."""
        rows = self._members.rows[np.searchsorted(self._members.game_ids, game_ids)]
        archives = pa.array([f"{source.label}:" for source in self._members.sources]).take(pa.array(rows["source"]))
        folders = pa.array([name.decode(errors="replace") for name in self._members.folders])
        numbers = pc.cast(pa.array(game_ids), pa.string())
        return pc.binary_join_element_wise(archives, folders.take(pa.array(rows["folder"])), numbers, ".tch", "")


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
    stamps = [f"{month} {stored_month_stamp(paths, month)}\n" for month in found]
    summaries = [stored_summary(paths, month) for month in found]
    return Manifest(
        found,
        sum(summary.games for summary in summaries),
        sum(summary.rounds for summary in summaries),
        sum(file.stat().st_size for month in found for file in _files_of(paths, month) if file.exists()),
        hashlib.sha256("".join(stamps).encode()).hexdigest(),
    )


def _files_of(paths: DataPaths, month: str) -> list[Path]:
    return [month_file(paths.root / table, month) for table in TABLES]
