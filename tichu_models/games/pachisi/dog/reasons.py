"""Why an action of DOG is illegal."""

from __future__ import annotations

from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.pachisi.board import BLOCKING, HOME, NOWHERE, PINS, SEATS, is_own, start_of
from tichu_models.games.pachisi.dog.actions import (
    BACKS,
    CARDS,
    DISCARD,
    GIVE,
    LEAVING,
    SEVENS,
    SWAPS,
    Action,
    decode,
)
from tichu_models.games.pachisi.dog.notation import cells_in
from tichu_models.games.pachisi.dog.rules import EXCHANGE, mover
from tichu_models.games.pachisi.notation import why_no_move


def why_not(state: State, action: int) -> str:
    """Why an action is illegal."""
    if mover(state) == OVER:
        return "the game is over"
    if mover(state) == CHANCE:
        return "cards have to be dealt first"
    try:
        found = decode(cells_in(state), action)
    except ValueError as error:
        return str(error)
    if (found.kind == GIVE) != (state.phase == EXCHANGE):
        return "a card has to be given to the partner" if state.phase == EXCHANGE else "no card is given now"
    if found.kind == DISCARD:
        return "a card can be played, and has to be"
    card = found.card if found.kind == GIVE else found.played
    if state.hands[state.turn, card] == 0:
        return f"{SEATS[state.turn]} has no {CARDS[card]}"
    if found.kind == SEVENS:
        return _why_no_seven(state, found)
    return _why_no_swap(state, found) if found.kind == SWAPS else _why_no_steps(state, found)


def _why_no_seven(state: State, found: Action) -> str:
    for pin in range(PINS):
        if found.split[pin] and state.pins[state.own, pin] == HOME:
            return f"pin {pin} is at home, and does not leave it with a 7"
    return "one of the pins may not go so far"


def _why_no_swap(state: State, found: Action) -> str:
    own, ring = int(state.own), int(state.ring)
    cell, other = int(state.pins[own, found.pin]), int(state.at[found.value])
    if not 0 <= cell < ring:
        return f"pin {found.pin} is not on the ring"
    if found.value >= ring or other == NOWHERE:
        return "there is no pin on the ring to swap with"
    if other // PINS == own:
        return "a pin is swapped with one of another player"
    if int(state.rules) & BLOCKING and cell == int(start_of(state, own)):
        return f"pin {found.pin} is on its own start, from which nobody is swapped"
    return f"{SEATS[other // PINS]}{other % PINS} is on its own start, from which nobody is swapped"


def _why_no_steps(state: State, found: Action) -> str:
    own = int(state.own)
    if state.pins[own, found.pin] != HOME:
        if found.kind == BACKS and not 0 <= state.pins[own, found.pin] < state.ring:
            return f"pin {found.pin} is not on the ring"
        return why_no_move(state, found.pin, found.value)
    if found.value not in LEAVING:
        return "a pin leaves home with 1|11, 13 or a joker only"
    if is_own(state, int(start_of(state, own)), own):
        return "a pin of its own is on the start"
    return f"pin {found.pin} may not leave home"
