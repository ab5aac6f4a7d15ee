"""Does a player who is told what to win, win more when told so? What was asked for, beside what came of it.

For every goal the same deals are played, each twice with seats swapped: by a team that is asked for this goal, against
the same player unasked. Whatever else decides a round is thereby the same for all goals, and deals are drawn again
with all that was made of them. Which players take a goal does not belong here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tichu_models.arena.tournament import Make, TournamentRequest, play, values_of
from tichu_models.statistics import LEVEL, RESAMPLES

GOALS = (-300, -200, -100, 0, 100, 200, 300)  # points that a round is to be won by


@dataclass(frozen=True)
class Calibration:
    """What was achieved, deal by deal."""

    goals: tuple[float, ...]
    points: np.ndarray  # (goals, deals) by how many points a round was won, on average of both tables

    def summary(self, level: float = LEVEL, seed: int = 0) -> dict[str, Any]:
        """Each goal with what was achieved, and whether that rises: Spearman's rho over the goals, and how many
        points more are won for each point more that is asked. Intervals by drawing deals again."""
        deals = self.points.shape[1]
        drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), RESAMPLES)
        means, again = self.points.mean(1), drawn @ self.points.T / deals
        edges = ((1 - level) / 2, (1 + level) / 2)
        bounds = np.quantile(again, edges, axis=0).T

        def facts(of: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
            return {"value": float(of(means[None])[0]), "interval": np.quantile(of(again), edges).tolist()}

        return {
            "deals": deals,
            "goals": [
                {"asked": float(goal), "achieved": float(mean), "interval": bound.tolist()}
                for goal, mean, bound in zip(self.goals, means, bounds, strict=True)
            ],
            "rho": facts(self._rho),
            "slope": facts(self._slope),
        }

    def _rho(self, means: np.ndarray) -> np.ndarray:
        """(n, goals) -> (n,). Goals differ, and so do means but by an odd chance."""
        return _correlation(_ranks(means), _ranks(np.array(self.goals)[None]))

    def _slope(self, means: np.ndarray) -> np.ndarray:
        goals = np.array(self.goals) - np.mean(self.goals)
        return means @ goals / (goals @ goals)


def calibrate(
    asked: Callable[[float], str],
    unasked: str,
    make: Make,
    deals: int,
    goals: Sequence[float] = GOALS,
    seed: int = 0,
    done: Callable[[int], None] = lambda deals: None,
) -> Calibration:
    """Plays `deals` duplicate deals for each goal; `asked` names the player who is told it."""
    played = [play(TournamentRequest((asked(goal), unasked), deals, seed), make, done=done) for goal in goals]
    return Calibration(tuple(goals), np.stack([values_of(each.results) for each in played]))


def _ranks(rows: np.ndarray) -> np.ndarray:
    return rows.argsort(1).argsort(1).astype(np.float64)


def _correlation(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    rows, others = (each - each.mean(1, keepdims=True) for each in (rows, others))
    return (rows * others).sum(1) / np.sqrt((rows**2).sum(1) * (others**2).sum(1))
