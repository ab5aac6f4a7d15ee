"""What a game of DOG looks like to players: the numbers that a network reads, and what is hidden from a seat.

A seat knows its own hand, the cards that all have seen, those that it has discarded itself, and the one that it has
given to its partner. With `perfect_information` it sees all hands, and so what others discard.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import AT_RULES, MOST_CELLS, NOWHERE, OPEN, PLAYERS
from tichu_models.games.pachisi.dog.actions import KINDS
from tichu_models.games.pachisi.dog.rules import ALL_CARDS, COPIES, DEALS, EXCHANGE, MOST_HELD
from tichu_models.games.pachisi.views import (
    PLANES,
    SHARED,
    SHARED_INPUTS,
    features_of_board,
    observe_board,
    seat_of,
)
from tichu_models.kernels import inlined, inner

# After the shared numbers, how many each: exchange, cards in the pack, the next deal, who plays first, sizes of hands;
# by kind of card: the own hand, seen by all, discarded by the seat, given to the partner, and the hands of the others.
AT_EXCHANGE = SHARED
AT_DECK = AT_EXCHANGE + 1
AT_DEAL = AT_DECK + 1
AT_STARTER = AT_DEAL + len(DEALS)
AT_HELD = AT_STARTER + PLAYERS
AT_HAND = AT_HELD + PLAYERS
AT_PLAYED = AT_HAND + KINDS
AT_THROWN = AT_PLAYED + KINDS
AT_GAVE = AT_THROWN + KINDS
AT_OTHERS = AT_GAVE + KINDS
SCALARS = AT_OTHERS + (PLAYERS - 1) * KINDS
OBSERVATION = SCALARS + PLANES * MOST_CELLS
# Inputs of cards: likewise, as many ones as there are cards.
HAND_INPUTS = 0
GONE_INPUTS = HAND_INPUTS + KINDS * MOST_HELD
GAVE_INPUTS = GONE_INPUTS + KINDS * COPIES
SIZE_INPUTS = GAVE_INPUTS + KINDS
OTHER_INPUTS = SIZE_INPUTS + PLAYERS * MOST_HELD
EXCHANGE_INPUT = OTHER_INPUTS + (PLAYERS - 1) * KINDS * MOST_HELD
CARD_INPUTS = EXCHANGE_INPUT + 1
INPUTS = SHARED_INPUTS + CARD_INPUTS
MOST_ACTIVE = 16 + PLAYERS * MOST_HELD + ALL_CARDS + PLAYERS * MOST_HELD + 2


@inlined
def known_discards(state: State, seat: int, card: int) -> Any:
    """How many cards of a kind a seat knows to have been discarded."""
    if state.rules & OPEN == 0:
        return np.int64(state.thrown[seat, card])
    of_all = np.int64(0)
    for player in range(PLAYERS):
        of_all += state.thrown[player, card]
    return of_all


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """The numbers that both games have, those that are listed above, and the planes of pins."""
    observe_board(state, seat, out, SCALARS)
    out[AT_EXCHANGE] = np.float32(state.phase == EXCHANGE)
    out[AT_DEAL + state.deal] = 1.0
    left = 0
    for card in range(KINDS):
        left += state.deck[card]
        out[AT_HAND + card] = state.hands[seat, card] / np.float32(COPIES)
        out[AT_PLAYED + card] = state.played[card] / np.float32(COPIES)
        out[AT_THROWN + card] = known_discards(state, seat, card) / np.float32(COPIES)
    out[AT_DECK] = left / np.float32(ALL_CARDS)  # a sum of shares would be rounded by what the cards are
    if state.gave[seat] != NOWHERE:
        out[AT_GAVE + state.gave[seat]] = 1.0
    for offset in range(state.players):
        player = seat_of(state, seat, offset)
        out[AT_STARTER + offset] = np.float32(player == state.starter)
        out[AT_HELD + offset] = state.held[player] / np.float32(MOST_HELD)
        if offset > 0 and state.rules & OPEN:
            for card in range(KINDS):
                at = AT_OTHERS + KINDS * (offset - 1) + card
                out[at] = state.hands[player, card] / np.float32(COPIES)


@inlined
def _as_many(out: np.ndarray, n: int, first: int, number: int) -> int:
    for i in range(number):
        out[n] = first + i
        n += 1
    return n


@inner
def write_cards(state: State, begin: int, out: np.ndarray, n: int) -> int:
    """Adds cards of the own hand, cards that are gone as far as is known, sizes of hands, and, with open hands, those
    of the others, as many ones as there are; as the player on turn sees them. `begin` is the first input of them."""
    seat = state.turn
    for card in range(KINDS):
        n = _as_many(out, n, begin + HAND_INPUTS + MOST_HELD * card, np.int64(state.hands[seat, card]))
        gone = np.int64(state.played[card]) + known_discards(state, seat, card)
        n = _as_many(out, n, begin + GONE_INPUTS + COPIES * card, gone)
    if state.gave[seat] != NOWHERE:
        out[n] = begin + GAVE_INPUTS + state.gave[seat]
        n += 1
    for offset in range(state.players):
        player = seat_of(state, seat, offset)
        n = _as_many(out, n, begin + SIZE_INPUTS + MOST_HELD * offset, np.int64(state.held[player]))
        if offset > 0 and state.rules & OPEN:
            for card in range(KINDS):
                at = begin + OTHER_INPUTS + MOST_HELD * (KINDS * (offset - 1) + card)
                n = _as_many(out, n, at, np.int64(state.hands[player, card]))
    if state.phase == EXCHANGE:
        out[n] = begin + EXCHANGE_INPUT
        n += 1
    return n


@inner
def features(state: State, out: np.ndarray) -> int:
    """Pins by cell, and the cards."""
    return write_cards(state, np.int64(SHARED_INPUTS), out, features_of_board(state, out))


def open_hands(options: np.ndarray) -> np.ndarray:
    """The options with `perfect_information`."""
    opened = options.copy()
    opened[AT_RULES] |= OPEN
    return opened


def close(state: State) -> None:
    """Closes the hands again that `perfect_information` has opened."""
    state.rules &= ~OPEN


def hide(state: State, seat: int) -> None:
    """Takes from a state what a seat does not know: hidden cards of others go back to the pack, of which it knows no
    order. Sizes of hands stay."""
    state.key, state.draws = 0, 0
    for player in range(PLAYERS):
        if player == seat:
            continue
        if state.phase == EXCHANGE and state.gave[player] != NOWHERE:
            state.deck[state.gave[player]] += 1
        state.gave[player] = NOWHERE
        if not state.rules & OPEN:
            state.deck += state.thrown[player] + state.hands[player]
            state.thrown[player] = state.hands[player] = 0
