"""Supposed deals of logged decisions, as positions in which the question is pending again.

In the play deals are drawn by the beliefs of a player who searches. Before it a seat knows its own cards and the
announcements that were made: all other cards are shuffled. There all four seats answer before anybody sees an answer;
the seats that are asked earlier are asked anew in every deal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tichu_models.agents.believer import Believer
from tichu_models.chance import draw, draw_below
from tichu_models.kernels import kernel
from tichu_models.observation.view import VIEW, see
from tichu_models.rules.asking import ALL_KINDS, POSITION, SCHUPF, next_question
from tichu_models.rules.cards import CARD_OF_INDEX, NUM_CARDS
from tichu_models.rules.legal import Plays, new_buffer
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
from tichu_models.search.playouts import Playouts, give_answers

DRAW_OF_PLAYOUTS = 4  # counter of a decision's key for the keys of its playouts
EARLIER_SEATS = 1 << 20  # first counter of a playout's key for the seats asked before, above those of its plies


class Supposed(NamedTuple):
    """Deals of some decisions, by decision, then by deal."""

    positions: np.ndarray  # POSITION: with the question pending
    weights: np.ndarray  # float64 (decisions, deals): 0 where no deal was found
    keys: np.ndarray  # uint64: of the random numbers of what follows


@kernel
def _deal_unknown(
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
def _ask_earlier_seats(
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
def _keys(views: np.ndarray, seed: int, first_deal: int, deals: int, keys: np.ndarray) -> None:
    """The key of each deal's playouts, the same for all answers."""
    for i in range(len(views)):
        for d in range(deals):
            keys[i * deals + d] = draw(draw(views[i].key, DRAW_OF_PLAYOUTS), seed << 16 | (first_deal + d))


@kernel
def _fill_gaps(weights: np.ndarray, positions: np.ndarray) -> None:
    """Puts another deal of the decision in the place of one that was not found. It keeps its weight of 0."""
    for i in range(len(weights)):
        deals = weights.shape[1]
        found = 0
        while found < deals and weights[i, found] == 0:
            found += 1
        for d in range(deals):
            if weights[i, d] == 0 and found < deals:
                positions[i * deals + d] = positions[i * deals + found]


class Supposer:
    """Supposes deals. Threads must not share it: it has buffers."""

    def __init__(self, playouts: Playouts, seed: int) -> None:
        player: Any = playouts.player  # asked for nothing: all deals weigh the same
        self.playouts, self.believer = playouts, Believer(player, seed)
        self._plays = new_buffer()

    def deals(self, decisions: np.ndarray, deals: int, first: int) -> Supposed:
        """So many deals of each decision, the one with number `first` first. Decisions are all before the play, or all
        in it."""
        views = np.ascontiguousarray(decisions["seen"])
        keys = np.empty(len(views) * deals, dtype=np.uint64)
        _keys(views, self.believer.seed, first, deals, keys)
        if (views["kind"] <= SCHUPF).all():
            return Supposed(self._before_play(decisions, views, deals, first, keys), np.ones((len(views), deals)), keys)
        transcripts = np.ascontiguousarray(decisions["transcript"])
        states, weights = self.believer.weighted(views, transcripts, deals, first=first)
        positions = np.zeros(len(states), dtype=POSITION)
        positions["state"] = states
        for name, each in (("seat", views["seat"]), ("kind", views["kind"])):
            positions[name] = np.repeat(each, deals)
        for name in ("phase", "asked"):
            positions[name] = np.repeat(decisions[name], deals)
        weights = weights.reshape(len(views), deals)
        _fill_gaps(weights, positions)
        return Supposed(positions, weights, keys)

    def _before_play(
        self, decisions: np.ndarray, views: np.ndarray, deals: int, first: int, keys: np.ndarray
    ) -> np.ndarray:
        """Positions before the play, in which the seats that are asked before have answered."""
        positions = np.zeros(len(views) * deals, dtype=POSITION)
        _deal_unknown(views, decisions["phase"].copy(), self.believer.seed, first, deals, positions)
        seats, who = np.repeat(views["seat"], deals), np.empty(len(positions), dtype=np.int64)
        seen = np.zeros(len(positions), dtype=VIEW)
        while n := _ask_earlier_seats(positions, seats, keys, self._plays, who, seen):
            give_answers(positions, who[:n], self.playouts.answers(seen[:n]))
        return positions
