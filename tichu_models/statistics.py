"""Statistics of tournaments: confidence intervals of means and shares, control variates, a sequential test.

Rows of all arrays are deals, both tables of a deal together. Points are those of the first agent of a pairing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from tichu_models.chance import Key, draw_below
from tichu_models.kernels import kernel

LEVEL = 0.95
RESAMPLES = 4000


@kernel
def _resample(points: np.ndarray, rounds: np.ndarray, key: Key, ratios: np.ndarray) -> None:
    """Writes the points a round of as many samples of the deals, with replacement, as there are ratios."""
    n = len(points)
    for i in range(len(ratios)):
        sum_points = 0.0
        sum_rounds = 0.0
        for k in range(n):
            chosen = draw_below(key, i * n + k, n)
            sum_points += points[chosen]
            sum_rounds += rounds[chosen]
        ratios[i] = sum_points / sum_rounds


def bootstrap(points: np.ndarray, rounds: np.ndarray, seed: int = 0, level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval of the points a round, by a bootstrap over deals."""
    ratios = np.empty(RESAMPLES)
    _resample(points.astype(np.float64), rounds.astype(np.float64), np.uint64(seed), ratios)
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson(won: float, games: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson interval of the share of games won; a draw counts as half a game."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = won / games
    middle = share + z**2 / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z**2 / (4 * games**2))
    scale = 1 + z**2 / games
    return max((middle - spread) / scale, 0.0), min((middle + spread) / scale, 1.0)


def controlled(points: np.ndarray, control: np.ndarray) -> np.ndarray:
    """Points less the part that a control variate explains, such as the luck of the cards. The control must have
    expectation 0: then it lowers the variance and leaves the mean."""
    variance = float(np.mean(control * control))
    if variance == 0.0:
        return points
    return points - float(np.mean(points * control)) / variance * control


@dataclass(frozen=True)
class TestResult:
    """The state of a sequential test when it was last looked at."""

    deals: int
    log_likelihood_ratio: float
    better: str | None  # "a" or "b"; None: undecided


@dataclass(frozen=True)
class SequentialTest:
    """A generalised sequential probability ratio test on paired deals: who is better by `margin` points a round?

    If one is better by that or more, the test names the other with a probability of at most `error`. The likelihood is
    the normal approximation with the variance so far. The test looks after every EVERY deals.
    """

    margin: float
    error: float = 0.05

    EVERY = 100

    def look(self, values: np.ndarray) -> TestResult:
        """The result of the first look that decides, else of the last. Values are points a round, deal by deal."""
        bound = math.log((1 - self.error) / self.error)
        looks = np.arange(self.EVERY, len(values) + 1, self.EVERY)
        if len(looks) == 0:
            return TestResult(len(values), 0.0, None)
        sums, squares = np.cumsum(values)[looks - 1], np.cumsum(np.square(values))[looks - 1]
        variances = squares / looks - np.square(sums / looks)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(sums == 0, 0.0, 2 * self.margin * sums / variances)
        decisive = np.flatnonzero(np.abs(ratios) >= bound)
        at = int(decisive[0]) if len(decisive) else len(looks) - 1
        better = ("a" if ratios[at] > 0 else "b") if len(decisive) else None
        deals = int(looks[at]) if len(decisive) else len(values)
        return TestResult(deals, float(ratios[at]), better)
