"""What an answer cost, by cross-fitting: the best answer is chosen on one half of the deals, the loss is measured on
the other, and the other way round. The maximum of noisy means would find losses where there are none.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from tichu_models.search.paired import gains
from tichu_models.statistics import LEVEL

GIVEN = 0  # the place of the given answer
SURE = 0.995  # level of the interval that must lie above 0 before a loss is certain


def spread_of(level: float) -> float:
    """Half the width of an interval of this level, in standard errors."""
    return NormalDist().inv_cdf((1 + level) / 2)


class Loss(NamedTuple):
    """What the given answer cost, in the units of the values."""

    mean: float  # as measured, below 0 where the halves of the deals disagree
    error: float  # its standard error; infinite where there are too few deals to tell
    best: int  # the answer with the highest mean on all deals

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval."""
        half = spread_of(LEVEL) * self.error
        return self.mean - half, self.mean + half

    @property
    def seen(self) -> float:
        """The loss, 0 where no difference is seen: the interval holds 0."""
        return self.mean if self.interval[0] > 0 else 0.0

    @property
    def sure(self) -> bool:
        """Whether even a wider interval lies above 0."""
        return self.mean > spread_of(SURE) * self.error


def loss_of(values: np.ndarray, weights: np.ndarray) -> Loss:
    """The loss by the values (answers, deals) on deals of these weights.

    A half that finds no better answer measures 0 on every deal, which is not as sure as it looks: the error is at least
    that of the best other answer's gain."""
    lost, half = np.zeros(values.shape[1]), np.arange(values.shape[1]) % 2
    for measured in range(2):
        chosen = int((values @ np.where(half == measured, 0.0, weights)).argmax())
        lost = np.where(half == measured, values[chosen] - values[GIVEN], lost)
    found, others = gains(np.vstack([np.zeros(len(lost)), lost]), weights, 0), gains(values, weights, GIVEN)
    error = max(found.errors[1], others.errors[1 + others.means[1:].argmax()])
    return Loss(float(found.means[1]), float(error), int((values @ weights).argmax()))


def may_cost(values: np.ndarray, weights: np.ndarray, points: float, errors: float) -> bool:
    """Whether another answer may be better by so many points: worth a closer look. Its gain may be so many standard
    errors more than was seen."""
    means, spread = gains(values, weights, GIVEN)
    others = np.delete(np.arange(len(means)), GIVEN)
    return bool((means[others] + errors * spread[others] >= points).any())


def value_intervals(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean value of each answer, and the ends of its confidence interval."""
    found = gains(np.vstack([np.zeros(values.shape[1]), values]), weights, 0)
    means, half = found.means[1:], spread_of(LEVEL) * found.errors[1:]
    return means, means - half, means + half


def behind_best(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By how much each answer is behind the one with the highest mean on the same deals, and the ends of its confidence
    interval. An answer whose interval holds 0 counts as equally good."""
    found = gains(values, weights, int((values @ weights).argmax()))
    means, half = -found.means, spread_of(LEVEL) * found.errors
    return means, means - half, means + half
