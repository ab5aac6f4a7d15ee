"""What PPO needs of steps that many sequences make side by side, with actions that a mask allows."""

from __future__ import annotations

import math

import numpy as np

from tichu_models.algorithms.answers import pick
from tichu_models.chance import Key, draw_unit
from tichu_models.kernels import kernel


@kernel
def pick_masked(
    scores: np.ndarray, masks: np.ndarray, temperature: float, key: Key, chosen: np.ndarray, logs: np.ndarray
) -> None:
    """An answer of each row among those whose mask is not 0, as `pick` picks it, and the logarithm of its probability
    (at temperature 1). `scores` (n, m) has all answers; every row has one that may be chosen."""
    allowed = np.zeros(scores.shape[1])
    places = np.zeros(scores.shape[1], dtype=np.int64)
    for i in range(len(scores)):
        n = 0
        for k in range(scores.shape[1]):
            if masks[i, k]:
                allowed[n], places[n] = scores[i, k], k
                n += 1
        found = pick(allowed, 0, n, temperature, draw_unit(key, i))
        total = 0.0
        for k in range(n):
            total += math.exp(allowed[k] - allowed[found])
        chosen[i], logs[i] = places[found], -math.log(total)


@kernel
def advantages_of_steps(
    rewards: np.ndarray, values: np.ndarray, follows: np.ndarray, weight: float, advantages: np.ndarray
) -> None:
    """The advantages of steps that were made side by side in several sequences, without a discount: a row for each
    step, a column for each sequence. `values` have a row more. `follows` says how the next value counts for who made a
    step: 1, -1 if it is that of the other side, 0 if the sequence has ended; then another one begins in the next row.

    An advantage is the sum of the step's temporal difference and those of the later ones, each by lambda, the `weight`,
    less than the one before.
    """
    for i in range(rewards.shape[1]):
        ahead = 0.0
        for k in range(rewards.shape[0] - 1, -1, -1):
            follow = np.float64(follows[k, i])
            ahead = rewards[k, i] + follow * np.float64(values[k + 1, i]) - values[k, i] + weight * follow * ahead
            advantages[k, i] = ahead
