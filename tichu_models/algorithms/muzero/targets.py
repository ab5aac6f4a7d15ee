"""What the networks of MuZero learn from: the value of every position of played games, and windows of steps after it.

Games are end to end; game i ends before `ends[i]`. A position belongs to the side that moves in it; values are those of
that side. So a value that is looked up later is turned over if the other side moves there.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel

NONE = -1  # in place of a position after the end


@kernel
def value_targets(
    values: np.ndarray,
    outcomes: np.ndarray,
    sides: np.ndarray,
    ends: np.ndarray,
    steps: int,
    discount: float,
    fade: float,
    targets: np.ndarray,
) -> None:
    """The value of each position: that of the search `steps` later, or of the next one after it, times `discount` for
    each step; where no search follows in the game, the outcome, times `fade` for each step to the end. NaN is the value
    of a position that was not searched.

    With exactly `steps` left there is no position `steps` later: it would be the first of the next game. `outcomes` are
    those of the side that moves.
    """
    at = 0
    for end in ends:
        searched = end
        for k in range(end - 1, at - 1, -1):
            if k + steps < end and not np.isnan(values[k + steps]):
                searched = k + steps
            if searched < end:
                sign = 1.0 if sides[searched] == sides[k] else -1.0
                targets[k] = sign * discount ** (searched - k) * values[searched]
            else:
                targets[k] = outcomes[k] * fade ** (end - k)
        at = end


@kernel
def windows(
    slots: np.ndarray,
    starts: np.ndarray,
    last: np.ndarray,
    sides: np.ndarray,
    positions: np.ndarray,
    relations: np.ndarray,
) -> None:
    """The positions of windows that begin at `starts`, of games that end before `last`, NONE where a game is over; and
    for each step whether the same side moves after it (1) or the other one (-1), 0 where the game ends.

    `sides` has a row for each slot, in which games follow each other; a row is a ring, in which position t is at t
    modulo its length. Positions are counted through all rows."""
    room = sides.shape[1]
    for i in range(len(starts)):
        row = sides[slots[i]]
        for k in range(positions.shape[1]):
            at = starts[i] + k
            positions[i, k] = slots[i] * room + at % room if at < last[i] else NONE
        for k in range(relations.shape[1]):
            at = starts[i] + k
            relations[i, k] = 0
            if at + 1 < last[i]:
                relations[i, k] = 1 if row[at % room] == row[(at + 1) % room] else -1
