"""How far a run of self-play is, as a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SelfplayProgress:
    """How far a run is."""

    iteration: int
    iterations: int
    rounds: int
    minutes: float
    points: float | None  # a round against the opponent, at the latest evaluation
    opponent: str

    def __str__(self) -> str:
        points = "" if self.points is None else f", {self.points:+.1f} points a round against {self.opponent}"
        rate = self.rounds / max(self.minutes * 60, 1e-9)
        return (
            f"iteration {self.iteration:,} of {self.iterations:,}, {self.rounds:,} rounds in {self.minutes:.1f} min, "
            f"{rate:,.0f} rounds/s{points}"
        )
