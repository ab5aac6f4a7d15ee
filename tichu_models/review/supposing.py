"""Supposed deals of logged decisions, as positions in which the question is pending again.

In the play deals are drawn by the beliefs of a player who searches. Before it a seat knows its own cards and the
announcements that were made: all other cards are shuffled. There all four seats answer before anybody sees an answer;
the seats that are asked earlier are asked anew in every deal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tichu_models.agents.believer import Believer
from tichu_models.observation.view import VIEW
from tichu_models.review.supposed_rounds import ask_earlier_seats, deal_unknown, fill_gaps, keys_of_playouts
from tichu_models.rules.asking import POSITION, SCHUPF
from tichu_models.rules.legal import new_buffer
from tichu_models.search.playouts import Playouts, give_answers


class Supposed(NamedTuple):
    """Deals of some decisions, by decision, then by deal."""

    positions: np.ndarray  # POSITION: with the question pending
    weights: np.ndarray  # float64 (decisions, deals): 0 where no deal was found
    keys: np.ndarray  # uint64: of the random numbers of what follows


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
        keys_of_playouts(views, self.believer.seed, first, deals, keys)
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
        fill_gaps(weights, positions)
        return Supposed(positions, weights, keys)

    def _before_play(
        self, decisions: np.ndarray, views: np.ndarray, deals: int, first: int, keys: np.ndarray
    ) -> np.ndarray:
        """Positions before the play, in which the seats that are asked before have answered."""
        positions = np.zeros(len(views) * deals, dtype=POSITION)
        deal_unknown(views, decisions["phase"].copy(), self.believer.seed, first, deals, positions)
        seats, who = np.repeat(views["seat"], deals), np.empty(len(positions), dtype=np.int64)
        seen = np.zeros(len(positions), dtype=VIEW)
        while n := ask_earlier_seats(positions, seats, keys, self._plays, who, seen):
            give_answers(positions, who[:n], self.playouts.answers(seen[:n]))
        return positions
