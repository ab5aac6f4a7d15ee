"""The kernels of `td` bound to MADN, and what its network reads."""

from __future__ import annotations

import numpy as np

from tichu_models.algorithms import td
from tichu_models.algorithms.td_network import TDKernels
from tichu_models.game import State, bound
from tichu_models.games.pachisi.board import HOME, MOST_CELLS, PINS, PLAYERS
from tichu_models.games.pachisi.madn.bound import KERNELS as OF_GAME
from tichu_models.games.pachisi.madn.rules import COPIES, SIDES
from tichu_models.games.pachisi.madn.views import CARD_INPUTS, DIE_INPUTS, INPUTS, MOST_ACTIVE
from tichu_models.games.pachisi.views import INPUTS_OF_PLAYER, seen_cell
from tichu_models.kernels import inner, summing


@inner
def fields(state: State, out: np.ndarray) -> int:
    """Pins by cell, and cards as many ones as there are, as the player on turn sees them. Players are where their
    starts lie, a quarter of the ring from one to the next, since values are counted so: of two players one has the
    other a quarter ahead, the other one three quarters."""
    n = 0
    if state.die > 0:
        out[n] = DIE_INPUTS + state.die - 1
        n += 1
    for offset in range(PLAYERS):
        player, homes = (state.turn + offset) % PLAYERS, 0
        if player >= state.players:
            continue
        for pin in range(PINS):
            cell = state.pins[player, pin]
            if cell == HOME:
                out[n] = INPUTS_OF_PLAYER * offset + MOST_CELLS + homes
                homes += 1
            else:
                out[n] = INPUTS_OF_PLAYER * offset + seen_cell(state, state.turn, player, offset, cell)
            n += 1
        for i in range(SIDES):
            for k in range(state.hands[player, i]):
                out[n] = CARD_INPUTS + COPIES * (SIDES * offset + i) + k
                n += 1
    return n


KERNELS = OF_GAME._replace(features=fields)
forward = bound(td.forward, __name__, inner, KERNELS)
learn = bound(td.learn, __name__, inner, KERNELS, forward=forward)
choose_afterstate = bound(td.choose_afterstate, __name__, summing, KERNELS, seen_by=KERNELS.mover, forward=forward)
learn_games = bound(
    td.learn_games,
    __name__,
    summing,
    KERNELS,
    seen_by=KERNELS.mover,
    forward=forward,
    learn=learn,
    choose_afterstate=choose_afterstate,
)

LEARNERS = {("fields", "relu"): TDKernels(INPUTS, MOST_ACTIVE, choose_afterstate, learn_games, None)}
