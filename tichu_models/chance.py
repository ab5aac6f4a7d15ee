"""Random numbers. A draw is a pure function of a key and a counter, so nothing depends on who draws when.

Keys are uint64: of a run, from it of a game, a round's deal, a decision. Every step of a chain passes the SplitMix64
mixer. In kernels, uint64 must never meet int64 (the result would be a float), hence the explicit conversions.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner, vectorised

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW_32 = np.uint64(0xFFFFFFFF)
TWO_TO_MINUS_53 = 2.0**-53
S11 = np.uint64(11)


@inlined
def draw(key, counter):
    """The counter-th random number of a key, 64 bits."""
    z = key + np.uint64(counter + 1) * GOLDEN
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@vectorised
def fill(key, numbers):
    """The first random numbers of a key, into an array of uint64: eight at a time, where the CPU can."""
    for i in range(len(numbers)):
        numbers[i] = draw(key, i)


@inlined
def draw_below(key, counter, limit):
    """A random integer 0 .. limit - 1, limit below 2**32."""
    return np.int64(((draw(key, counter) >> S32) * np.uint64(limit)) >> S32)


@inner
def draw_unit(key, counter):
    """A random number in [0, 1)."""
    return np.float64(draw(key, counter) >> S11) * TWO_TO_MINUS_53
