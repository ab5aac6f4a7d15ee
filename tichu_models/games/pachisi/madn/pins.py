"""MADN as networks see it that imagine what an action does: every pin by itself, on its own way.

An input for each pin and place, so that an action changes few of them: of the pin that moves, of one that is hit, and
of a card. When another player moves, the inputs of the players change places. With two or three players it also says
whose turn it is: how far the ways of two players are apart depends on which of them moves. The layout follows the
options of a game: it has no room for larger boards.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import AT_DISTANCE, AT_PLAYERS, AT_RULES, DICE, HOME, PINS, PLAYERS, start_of
from tichu_models.games.pachisi.madn.rules import COPIES, PASS, SIDES
from tichu_models.games.pachisi.views import seat_of
from tichu_models.kernels import inlined, inner

MOST_ACTIVE = PLAYERS * PINS + 2 + PLAYERS * SIDES * COPIES


def inputs_of(options: np.ndarray) -> int:
    """How many inputs a game by these options has."""
    players, ring = int(options[AT_PLAYERS]), PLAYERS * int(options[AT_DISTANCE])
    return players * PINS * (ring + PINS + 1) + SIDES + players * SIDES * COPIES + (players if players < PLAYERS else 0)


def outcomes_of(options: np.ndarray) -> int:
    """How many outcomes a throw has."""
    return SIDES if int(options[AT_RULES]) & DICE else 0


@inlined
def outcome_of(state: State) -> int:
    """The number of what has been thrown."""
    return state.die - 1


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
def features(state: State, out: np.ndarray) -> int:
    """The place of each pin, the die by number, cards as many ones as there are, the player on turn; players in the
    order of turns from that one on."""
    n, places = 0, np.int64(state.ring) + PINS + 1
    for offset in range(state.players):
        player = seat_of(state, state.turn, offset)
        for pin in range(PINS):
            out[n] = (PINS * offset + pin) * places + place_of(state, player, pin)
            n += 1
    begin = np.int64(state.players) * PINS * places
    if state.die > 0:
        out[n] = begin + state.die - 1
        n += 1
    begin += SIDES
    for offset in range(state.players):
        player = seat_of(state, state.turn, offset)
        for i in range(SIDES):
            for k in range(state.hands[player, i]):
                out[n] = begin + COPIES * (SIDES * offset + i) + k
                n += 1
    if state.players < PLAYERS:
        out[n] = begin + np.int64(state.players) * SIDES * COPIES + state.turn
        n += 1
    return n


@inner
def seen_as(state: State, action: int) -> int:
    """The action itself; of pins at home, which all do the same, that of the first one."""
    if action == PASS or state.pins[state.own, action // SIDES] != HOME:
        return action
    first = 0
    while state.pins[state.own, first] != HOME:
        first += 1
    return SIDES * first + action % SIDES
