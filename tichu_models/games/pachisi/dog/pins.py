"""DOG as a policy over numbers of actions sees it: every pin by itself, on its own way, and cards as far as they are
known. A swap is numbered by its two pins, not by cells: the policy sees a pin on its own way and does not know its
cell. The layout follows the options of a game: it has no room for larger boards."""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import AT_PLAYERS, HOME, PINS, PLAYERS
from tichu_models.games.pachisi.dog import views
from tichu_models.games.pachisi.dog.actions import MOVES, STEPS, SWAPS, cells_of, kind_of, rest_of
from tichu_models.games.pachisi.places import first_after_places, places_of, write_places
from tichu_models.kernels import inlined, inner

MOST_ACTIVE = views.MOST_ACTIVE + 1


def inputs_of(options: np.ndarray) -> int:
    """How many inputs a game by these options has."""
    players = int(options[AT_PLAYERS])
    return places_of(options) + views.CARD_INPUTS + (players if players < PLAYERS else 0)


def outcomes_of(options: np.ndarray) -> int:
    """A deal is more than one of a few outcomes."""
    return 0


@inlined
def outcome_of(state: State) -> int:
    """None is numbered."""
    return 0


@inner
def features(state: State, out: np.ndarray) -> int:
    """The place of each pin, the cards, and with fewer than four players who is on turn."""
    begin = first_after_places(state)
    n = views.write_cards(state, begin, out, write_places(state, out))
    if state.players < PLAYERS:
        out[n] = begin + views.CARD_INPUTS + state.turn
        n += 1
    return n


@inlined
def _first_at_home(state: State) -> int:
    first = 0
    while state.pins[state.own, first] != HOME:
        first += 1
    return first


@inner
def seen_as(state: State, action: int) -> int:
    """The code of the action; of pins at home, which all do the same, that of the first one. In a swap the cell of the
    other pin is replaced by 4 * (turns until its player) + pin."""
    cells = np.int64(cells_of(state))
    kind, rest = kind_of(cells, action), rest_of(cells, action)
    if kind == SWAPS:
        other = np.int64(state.at[rest % cells])
        ahead = (other // PINS - state.turn) % state.players
        return action - rest % cells + PINS * ahead + other % PINS
    if kind == STEPS and state.pins[state.own, rest // len(MOVES)] == HOME:
        return action - len(MOVES) * (rest // len(MOVES) - _first_at_home(state))
    return action
