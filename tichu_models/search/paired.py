"""Which of several answers is best, by their values on the same supposed deals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.rules.scoring import VALUE_UNIT

DOUBT = 1.5  # standard errors by which an answer may be better than it seems
WORTH = 2 / VALUE_UNIT  # a gain for which more deals are worth their time


class Gains(NamedTuple):
    """By how much answers are better than one of them, over the same deals."""

    means: np.ndarray  # float64 (answers,)
    errors: np.ndarray  # their standard errors; infinite where there are too few deals to tell


def gains(values: np.ndarray, weights: np.ndarray, base: int) -> Gains:
    """The gains of answers over the answer `base`. `values` is (answers, deals), `weights` (deals,)."""
    total = weights.sum()
    if total <= 0:
        return Gains(np.zeros(len(values)), np.full(len(values), np.inf))
    shares = weights / total
    differences = values - values[base]
    means = differences @ shares
    independent = 1 / (shares**2).sum()  # as many deals of equal weight would be as sure
    if independent <= 1:
        return Gains(means, np.full(len(values), np.inf))
    spread = ((differences - means[:, None]) ** 2) @ shares
    return Gains(means, np.sqrt(spread / (independent - 1)))


def surely_best(values: np.ndarray, weights: np.ndarray, base: int, certainty: float) -> int:
    """The answer with the highest value among those whose gain over `base` is more than `certainty` of its standard
    errors; `base` if there is none. With 0, any gain is enough."""
    means, errors = gains(values, weights, base)
    sure = means > (certainty * errors if certainty else 0.0)
    return int(np.where(sure, means, -np.inf).argmax()) if sure.any() else base


def is_settled(values: np.ndarray, weights: np.ndarray, base: int, certainty: float) -> bool:
    """Whether the choice of `surely_best` stands: no other answer seems to be better than it by anything worthwhile,
    nor would be, if these deals misled by some standard errors."""
    best = surely_best(values, weights, base, certainty)
    means, errors = gains(values, weights, best)
    others = np.arange(len(values)) != best
    return not (means[others] + DOUBT * errors[others] >= WORTH).any()
