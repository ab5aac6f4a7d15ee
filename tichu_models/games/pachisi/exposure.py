"""Inputs for a network that has to judge positions: where on their ways pins can be hit.

For each player, zone of the way and degree of exposure there are as many ones as pins, so that pins are alike. What a
degree is, 1 to DEGREES, is up to each game; who is not exposed has none.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import PINS, PLAYERS, TEAMS, start_of
from tichu_models.kernels import inlined

ZONES, DEGREES, COUNTED = 8, 3, 3
OF_PLAYER = ZONES * DEGREES * COUNTED
EXPOSURE_INPUTS = PLAYERS * OF_PLAYER
MOST_EXPOSED = PLAYERS * PINS
COUNT_BITS, COUNT = 2, 3


@inlined
def steps_to(state: State, from_: int, cell: int) -> np.int64:
    """How many steps forward it is from one cell of the ring to another; the whole ring from a cell to itself."""
    steps = np.int64(cell) - from_
    return steps if steps > 0 else steps + state.ring


@inlined
def is_enemy(state: State, player: int, other: int) -> bool:
    """Whether another player is on another side."""
    return player != other and not (state.rules & TEAMS != 0 and player == other ^ 2)


@inlined
def kind_of_exposure(state: State, player: int, cell: int, degree: int) -> int:
    """The zone of a cell of the ring on a player's way, and a degree, as one number."""
    way = np.int64(cell) - start_of(state, player)
    if way < 0:
        way += state.ring
    return DEGREES * (ZONES * way // state.ring) + degree - 1


@inlined
def counted(counts: int, kind: int) -> int:
    """How many pins of this kind are counted, COUNTED at most. `counts` has two bits for each kind."""
    return counts >> (COUNT_BITS * kind) & COUNT


@inlined
def count_one(counts: int, kind: int) -> int:
    """The counts with one more of a kind that is below COUNTED."""
    return counts + (1 << (COUNT_BITS * kind))
