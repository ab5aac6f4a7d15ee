"""Calibration of goal-conditioned players: do they win more if they are asked for more?

For every goal the same duplicate deals are played: a team that is asked for this goal against the same player without
a goal. Goals differ in nothing else. For the intervals, deals are resampled with their results for all goals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tichu_models.arena.tournament import Make, TournamentRequest, play, values_of
from tichu_models.statistics import LEVEL, RESAMPLES

GOALS = (-300, -200, -100, 0, 100, 200, 300)  # points by which a round is to be won


@dataclass(frozen=True)
class Calibration:
    """The points that were achieved for each goal, deal by deal."""

    goals: tuple[float, ...]
    points: np.ndarray  # (goals, deals): points by which a round was won, the mean of both tables

    def summary(self, level: float = LEVEL, seed: int = 0) -> dict[str, Any]:
        """The mean points for each goal; Spearman's rho between goals and points; and the slope, the points won more
        for each point asked more. All with bootstrap intervals over deals."""
        deals = self.points.shape[1]
        drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), RESAMPLES)
        means, resampled = self.points.mean(1), drawn @ self.points.T / deals
        edges = ((1 - level) / 2, (1 + level) / 2)
        bounds = np.quantile(resampled, edges, axis=0).T

        def facts(figure: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
            return {"value": float(figure(means[None])[0]), "interval": np.quantile(figure(resampled), edges).tolist()}

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
        """Spearman's rho of each row of means: (n, goals) -> (n,). Ties are not averaged: goals have none, means hardly
        ever."""
        return _correlation(_ranks(means), _ranks(np.array(self.goals)[None]))

    def _slope(self, means: np.ndarray) -> np.ndarray:
        """The slope of the regression line of each row of means: (n, goals) -> (n,)."""
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
    """Plays `deals` duplicate deals for each goal. `asked` gives the name of the agent with a goal, `unasked` is the
    name of the agent without one; `done` is called with the number of deals played since the last call."""
    played = [play(TournamentRequest((asked(goal), unasked), deals, seed), make, done=done) for goal in goals]
    return Calibration(tuple(goals), np.stack([values_of(each.results) for each in played]))


def _ranks(rows: np.ndarray) -> np.ndarray:
    """The rank of each number within its row."""
    return rows.argsort(1).argsort(1).astype(np.float64)


def _correlation(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row with the other array's row."""
    rows, others = (each - each.mean(1, keepdims=True) for each in (rows, others))
    return (rows * others).sum(1) / np.sqrt((rows**2).sum(1) * (others**2).sum(1))
