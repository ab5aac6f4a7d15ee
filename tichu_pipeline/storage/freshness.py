"""Freshness of a stage: fresh, stale or missing, what there is of it, and why.

Every stage judges itself by a function `standing(survey)` beside the one that makes it; `status.stages` calls them in
order. What is written here holds for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import next_month

NAMED_RANGES = 4  # of months in a reason

Found = TypeVar("Found")


class State(StrEnum):
    """Whether a stage's output is that of its inputs."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True)
class Standing:
    """The state of a stage, and the reasons."""

    stage: str
    state: State
    there: str  # what there is of it, in a few words
    bytes: int
    reasons: tuple[str, ...]  # why it is not fresh; else what is worth knowing
    stale_months: tuple[str, ...] = ()  # of a stage over months

    @property
    def is_fresh(self) -> bool:
        return self.state is State.FRESH


def missing(stage: str, why: str) -> Standing:
    """A stage of which nothing is there."""
    return Standing(stage, State.MISSING, "", 0, (why,))


def judged(stage: str, there: str, size: int, reasons: Sequence[str], stale_months: Sequence[str] = ()) -> Standing:
    """A stage that is there: stale if there is a reason, fresh otherwise."""
    state = State.STALE if reasons else State.FRESH
    return Standing(stage, state, there, size, tuple(reasons), tuple(stale_months))


@dataclass
class Survey:
    """A walk through the stages of a data folder. Each stage sees those above it."""

    paths: DataPaths
    standings: dict[str, Standing] = field(default_factory=dict)  # of the stages that were judged before
    _found: dict[Callable[[DataPaths], Any], Any] = field(default_factory=dict)

    def once(self, look: Callable[[DataPaths], Found]) -> Found:
        """What a function finds in the folder. It is called once, whichever stages ask."""
        if look not in self._found:
            self._found[look] = look(self.paths)
        return self._found[look]

    def not_fresh(self, *stages: str) -> list[str]:
        """Why a stage below these is stale: one of them is stale or missing."""
        above = (self.standings[stage] for stage in stages)
        return [f"{standing.stage} is {standing.state}" for standing in above if not standing.is_fresh]

    def stale(self, *stages: str) -> list[str]:
        """Why a stage is stale that does without these where they are missing."""
        return self.not_fresh(*(stage for stage in stages if self.standings[stage].state is State.STALE))


def span(months: Sequence[str]) -> str:
    """How many months, and from when to when."""
    count = f"{len(months)} month{'' if len(months) == 1 else 's'}"
    return f"{count} {months[0]}..{months[-1]}" if len(months) > 1 else f"{count} {''.join(months)}".rstrip()


def ranges(months: Sequence[str]) -> str:
    """Months as ranges; `2024-01..2024-03, 2024-07`."""
    ranges: list[list[str]] = []
    for month in months:
        if ranges and next_month(ranges[-1][-1]) == month:
            ranges[-1].append(month)
        else:
            ranges.append([month])
    named = [part[0] if len(part) == 1 else f"{part[0]}..{part[-1]}" for part in ranges[:NAMED_RANGES]]
    more = sum(map(len, ranges[NAMED_RANGES:]))
    return ", ".join(named) + (f" and {more} months more" if more else "")
