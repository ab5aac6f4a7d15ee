"""Sequences of turns, as DTRLNet reads them. Players and rollouts lay them by the same function, so that both play
alike.

A sequence has the latest turns of a seat, the present one last. Where a seat has had fewer turns, all its first tokens
are zeros.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel
from tichu_models.networks.interface import IS_TURN, PASS_OUTPUT, TURN_FEATURES
from tichu_models.observation.fields import cards_field
from tichu_models.observation.unpack import LANES, put_bits
from tichu_models.rules.cards import NUM_CARDS


@kernel
def lay_sequences(
    states: np.ndarray, there: np.ndarray, played: np.ndarray, lookup: np.ndarray, out: np.ndarray
) -> None:
    """Writes the tokens of n sequences of `most` turns each end to end, with no gain asked for.

    `there` (n, most) says at which places a sequence has a turn; always at the last, which is the present turn.
    `states` are the vectors of these turns, one after the other. `played` (n, most) are the cards that were played
    there, 0 for a pass; those of the present turn are not read. `lookup` is the table by which bits become numbers."""
    n, most = there.shape
    inputs = states.shape[1]
    size = inputs + TURN_FEATURES
    zero, one = lookup[0], lookup[LANES]
    at = row = 0
    for i in range(n):
        for k in range(most):
            for place in range(size):
                out[at + place] = zero
            if there[i, k]:
                for place in range(inputs):
                    out[at + place] = states[row, place]
                row += 1
                behind = at + inputs
                if k and there[i, k - 1]:
                    put_bits(cards_field(played[i, k - 1]), 0, 0, NUM_CARDS, lookup, out, behind)
                    out[behind + PASS_OUTPUT] = zero if played[i, k - 1] else one
                out[behind + IS_TURN] = one
            at += size
