"""Every pin by itself, on its own way, as inputs of a network: one for each pin and place, so that an action changes
few of them. When another player moves, the inputs of the players change places."""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import AT_DISTANCE, AT_PLAYERS, HOME, PINS, PLAYERS, start_of
from tichu_models.games.pachisi.views import seat_of
from tichu_models.kernels import inlined, inner


def places_of(options: np.ndarray) -> int:
    """How many such inputs a game by these options has."""
    return int(options[AT_PLAYERS]) * PINS * (PLAYERS * int(options[AT_DISTANCE]) + PINS + 1)


@inlined
def first_after_places(state: State) -> Any:
    """The same, of a state: the first input after them."""
    return np.int64(state.players) * PINS * (np.int64(state.ring) + PINS + 1)


@inlined
def place_of(state: State, player: int, pin: int) -> int:
    """How far a pin has come on its own way: 0 at home, then the ring from its start on, then the goal."""
    cell = state.pins[player, pin]
    if cell == HOME:
        return 0
    if cell >= state.ring:
        return 1 + cell - PINS * player
    way = cell - start_of(state, player)
    return 1 + way + (state.ring if way < 0 else 0)


@inner
def write_places(state: State, out: np.ndarray) -> int:
    """The place of each pin, by players in the order of turns from the one on turn on. Returns how many there are."""
    n, places = 0, np.int64(state.ring) + PINS + 1
    for offset in range(state.players):
        player = seat_of(state, state.turn, offset)
        for pin in range(PINS):
            out[n] = (PINS * offset + pin) * places + place_of(state, player, pin)
            n += 1
    return n
