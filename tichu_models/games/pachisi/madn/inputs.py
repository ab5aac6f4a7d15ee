"""What the network of TD reads of a position of MADN, as the player on turn sees it; also before a throw.

Players are where their starts lie, a quarter of the ring from one to the next, since values are counted so: of two
players one has the other a quarter ahead, the other one three quarters.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import HOME, PINS, PLAYERS, START_ON_1, start_of
from tichu_models.games.pachisi.exposure import (
    COUNTED,
    DEGREES,
    EXPOSURE_INPUTS,
    MOST_EXPOSED,
    OF_PLAYER,
    count_one,
    counted,
    is_enemy,
    kind_of_exposure,
    steps_to,
)
from tichu_models.games.pachisi.madn.rules import COPIES, SIDES
from tichu_models.games.pachisi.madn.views import CARD_INPUTS, DIE_INPUTS, INPUTS, MOST_ACTIVE
from tichu_models.games.pachisi.views import write_pins
from tichu_models.kernels import inlined, inner

REACH_INPUTS, REACH_ACTIVE = INPUTS + EXPOSURE_INPUTS, MOST_ACTIVE + MOST_EXPOSED


@inner
def fields(state: State, out: np.ndarray) -> int:
    """Pins by cell, and cards as many ones as there are."""
    n = 0
    if state.die > 0:
        out[n] = DIE_INPUTS + state.die - 1
        n += 1
    for offset in range(PLAYERS):
        player = (state.turn + offset) % PLAYERS
        if player >= state.players:
            continue
        n = write_pins(state, state.turn, player, offset, out, n)
        for i in range(SIDES):
            for k in range(state.hands[player, i]):
                out[n] = CARD_INPUTS + COPIES * (SIDES * offset + i) + k
                n += 1
    return n


@inlined
def _throws_that_hit(state: State, player: int, cell: int) -> int:
    """A bit for each number by which another side hits a pin of this player on a cell of the ring."""
    hits = 0
    for other in range(state.players):
        if not is_enemy(state, player, other):
            continue
        leaves = False
        for pin in range(PINS):
            from_ = state.pins[other, pin]
            leaves = leaves or from_ == HOME
            if 0 <= from_ < state.ring:
                steps = steps_to(state, from_, cell)
                if steps <= SIDES:
                    hits |= 1 << steps
        if leaves and cell == start_of(state, other):
            hits |= 1 << SIDES
            if state.rules & START_ON_1:
                hits |= 1 << 1
    return hits


@inner
def reach(state: State, out: np.ndarray) -> int:
    """`fields`, and the pins that others can hit, by how many different numbers."""
    n = fields(state, out)
    for offset in range(PLAYERS):
        player, counts = (state.turn + offset) % PLAYERS, 0
        if player >= state.players:
            continue
        for pin in range(PINS):
            cell = state.pins[player, pin]
            if cell == HOME or cell >= state.ring:
                continue
            hits, numbers = _throws_that_hit(state, player, cell), 0
            while hits:
                hits &= hits - 1
                numbers += 1
            if numbers > 0:
                kind = kind_of_exposure(state, player, cell, min(numbers, DEGREES))
                same = counted(counts, kind)
                if same < COUNTED:
                    out[n] = INPUTS + OF_PLAYER * offset + COUNTED * kind + same
                    n += 1
                    counts = count_one(counts, kind)
    return n
