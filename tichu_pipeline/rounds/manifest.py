"""The months of rounds that a data folder holds: what their files say of themselves, and all of them together.

A month is whole if its five files carry the same stamp. Which months are to be read anew is `changes`, reading them
`ingest`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.monthly_files import stored_facts
from tichu_pipeline.storage.stamps import stored_stamp

TABLES = ("games", "rule_breaks", "tricks", "combination_stats", "rounds")  # rounds last: it says that all are there
NAMED_FILES = 1_000  # of each kind in a month; the portal has some 60 empty ones a month


class DamagedMonthError(ValueError):
    """A stored month that says nothing of itself."""


@dataclass
class MonthSummary:
    """What the logs of a month hold. It stands in the month's file of rounds."""

    month: str
    files: int = 0
    games: int = 0
    empty: int = 0
    unreadable: int = 0
    rounds: int = 0
    turns: int = 0
    tricks: int = 0
    raw_bytes: int = 0
    rule_breaks: dict[str, int] = field(default_factory=dict)  # by code, fragments included
    empty_files: list[str] = field(default_factory=list)  # by name, the first NAMED_FILES
    not_logs: list[str] = field(default_factory=list)  # files without a round's header, likewise
    unread: list[int] = field(default_factory=list)  # games whose logs could not be read
    problems: list[str] = field(default_factory=list)


def files_of(paths: DataPaths, month: str) -> list[Path]:
    """The files of a month, whether they are there or not."""
    return [month_file(paths.root / table, month) for table in TABLES]


def stored_month_stamp(paths: DataPaths, month: str) -> str | None:
    """The stamp that all five files of a month carry; None if one is missing or another's."""
    stamps = {stored_stamp(month_file(paths.root / table, month)) for table in TABLES}
    return stamps.pop() if len(stamps) == 1 else None


def stored_unread(paths: DataPaths, month: str) -> list[int]:
    """The games that the month's files say could not be read."""
    return (stored_facts(month_file(paths.rounds, month)) or {}).get("unread", [])


def stored_summary(paths: DataPaths, month: str) -> MonthSummary:
    """What the month's files say of themselves."""
    path = month_file(paths.rounds, month)
    facts = stored_facts(path)
    if facts is None:
        raise DamagedMonthError(f"{path}: expected a month of tichu ingest; delete the file, and ingest its logs again")
    known = {field.name for field in fields(MonthSummary)}  # a month whose logs are gone may be of another version
    return MonthSummary(**{name: value for name, value in facts.items() if name in known})


@dataclass(frozen=True)
class RoundsManifest:
    """The months of rounds that are there."""

    months: list[str]
    games: int
    rounds: int
    bytes: int
    stamp: str  # digest of the months' stamps


def manifest(paths: DataPaths, months: Sequence[str] | None = None) -> RoundsManifest:
    """What is there of these months, by default of all."""
    found = [month for month in months_in(paths.rounds) if months is None or month in months]
    stamps = [f"{month} {stored_month_stamp(paths, month)}\n" for month in found]
    summaries = [stored_summary(paths, month) for month in found]
    return RoundsManifest(
        found,
        sum(summary.games for summary in summaries),
        sum(summary.rounds for summary in summaries),
        sum(file.stat().st_size for month in found for file in files_of(paths, month) if file.exists()),
        hashlib.sha256("".join(stamps).encode()).hexdigest(),
    )
