"""Returns and advantages: what decisions were worth, by the result that followed and a critic's values."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel

LEAST_SPREAD = 1e-8  # added to a standard deviation, which may be 0


@kernel
def lambda_returns(
    results: np.ndarray, values: np.ndarray, signs: np.ndarray, ends: np.ndarray, weight: float, returns: np.ndarray
) -> None:
    """The lambda-return of every decision of a batch of sequences with a result at their end and nothing before.

    The sequences are end to end; sequence i ends before `ends[i]`. Decisions belong to two sides, one with sign 1, the
    other with -1. `results[i]` is the result of sequence i for the side with sign 1; values and returns are those of
    the decision's own side. The `weight` is lambda: 1 gives the result itself, 0 the value of the next decision.
    """
    at = 0
    for i in range(len(ends)):
        ahead = np.float64(results[i])
        for k in range(ends[i] - 1, at - 1, -1):
            returns[k] = signs[k] * ahead
            ahead = weight * ahead + (1 - weight) * signs[k] * values[k]
        at = ends[i]


def normalised(advantages: np.ndarray, groups: np.ndarray, most: float) -> np.ndarray:
    """Advantages less the mean of their group, by its standard deviation, cut to -most .. most."""
    result = np.zeros(len(advantages), dtype=np.float32)
    for group in np.unique(groups):
        inside = groups == group
        part = advantages[inside].astype(np.float64)
        result[inside] = np.clip((part - part.mean()) / (part.std() + LEAST_SPREAD), -most, most)
    return result
