"""What the network of TD reads of a position of DOG after an action, as who made it sees it: what others hold is not
among it, unless hands are open. So it is the same in a state with nothing that the seat does not know. With open hands
it does not count the cards that are gone.

Whether a pin can be hit goes by the hands that are known; who has hidden cards may have any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import HOME, NOWHERE, OPEN, PINS, PLAYERS, TEAMS, TRAVERSE, goal_of, start_of
from tichu_models.games.pachisi.dog.actions import ACE, BACK, FOUR, JOKER_CARD, KINDS, LEAVING, SWAP_CARD, WHOLE_SEVEN
from tichu_models.games.pachisi.dog.rules import COPIES, DEALING, DEALS, EXCHANGE, MOST_HELD, PLAYING
from tichu_models.games.pachisi.exposure import (
    COUNTED,
    EXPOSURE_INPUTS,
    MOST_EXPOSED,
    OF_PLAYER,
    count_one,
    counted,
    is_enemy,
    kind_of_exposure,
    steps_to,
)
from tichu_models.games.pachisi.views import SHARED_INPUTS, write_pins
from tichu_models.kernels import inlined, inner

# What a hand can do with a pin, a bit each: bit s is to go s steps forward.
FARTHEST = 13
LEAVES, GOES_BACK = 1, 1 << (FARTHEST + 1)
ANY = 2 * GOES_BACK - 1
WITHIN_SEVEN = (2 << WHOLE_SEVEN) - 2
REACH_BITS = FARTHEST + 2
REACH_OF_CARD = np.array([1 << card for card in range(KINDS)], dtype=np.int64)
REACH_OF_CARD[JOKER_CARD], REACH_OF_CARD[SWAP_CARD] = ANY, 0
REACH_OF_CARD[ACE] = 1 << 1 | 1 << ACE | LEAVES
REACH_OF_CARD[FOUR] |= GOES_BACK
REACH_OF_CARD[max(LEAVING)] |= LEAVES
LATER, NEXT = 1, 2  # degrees of exposure: to who acts later, or next
# Inputs after those of the pins, for each player, the one who has acted first: cards by kind, how many in all, whether
# it can leave home, and how many pins can come in, as many ones as there are. Then who acts next, cards that are gone,
# the one that was given, the phase and the next deal; and where pins can be hit.
HAND_INPUTS = SHARED_INPUTS
SIZE_INPUTS = HAND_INPUTS + PLAYERS * KINDS * MOST_HELD
LEAVE_INPUTS = SIZE_INPUTS + PLAYERS * MOST_HELD
COME_INPUTS = LEAVE_INPUTS + PLAYERS
NEXT_INPUTS = COME_INPUTS + PLAYERS * PINS
GONE_INPUTS = NEXT_INPUTS + PLAYERS
GAVE_INPUTS = GONE_INPUTS + KINDS * COPIES
PHASE_INPUTS = GAVE_INPUTS + KINDS
DEAL_INPUTS = PHASE_INPUTS + EXCHANGE + 1
EXPOSED_INPUTS = DEAL_INPUTS + len(DEALS)
INPUTS = EXPOSED_INPUTS + EXPOSURE_INPUTS
MOST_ACTIVE = PLAYERS * (PINS + 2 * MOST_HELD + 1 + PINS) + 1 + KINDS * COPIES + 3 + MOST_EXPOSED


@inlined
def knows(state: State, seat: int, player: int) -> bool:
    """Whether a seat knows a player's hand."""
    return player == seat or state.rules & OPEN != 0


@inlined
def is_fresh(state: State) -> bool:
    """Whether cards have just changed hands: who has acted last does not know what came for the one it gave."""
    if state.rules & TEAMS == 0 or state.phase != PLAYING or state.turn != state.starter:
        return False
    size, full = DEALS[(state.deal + len(DEALS) - 1) % len(DEALS)], True
    for player in range(state.players):
        full = full and state.held[player] == size
    return full


@inlined
def cards_of(state: State, player: int, card: int, fresh: bool) -> np.int64:
    """How many cards of a kind a player is known to have."""
    return np.int64(state.hands[player, card]) - (fresh and state.gave[player ^ 2] == card)


@inlined
def reach_of(state: State, seat: int, player: int, fresh: bool) -> int:
    """What a player's hand can do, as far as a seat knows. A card that goes back is not feared from hidden hands."""
    if not knows(state, seat, player):
        return GOES_BACK - 1 if state.held[player] > 0 else 0
    reach = 0
    for card in range(KINDS):
        if cards_of(state, player, card, fresh) > 0:
            reach |= REACH_OF_CARD[card]
    return reach


@inlined
def _may_hit(state: State, reach: int, pins_of: int, cell: int) -> bool:
    """Whether one of a player's pins may hit a pin on a cell of the ring. A seven passes pins and hits them."""
    if reach >> WHOLE_SEVEN & 1:
        reach |= WITHIN_SEVEN
    found = False
    for pin in range(PINS):
        from_ = state.pins[pins_of, pin]
        if from_ == HOME:
            found = found or (cell == start_of(state, pins_of) and reach & LEAVES != 0)
        elif from_ < state.ring:
            steps = steps_to(state, from_, cell)
            if steps <= FARTHEST:
                found = found or reach >> steps & 1 != 0
            elif state.ring - steps == BACK:
                found = found or reach & GOES_BACK != 0
    return found


@inlined
def _degree(state: State, reaches: int, player: int, cell: int) -> int:
    """How much a player's pin on a cell of the ring is exposed, 0 if not at all. `reaches` has those of all players."""
    degree = 0
    for other in range(state.players):
        if state.held[other] > 0 and is_enemy(state, player, other) and degree < NEXT:
            pins_of = other
            if state.rules & TEAMS and state.finished >> other & 1:
                pins_of = other ^ 2
            if _may_hit(state, reaches >> (REACH_BITS * other) & ANY, pins_of, cell):
                degree = NEXT if other == state.turn else LATER
    return degree


@inlined
def _coming(state: State, reach: int, player: int) -> int:
    """How many pins of a player on the ring come to a free cell of the goal by a card that it has."""
    goal, start, found = goal_of(state, player), start_of(state, player), 0
    through = (state.rules & TRAVERSE) != 0
    for pin in range(PINS):
        cell = state.pins[player, pin]
        if cell == HOME or cell >= state.ring:
            continue
        way = np.int64(cell) - start
        if way < 0:
            way += state.ring
        can = False
        for place in range(PINS):
            steps = state.ring + through + place - way
            if steps <= FARTHEST and state.at[goal + place] < 0:
                can = can or reach >> steps & 1 != 0
        found += can
    return found


@inlined
def _as_many(out: np.ndarray, n: int, first: int, number: Any) -> int:
    for i in range(number):
        out[n] = first + i
        n += 1
    return n


@inner
def _write_hand(state: State, player: int, offset: int, known: bool, reach: int, out: np.ndarray, n: int) -> int:
    """Adds a player's cards, and what they can do if they are known."""
    n = _as_many(out, n, SIZE_INPUTS + MOST_HELD * offset, np.int64(state.held[player]))
    if not known:
        return n
    fresh = is_fresh(state)
    for card in range(KINDS):
        number = cards_of(state, player, card, fresh)
        n = _as_many(out, n, HAND_INPUTS + MOST_HELD * (KINDS * offset + card), number)
    if reach & LEAVES:
        out[n] = LEAVE_INPUTS + offset
        n += 1
    return _as_many(out, n, COME_INPUTS + PINS * offset, _coming(state, reach, player))


@inner
def _write_exposed(state: State, reaches: int, player: int, offset: int, out: np.ndarray, n: int) -> int:
    counts = 0
    for pin in range(PINS):
        cell = state.pins[player, pin]
        if cell == HOME or cell >= state.ring:
            continue
        degree = _degree(state, reaches, player, cell)
        if degree > 0:
            kind = kind_of_exposure(state, player, cell, degree)
            same = counted(counts, kind)
            if same < COUNTED:
                out[n] = EXPOSED_INPUTS + OF_PLAYER * offset + COUNTED * kind + same
                n += 1
                counts = count_one(counts, kind)
    return n


@inner
def hands(state: State, out: np.ndarray) -> int:
    """All of it. Players are where their starts lie, a quarter of the ring from one to the next."""
    seat, n, reaches, fresh = np.int64(state.last), 0, np.int64(0), is_fresh(state)
    for each in range(state.players):
        reaches |= reach_of(state, seat, each, fresh) << (REACH_BITS * each)
    for offset in range(PLAYERS):
        player = (seat + offset) % PLAYERS
        if player < state.players:
            n = write_pins(state, seat, player, offset, out, n)
            reach = reaches >> (REACH_BITS * player) & ANY
            n = _write_hand(state, player, offset, knows(state, seat, player), reach, out, n)
            n = _write_exposed(state, reaches, player, offset, out, n)
    if state.phase != DEALING:
        out[n] = NEXT_INPUTS + (state.turn - seat) % PLAYERS
        n += 1
    if state.rules & OPEN == 0:
        for card in range(KINDS):
            gone = np.int64(state.played[card]) + state.thrown[seat, card]
            n = _as_many(out, n, GONE_INPUTS + COPIES * card, gone)
    if state.gave[seat] != NOWHERE:
        out[n] = GAVE_INPUTS + state.gave[seat]
        n += 1
    if state.phase != PLAYING:
        out[n] = PHASE_INPUTS + state.phase
        n += 1
    out[n] = DEAL_INPUTS + state.deal
    return n + 1
