"""The stored months of rounds: the summary in each month's files, and the manifest of all months.

A month is whole if its five files carry the same stamp. `changes` finds the months that must be read anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.monthly_files import stored_facts
from tichu_pipeline.storage.stamps import stored_stamp

# Rounds last: they show that the others are there.
TABLES = ("games", "rule_breaks", "tricks", "combination_stats", "rounds")
NAMED_FILES = 1_000  # files of each kind that a summary names; the portal has some 60 empty ones a month


class DamagedMonthError(ValueError):
    """A stored month without a summary."""


@dataclass
class MonthSummary:
    """What the logs of a month hold. It is stored in the month's file of rounds."""

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
    not_logs: list[str] = field(default_factory=list)  # files without a header of a round, likewise
    unread: list[int] = field(default_factory=list)  # games whose logs could not be read
    problems: list[str] = field(default_factory=list)


def files_of(paths: DataPaths, month: str) -> list[Path]:
    """The paths of a month's five files."""
    return [month_file(paths.root / table, month) for table in TABLES]


def stored_month_stamp(paths: DataPaths, month: str) -> str | None:
    """The stamp that all five files of a month carry; None if one is missing or differs."""
    stamps = {stored_stamp(month_file(paths.root / table, month)) for table in TABLES}
    return stamps.pop() if len(stamps) == 1 else None


def stored_unread(paths: DataPaths, month: str) -> list[int]:
    """The games whose logs could not be read when the month was made."""
    return (stored_facts(month_file(paths.rounds, month)) or {}).get("unread", [])


def stored_summary(paths: DataPaths, month: str) -> MonthSummary:
    """The summary in the month's files."""
    path = month_file(paths.rounds, month)
    facts = stored_facts(path)
    if facts is None:
        raise DamagedMonthError(f"{path}: expected a month of tichu ingest; delete the file, and ingest its logs again")
    known = {field.name for field in fields(MonthSummary)}  # a month whose logs are gone may be from another version
    return MonthSummary(**{name: value for name, value in facts.items() if name in known})


@dataclass(frozen=True)
class RoundsManifest:
    """All stored months of rounds, and one digest of them."""

    months: list[str]
    games: int
    rounds: int
    bytes: int
    stamp: str  # digest of the months' stamps


def manifest(paths: DataPaths, months: Sequence[str] | None = None) -> RoundsManifest:
    """The manifest of all stored months, or of those among `months`."""
    stored = [month for month in months_in(paths.rounds) if months is None or month in months]
    stamps = [f"{month} {stored_month_stamp(paths, month)}\n" for month in stored]
    summaries = [stored_summary(paths, month) for month in stored]
    return RoundsManifest(
        stored,
        sum(summary.games for summary in summaries),
        sum(summary.rounds for summary in summaries),
        sum(file.stat().st_size for month in stored for file in files_of(paths, month) if file.exists()),
        hashlib.sha256("".join(stamps).encode()).hexdigest(),
    )
