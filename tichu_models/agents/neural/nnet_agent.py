"""NNetAgent: the base of all players with networks.

A network scores plays, and the best one is played. Networks for other decisions answer those; where there is none, the
rules of thumb do: `by_rule` names these kinds, `answered_by` has the run of each kind or None. Subclasses say how moves
are scored and how the other networks are asked. Nothing is kept between two answers, and random draws depend on a
view's key only: a batch gets the same answers as its views one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from tichu_models.agents.choosing import Moves, moves_of, pick_answers
from tichu_models.agents.neural.network import Network
from tichu_models.agents.options import NNetOptions
from tichu_models.players.base import Agent, Opinion
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.rules.asking import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    KINDS,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
)
from tichu_models.rules.cards import DECK

OTHER_KINDS = (GRAND_CALL, TICHU_CALL, SMALL_CALL, SCHUPF, WISH, DRAGON_GIFT, BOMB_THROW)  # than plays


class NNetAgent(Agent):
    """A player with a network. `others` are the networks for decisions other than plays, by kind of decision."""

    def __init__(
        self, name: str, network: Network, options: NNetOptions, others: Mapping[int, Network] | None = None
    ) -> None:
        self.name, self.network, self.options = name, network, options
        self.others = dict(others or {})
        runs = {PLAY: network, **self.others}
        self.answered_by = {KINDS[kind]: runs[kind].name if kind in runs else None for kind in (PLAY, *OTHER_KINDS)}
        self.by_rule = tuple(kind for kind, run in self.answered_by.items() if run is None)
        self.past = max(each.spec.history for each in (network, *self.others.values()))
        self._rules = HeuristicAgent()

    @abstractmethod
    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The score of each legal move, float64 (m,): the highest is played."""

    @abstractmethod
    def answer(self, kind: int, views: np.ndarray) -> np.ndarray:
        """One answer for each view to a question other than a play, by the network for it."""

    def likelihoods(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The log-likelihood of each legal move (m,), up to a constant of its decision."""
        return self.scores(views, moves, **extras)

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion:
        """The score of every legal play."""
        moves = moves_of(views)
        return Opinion(moves.plays, np.asarray(self.scores(views, moves, **extras), dtype=float))

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view."""
        if kind == PLAY:
            return self._play(views, extras)
        if kind not in self.others:
            return self._rules.decide(kind, views)
        return self.answer(kind, views)

    def _play(self, views: np.ndarray, extras: Mapping[str, np.ndarray]) -> np.ndarray:
        """The cards to play. The network is asked only where there is a choice."""
        moves = moves_of(views)
        ends = moves.counts.cumsum()
        choices = moves.plays[ends - 1] & DECK
        open_ = np.flatnonzero(moves.counts > 1)
        if len(open_) == 0:
            return choices
        if len(open_) < len(views):
            views, extras = views[open_], {name: each[open_] for name, each in extras.items()}
            moves = Moves(moves.plays[np.repeat(moves.counts > 1, moves.counts)], moves.counts[open_])
        choices[open_] = self.choose(views, moves, self.scores(views, moves, **extras)) & DECK
        return choices

    def choose(self, views: np.ndarray, moves: Moves, scores: np.ndarray, pick: int = 0) -> np.ndarray:
        """The best answer to each question, or one that is drawn, as the options say. `pick` is that of schupfen."""
        chosen, options = np.empty(len(views), dtype=np.int64), self.options
        pick_answers(views, *moves, scores, float(options.temperature), options.top_k, options.seed, pick, chosen)
        return chosen
