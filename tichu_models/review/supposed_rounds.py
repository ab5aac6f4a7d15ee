"""The kernels of the judge, apart from the players that it asks: an edit of a player compiles nothing here.

Which plays differ in colours only, where a round begins, and what is still to be dealt or asked in a supposed round.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.kernels import kernel
from tichu_models.observation.view import see
from tichu_models.rules.asking import ALL_KINDS, ASK_GRAND, GRAND_CALL, next_question
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, NUM_CARDS, rank_counts
from tichu_models.rules.legal import Plays, has_bomb
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    FIRST_SIZE,
    GRAND,
    HAND_SIZE,
    NO_CALL,
    begin_round,
    call,
)
from tichu_models.search.beliefs import DRAW_OF_DEALS

SPECIAL_CARDS = 15  # their bits in a mask
DRAW_OF_PLAYOUTS = 4  # counter of a decision's key for the keys of its playouts
EARLIER_SEATS = 1 << 20  # first counter of a playout's key for the seats asked before, above those of its plies


@kernel
def kin_of_plays(hands: np.ndarray, plays: np.ndarray, counts: np.ndarray, kin: np.ndarray) -> None:
    """A number for each play, equal for plays of a decision that differ in colours only."""
    at = 0
    for i in range(len(counts)):
        matters = has_bomb(hands[i])
        for k in range(at, at + counts[i]):
            cards = plays[k] & DECK
            kin[k] = cards if matters else rank_counts(cards) & ~SPECIAL_CARDS | cards & SPECIAL_CARDS
        at += counts[i]


@kernel
def begin_rounds(rows: np.ndarray, before: np.ndarray, positions: np.ndarray) -> None:
    """The beginning of each round, four times: as each seat is asked for a grand Tichu."""
    for i in range(len(rows)):
        row, score = rows[i], before[i]
        for seat in range(4):
            position = positions[4 * i + seat]
            totals = score.total[0], score.total[1], score.last[0], score.last[1]
            begin_round(position.state, row.first, row.start, totals[0], totals[1], totals[2], totals[3])
            position.seat, position.kind, position.phase = seat, GRAND_CALL, ASK_GRAND


@kernel
def deal_unknown(
    views: np.ndarray, phases: np.ndarray, seed: int, first_deal: int, deals: int, positions: np.ndarray
) -> None:
    """Positions at the beginning of a phase before the play. The seat of a view has its cards, the others any; of the
    announcements those are made that the view has seen."""
    first, start = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int64)
    deck = np.empty(NUM_CARDS, dtype=np.int64)
    for i in range(len(views)):
        view = views[i]
        for d in range(i * deals, (i + 1) * deals):
            key = draw(draw(view.key, DRAW_OF_DEALS), seed << 16 | (first_deal + d - i * deals))
            left = 0
            for index in range(NUM_CARDS):
                if CARD_OF_INDEX[index] & view.hand == 0:
                    deck[left] = CARD_OF_INDEX[index]
                    left += 1
            for other in range(4):
                seat = (view.seat + other) & 3
                held = view.count[seat] if other == 0 else 0
                first[seat] = start[seat] = view.hand if other == 0 else 0
                for dealt in range(held, HAND_SIZE):
                    chosen = draw_below(key, left, left)
                    card = deck[chosen]
                    left -= 1
                    deck[chosen] = deck[left]
                    start[seat] |= card
                    if dealt < FIRST_SIZE:
                        first[seat] |= card
            position = positions[d]
            state = position.state
            begin_round(state, first, start, view.total[0], view.total[1], view.last[0], view.last[1])
            for seat in range(4):
                if view.call[seat] != NO_CALL:
                    call(state, seat, CALLED_GRAND if view.call[seat] == GRAND else CALLED_BEFORE_PLAY)
            position.phase = phases[i]
            position.asked = 0


@kernel
def ask_earlier_seats(
    positions: np.ndarray, seats: np.ndarray, keys: np.ndarray, plays: Plays, who: np.ndarray, views: np.ndarray
) -> int:
    """Moves positions to their next question, and returns in how many another seat is asked than the one of `seats`:
    they are the first in `who`, their views in `views`."""
    n = 0
    for i in range(len(positions)):
        position = positions[i]
        kind = next_question(position, ALL_KINDS, plays)
        if position.seat != seats[i]:
            see(position.state, position.seat, kind, draw(keys[i], EARLIER_SEATS + position.asked), views[n])
            who[n] = i
            n += 1
    return n


@kernel
def keys_of_playouts(views: np.ndarray, seed: int, first_deal: int, deals: int, keys: np.ndarray) -> None:
    """The key of each deal's playouts, the same for all answers."""
    for i in range(len(views)):
        for d in range(deals):
            keys[i * deals + d] = draw(draw(views[i].key, DRAW_OF_PLAYOUTS), seed << 16 | (first_deal + d))


@kernel
def fill_gaps(weights: np.ndarray, positions: np.ndarray) -> None:
    """Puts another deal of the decision in the place of one that was not found. It keeps its weight of 0."""
    for i in range(len(weights)):
        deals = weights.shape[1]
        found = 0
        while found < deals and weights[i, found] == 0:
            found += 1
        for d in range(deals):
            if weights[i, d] == 0 and found < deals:
                positions[i * deals + d] = positions[i * deals + found]
