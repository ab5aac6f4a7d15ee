"""Freshness of a stage: fresh, stale or missing, and why.

Every stage has a function `standing(survey)` beside the one that makes its output; `status.stages` calls them in order.
This module has what they share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import next_month

NAMED_RANGES = 4  # ranges of months that a reason names

Result = TypeVar("Result")


class State(StrEnum):
    """Whether a stage's output was made from its inputs as they are now."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True)
class Standing:
    """The state of a stage, with the reasons."""

    stage: str
    state: State
    there: str  # the output that exists, in a few words
    bytes: int
    reasons: tuple[str, ...]  # why it is not fresh; notes if it is
    stale_months: tuple[str, ...] = ()  # of a stage that makes a file a month

    @property
    def is_fresh(self) -> bool:
        return self.state is State.FRESH


def missing(stage: str, why: str) -> Standing:
    """A stage without any output."""
    return Standing(stage, State.MISSING, "", 0, (why,))


def judged(stage: str, there: str, size: int, reasons: Sequence[str], stale_months: Sequence[str] = ()) -> Standing:
    """A stage that has output: stale if there is a reason, fresh otherwise."""
    state = State.STALE if reasons else State.FRESH
    return Standing(stage, state, there, size, tuple(reasons), tuple(stale_months))


@dataclass
class Survey:
    """A walk through the stages of a data folder, upstream first. Each stage sees the standings before it."""

    paths: DataPaths
    standings: dict[str, Standing] = field(default_factory=dict)  # of the stages so far
    _results: dict[Callable[[DataPaths], Any], Any] = field(default_factory=dict)

    def once(self, read: Callable[[DataPaths], Result]) -> Result:
        """The result of a function of the data folder, which is called once for all stages."""
        if read not in self._results:
            self._results[read] = read(self.paths)
        return self._results[read]

    def not_fresh(self, *stages: str) -> list[str]:
        """Which of these upstream stages are stale or missing, as reasons."""
        standings = (self.standings[stage] for stage in stages)
        return [f"{standing.stage} is {standing.state}" for standing in standings if not standing.is_fresh]

    def stale(self, *stages: str) -> list[str]:
        """Which of these upstream stages are stale, as reasons. For a stage that does not need them."""
        return self.not_fresh(*(stage for stage in stages if self.standings[stage].state is State.STALE))


def changed(what: str, stored: str | None, stamp_of: Callable[[int], str], version: int) -> str:
    """Why an output does not carry the stamp that it would get now: an older version of the stage has made it, or else
    `what` has changed. `stamp_of` gives the stamp for a version of the stage, from the inputs as they are now."""
    is_older = stored in {stamp_of(older) for older in range(1, version)}
    return "made by an older version" if is_older else f"{what} have changed since"


def span(months: Sequence[str]) -> str:
    """The number of months with the first and the last; `3 months 2024-01..2024-03`."""
    count = f"{len(months)} month{'' if len(months) == 1 else 's'}"
    return f"{count} {months[0]}..{months[-1]}" if len(months) > 1 else f"{count} {''.join(months)}".rstrip()


def ranges(months: Sequence[str]) -> str:
    """Consecutive months as ranges; `2024-01..2024-03, 2024-07`."""
    ranges: list[list[str]] = []
    for month in months:
        if ranges and next_month(ranges[-1][-1]) == month:
            ranges[-1].append(month)
        else:
            ranges.append([month])
    named = [part[0] if len(part) == 1 else f"{part[0]}..{part[-1]}" for part in ranges[:NAMED_RANGES]]
    more = sum(map(len, ranges[NAMED_RANGES:]))
    return ", ".join(named) + (f" and {more} months more" if more else "")
