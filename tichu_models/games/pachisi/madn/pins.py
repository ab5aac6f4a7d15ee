"""MADN as networks see it that imagine what an action does: every pin by itself, on its own way.

An input for each pin and place, so that an action changes few of them: of the pin that moves, of one that is hit, and
of a card. When another player moves, the inputs of the players change places. With two or three players it also says
whose turn it is: how far the ways of two players are apart depends on which of them moves. The layout follows the
options of a game: it has no room for larger boards.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import AT_PLAYERS, AT_RULES, DICE, HOME, PINS, PLAYERS
from tichu_models.games.pachisi.madn.rules import COPIES, PASS, SIDES
from tichu_models.games.pachisi.places import first_after_places, places_of, write_places
from tichu_models.games.pachisi.views import seat_of
from tichu_models.kernels import inlined, inner

MOST_ACTIVE = PLAYERS * PINS + 2 + PLAYERS * SIDES * COPIES


def inputs_of(options: np.ndarray) -> int:
    """How many inputs a game by these options has."""
    players = int(options[AT_PLAYERS])
    return places_of(options) + SIDES + players * SIDES * COPIES + (players if players < PLAYERS else 0)


def outcomes_of(options: np.ndarray) -> int:
    """How many outcomes a throw has."""
    return SIDES if int(options[AT_RULES]) & DICE else 0


@inlined
def outcome_of(state: State) -> int:
    """The number of what has been thrown."""
    return state.die - 1


@inner
def features(state: State, out: np.ndarray) -> int:
    """The place of each pin, the die by number, cards as many ones as there are, the player on turn; players in the
    order of turns from that one on."""
    n, begin = write_places(state, out), first_after_places(state)
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
