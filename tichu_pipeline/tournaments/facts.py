"""The summary of a tournament (`arena.summary`) as texts that terminal, page and Markdown share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TIME = "time a decision"
BATCHES = "Agents answer batches of decisions: the time of a decision is its share of the batch's time."
TIMES = f"p50 and p99: quantiles of the {TIME}. {BATCHES} Two built-in players share the mean time of all their turns."


@dataclass(frozen=True)
class LadderLine:
    """An agent's results in all its rounds together."""

    name: str
    timed: bool  # has a budget in seconds, so that its games cannot be repeated
    rating: str
    points: str  # points a round against all others
    tichu: tuple[int, int]  # small Tichus made, called
    grand: tuple[int, int]
    double_victories: int
    bombs: int
    failed: int
    p50: str
    p99: str


def ladder(facts: dict[str, Any]) -> Iterator[LadderLine]:
    """The lines of the ladder, best agent first."""
    times = {entry["name"]: entry for entry in facts["times"]}
    for rating in facts["ratings"]:
        name = rating["name"]
        done, took = side_sums(facts, name), times[name]
        yield LadderLine(
            name,
            took["timed"],
            f"{rating['mu']:.0f} ± {2 * rating['sigma']:.0f}",
            cell(rating["points_per_round"], rating["interval"]),
            (done["tichu_made"], done["tichu_called"]),
            (done["grand_made"], done["grand_called"]),
            done["double_victories"],
            done["bombs"],
            done["illegal"] + done["crashes"] + done["timeouts"],
            duration(took["p50"]),
            duration(took["p99"]),
        )


def cross_cells(facts: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Each agent, best first, with its points a round against each agent in the same order; empty against itself."""
    cells = {}
    for pairing in facts["pairings"]:
        points, interval = pairing["points_per_round"], pairing["interval"]
        cells[pairing["a"], pairing["b"]] = cell(points, interval)
        cells[pairing["b"], pairing["a"]] = cell(-points, interval)
    names = [rating["name"] for rating in facts["ratings"]]
    for own in names:
        yield own, [cells.get((own, other), "") for other in names]


def cell(points: float, interval: list[float]) -> str:
    """Points a round with half the width of their interval."""
    return f"{points:+.1f} ± {(interval[1] - interval[0]) / 2:.1f}"


def deals_of(facts: dict[str, Any]) -> str:
    """The size of a pairing, such as `200 duplicate deals`."""
    unit = "pairs of games" if facts["whole_games"] else "duplicate deals"
    return f"{max(pairing['deals'] for pairing in facts['pairings']):,} {unit}"


def who_answers(answered_by: Mapping[str, str | None]) -> str:
    """Which run answers which kinds of decisions of an agent; the kinds left to rules of thumb come last."""
    kinds: dict[str | None, list[str]] = {}
    for kind, run in sorted(answered_by.items(), key=lambda entry: entry[1] is None):
        kinds.setdefault(run, []).append(kind)
    return "; ".join(f"{', '.join(of_run)} by {run or 'rules of thumb'}" for run, of_run in kinds.items())


def side_sums(facts: dict[str, Any], name: str) -> dict[str, int]:
    """The counts of an agent over all its pairings."""
    sides = [side for pairing in facts["pairings"] for side in pairing["sides"] if side["name"] == name]
    return {key: sum(side[key] for side in sides) for key in sides[0] if key != "name"}


def duration(seconds: float | None) -> str:
    """A time with a unit and three digits."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"
