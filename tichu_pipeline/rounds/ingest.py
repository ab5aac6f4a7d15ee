"""The stage from archives to rounds: turns a month's logs into five Parquet files, if something has changed.

A month is a pure function of its logs: the same bytes come out wherever and whenever it runs. Each file holds the
month's stamp (see `changes`), so that an unchanged month is skipped. Files are written under temporary names and
renamed when all five are whole, `rounds` last. A month is done only if all five carry the same stamp.

If logs could not be read for a reason that may pass (an archive that was just replaced, a failing disk), a stored month
that has them is left as it was.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tichu_models.rules.breaks import GameError
from tichu_models.whole_files import remove_leftovers
from tichu_pipeline.brettspielwelt.archives.inflate import BUFFER_BYTES, inflate, mapped_zeros, split
from tichu_pipeline.brettspielwelt.archives.members import Members, Problem
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.text.reader import Reader
from tichu_pipeline.rounds.arrow import game_table, round_table, rule_break_table, stats_table, trick_table
from tichu_pipeline.rounds.changes import changed_months, month_stamp, orphaned_months
from tichu_pipeline.rounds.manifest import (
    NAMED_FILES,
    TABLES,
    MonthSummary,
    files_of,
    stored_month_stamp,
    stored_summary,
)
from tichu_pipeline.rounds.tables import SCHEMAS
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.monthly_files import MonthlyFile
from tichu_pipeline.storage.workers import Processes, Workers, threads

WORTH_PROCESSES = 400_000  # games: processes need a second to start, threads lose some percent by waiting


@dataclass(frozen=True, kw_only=True)
class IngestedMonth(Made):
    """A month that was read or reused."""

    summary: MonthSummary


@dataclass(frozen=True)
class Ingested:
    """The result of `ingest`."""

    months: list[IngestedMonth]
    problems: list[str]  # of the whole raw folder
    orphans: list[str]  # months that have files, but no longer any logs
    seconds: float

    @property
    def games_a_second(self) -> float:
        """The speed over the months that were read."""
        return sum(month.summary.games for month in self.months if not month.reused) / max(self.seconds, 1e-9)


def ingest(
    raw: Path,
    paths: DataPaths,
    months: Sequence[str] | None = None,
    force: bool = False,
    workers: Workers | None = None,
    done: Callable[[IngestedMonth], None] = lambda _: None,
) -> Ingested:
    """Brings the files of these months (default: all that have logs) up to date, and calls `done` for each.

    By default a small corpus is read by threads, and a large one by processes on all cores.
    """
    started = time.perf_counter()
    for table in TABLES:
        remove_leftovers(paths.root / table)
    catalogue = scan(raw)
    requested = [month for month in catalogue.months if months is None or month in months]
    orphans = orphaned_months(catalogue, paths)
    changed = set(requested if force else changed_months(catalogue, paths))
    todo, made = [month for month in requested if month in changed], {}
    for month in requested:
        if month not in changed:
            made[month] = _reused(paths, stored_summary(paths, month))
            done(made[month])
    todo.sort(key=lambda month: -catalogue.month(month).bytes)  # the largest first, so that workers finish together
    tasks = [_Month(catalogue.month(month), catalogue.stamp(month), paths, month) for month in todo]
    for read in (workers or _usual_workers(tasks)).map(_read, tasks):
        made[read.summary.month] = read
        done(read)
    for table in TABLES:
        remove_leftovers(paths.root / table)  # of workers that were killed
    return Ingested(
        [made[month] for month in requested],
        [str(problem) for problem in catalogue.problems],
        [month for month in orphans if months is None or month in months],
        time.perf_counter() - started,
    )


class _Month(NamedTuple):
    """The arguments of `ingest_month`, as one task for a worker."""

    members: Members
    logs: str  # their digest
    paths: DataPaths
    month: str


def _read(month: _Month) -> IngestedMonth:
    return ingest_month(*month)


def _reused(paths: DataPaths, summary: MonthSummary) -> IngestedMonth:
    """A stored month that is left as it is."""
    size = sum(file.stat().st_size for file in files_of(paths, summary.month))
    return _made(paths, summary, stored_month_stamp(paths, summary.month) or "", size, reused=True)


def _made(
    paths: DataPaths, summary: MonthSummary, stamp: str = "", size: int = 0, seconds: float = 0.0, reused: bool = False
) -> IngestedMonth:
    return IngestedMonth(
        path=month_file(paths.rounds, summary.month),
        stamp=stamp,
        rows=summary.rounds,
        bytes=size,
        seconds=seconds,
        reused=reused,
        summary=summary,
    )


def _usual_workers(tasks: Sequence[_Month]) -> Workers:
    """The workers that are faster for this amount of games."""
    cores = os.cpu_count() or 1
    games = sum(len(task.members) for task in tasks)
    return Processes(cores) if cores > 1 and len(tasks) > 1 and games >= WORTH_PROCESSES else threads()


def ingest_month(members: Members, logs: str, paths: DataPaths, month: str) -> IngestedMonth:
    """Reads a month's logs, whose digest is `logs`, and writes its five files."""
    started = time.perf_counter()
    summary = MonthSummary(month, files=len(members))
    reader, buffer = Reader(), mapped_zeros(BUFFER_BYTES, np.uint8)
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
        # Only what follows from the logs goes into the files, so that they are always the same bytes.
        files["rounds"].describe(asdict(summary))
        stamp = month_stamp(logs, unread=summary.unread)
        size = sum(files[table].close(stamp) for table in TABLES)
        for table in TABLES:
            files[table].publish()
    return _made(paths, summary, stamp, size, time.perf_counter() - started)


def _left_as_it_was(paths: DataPaths, summary: MonthSummary, missed: set[int]) -> IngestedMonth | None:
    """The result for a month that must not be written: the stored one may have logs that were missed this time, or no
    log was read at all. None if the month may be written."""
    reason = f"{len(missed):,} of its logs could not be read now; run the command again"
    problems = [*summary.problems, f"{summary.month}: it is left as it was, because {reason}"]
    if stored_month_stamp(paths, summary.month) is None:
        return _made(paths, replace(summary, problems=problems)) if len(missed) == summary.files else None
    stored = stored_summary(paths, summary.month)
    return None if missed <= set(stored.unread) else _reused(paths, replace(stored, problems=problems))


class _Files:
    """The files of a chunk's games, as `archive.zip:member`."""

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
