"""How a stage stands to its inputs, and how that is told: its state, what there is of it, why it is not fresh.

Which stage is judged by what is `status`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tichu_pipeline.storage.months import next_month

NAMED_RANGES = 4  # of months in a reason


class State(StrEnum):
    """How a stage's output stands to its inputs."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True)
class Standing:
    """How a stage stands."""

    stage: str
    state: State
    there: str  # what there is of it, in a few words
    bytes: int
    reasons: tuple[str, ...]  # why it is not fresh; else what is worth knowing
    stale_months: tuple[str, ...] = ()  # of a stage over months

    @property
    def is_fresh(self) -> bool:
        return self.state is State.FRESH


def hanging_on(above: Standing) -> list[str]:
    """Why what is below this stage is stale."""
    return [] if above.is_fresh else [f"{above.stage} is {above.state}"]


def state_of(reasons: Sequence[str]) -> State:
    """Of a stage that is there."""
    return State.STALE if reasons else State.FRESH


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
