"""The network of `td`: one hidden layer over a few inputs that are 1, then a softmax over the seats.

Templates of kernels: `tichu_models.game.bound` makes them for each game, so that each compiles by itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tichu_models.game import MOST_SEATS
from tichu_models.kernels import inlined


@inlined
def activate(x: Any) -> Any:
    """What a hidden unit gives: ReLU. `bound` may put another function in its place, and in that of `slope`."""
    return max(x, np.float32(0.0))


@inlined
def slope(y: Any) -> Any:
    """The slope of `activate` where it gives y."""
    return np.float32(1.0) if y > 0 else np.float32(0.0)


@inlined
def sigmoid(x: Any) -> Any:
    """In the place of `activate`."""
    return np.float32(1.0) / (np.float32(1.0) + np.float32(math.exp(-x)))


@inlined
def slope_of_sigmoid(y: Any) -> Any:
    """In the place of `slope`."""
    return y * (np.float32(1.0) - y)


def forward(
    active: np.ndarray,
    n: int,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
) -> None:
    """Writes the hidden numbers, and the probabilities of the seats from the mover on."""
    width = len(bias)
    for j in range(width):
        hidden[j] = bias[j]
    for i in range(n):
        row = first[active[i]]
        for j in range(width):
            hidden[j] += row[j]
    for j in range(width):
        hidden[j] = activate(hidden[j])
    highest = np.float32(-1e30)
    for seat in range(MOST_SEATS):
        row, score = second[seat], last[seat]
        for j in range(width):
            score += row[j] * hidden[j]
        values[seat] = score
        highest = max(highest, score)
    total = np.float32(0.0)
    for seat in range(MOST_SEATS):
        values[seat] = math.exp(values[seat] - highest)
        total += values[seat]
    for seat in range(MOST_SEATS):
        values[seat] /= total


def learn(
    active: np.ndarray,
    n: int,
    target: np.ndarray,
    rate: float,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
) -> None:
    """One step down the gradient of the cross-entropy between the target and the network's probabilities."""
    forward(active, n, first, bias, second, last, hidden, values)
    width, step_size = len(bias), np.float32(rate)
    for j in range(width):
        slopes[j] = np.float32(0.0)
    for seat in range(MOST_SEATS):
        row, error = second[seat], (values[seat] - target[seat]) * step_size
        for j in range(width):
            slopes[j] += error * row[j]
            row[j] -= error * hidden[j]
        last[seat] -= error
    for j in range(width):
        slopes[j] *= slope(hidden[j])
        bias[j] -= slopes[j]
    for i in range(n):
        row = first[active[i]]
        for j in range(width):
            row[j] -= slopes[j]
