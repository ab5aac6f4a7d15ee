"""What a game of MADN looks like to players: the numbers that a network reads."""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import MOST_CELLS, PLAYERS
from tichu_models.games.pachisi.madn.rules import COPIES, SIDES
from tichu_models.games.pachisi.views import (
    PLANES,
    SHARED,
    SHARED_INPUTS,
    features_of_board,
    observe_board,
    seat_of,
)
from tichu_models.kernels import inner

# After the shared numbers: the die, and each player's cards of each number.
AT_DIE = SHARED
AT_CARDS = AT_DIE + SIDES
SCALARS = AT_CARDS + PLAYERS * SIDES
OBSERVATION = SCALARS + PLANES * MOST_CELLS
# Inputs after those of the pins: the die, and each player's cards, as many ones as there are.
DIE_INPUTS = SHARED_INPUTS
CARD_INPUTS = DIE_INPUTS + SIDES
INPUTS = CARD_INPUTS + PLAYERS * SIDES * COPIES
MOST_ACTIVE = 16 + 1 + PLAYERS * SIDES * COPIES


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """The numbers that both games have, the die one-hot, the cards of each player as shares of all, and the planes of
    pins."""
    observe_board(state, seat, out, SCALARS)
    if state.die > 0:
        out[AT_DIE + state.die - 1] = 1.0
    for offset in range(state.players):
        player = seat_of(state, seat, offset)
        for i in range(SIDES):
            out[AT_CARDS + SIDES * offset + i] = state.hands[player, i] / np.float32(COPIES)


@inner
def features(state: State, out: np.ndarray) -> int:
    """Pins by cell, the die by number, cards as many ones as there are; as the player on turn sees them."""
    n = features_of_board(state, out)
    if state.die > 0:
        out[n] = DIE_INPUTS + state.die - 1
        n += 1
    for offset in range(state.players):
        player = seat_of(state, state.turn, offset)
        for i in range(SIDES):
            for k in range(state.hands[player, i]):
                out[n] = CARD_INPUTS + COPIES * (SIDES * offset + i) + k
                n += 1
    return n
