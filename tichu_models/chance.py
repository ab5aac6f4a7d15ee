"""Random numbers by counter: a draw is a pure function of a key and a counter, whoever draws, and in whatever order.

A key is a uint64. The key of a run gives that of a game, this those of its deals and decisions, each step by the
SplitMix64 mixer. In kernels, uint64 and int64 must not mix, because the result would be a float: hence the conversions.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, vectorised

Key: TypeAlias = np.uint64

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW_32 = np.uint64(0xFFFFFFFF)
TWO_TO_MINUS_53 = 2.0**-53
S11 = np.uint64(11)


@inlined
def draw(key: Key, counter: int) -> np.uint64:
    """The 64 random bits of a key at this counter."""
    z = key + np.uint64(counter + 1) * GOLDEN
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@vectorised
def fill(key: Key, numbers: np.ndarray) -> None:
    """Fills an array of uint64 with the first random numbers of a key. LLVM makes vector instructions of it."""
    for i in range(len(numbers)):
        numbers[i] = draw(key, i)


@inlined
def draw_below(key: Key, counter: int, limit: int) -> np.int64:
    """A random integer 0 .. limit - 1; the limit is below 2**32."""
    return np.int64(((draw(key, counter) >> S32) * np.uint64(limit)) >> S32)


@inner
def draw_unit(key: Key, counter: int) -> np.float64:
    """A random number in [0, 1)."""
    return np.float64(draw(key, counter) >> S11) * TWO_TO_MINUS_53
