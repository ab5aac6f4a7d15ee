"""Returns of sequences of decisions: what a decision was worth, by what came of it and by a critic's values."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel


@kernel
def lambda_returns(
    results: np.ndarray, values: np.ndarray, signs: np.ndarray, ends: np.ndarray, weight: float, returns: np.ndarray
) -> None:
    """The lambda-return of every decision of a batch of sequences with a result at their end and nothing before.

    Sequences lie end to end; sequence i ends before `ends[i]`, its result is `results[i]`. `values` are the critic's.
    Decisions may belong to two sides: the result of a decision is `signs` (1 or -1) times that of the sequence, and its
    value is seen from the same side. Weight 1 returns the result itself, weight 0 the value of the next decision.
    """
    at = 0
    for i in range(len(ends)):
        ahead = results[i]
        for k in range(ends[i] - 1, at - 1, -1):
            returns[k] = signs[k] * ahead
            ahead = weight * ahead + (1 - weight) * signs[k] * values[k]
        at = ends[i]


def normalised(advantages: np.ndarray, groups: np.ndarray, most: float) -> np.ndarray:
    """Advantages less their mean, by their standard deviation within their group, cut to -most .. most."""
    result = np.zeros(len(advantages), dtype=np.float32)
    for group in np.unique(groups):
        inside = groups == group
        part = advantages[inside].astype(np.float64)
        result[inside] = np.clip((part - part.mean()) / (part.std() + 1e-8), -most, most)
    return result
