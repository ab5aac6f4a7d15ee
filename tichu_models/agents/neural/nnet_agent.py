"""NNetAgent: the base of all players with a network; subclasses say how moves are scored.

The run's network answers plays. Other decisions are answered by the networks for them in the same folder of runs, or,
where there is none, by the rules of thumb: `by_rule` names these kinds, `answered_by` has the run of each kind or None.
Nothing is kept between two answers, and random draws depend on a view's key only: a batch gets the same answers as its
views one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

import numpy as np

from tichu_models.agents.choosing import Moves, moves_of, pick_bombs, pick_moves, pick_three
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
from tichu_models.rules.cards import ACE, DECK
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.state import LEFT, RIGHT

NETWORK_OF_KIND = {
    GRAND_CALL: "GrandNet",
    TICHU_CALL: "TichuNet",
    SMALL_CALL: "SmallTichuNet",
    SCHUPF: "SchupfNet",
    WISH: "WishNet",
    DRAGON_GIFT: "DragonNet",
    BOMB_THROW: "BombNet",
}
CALLED, FIRST_OUT = 0, 1  # outputs of the networks for announcements


class NNetAgent(Agent):
    """A player with a network. `others` are the networks for decisions other than plays, by kind of decision."""

    def __init__(
        self, name: str, network: Network, options: NNetOptions, others: Mapping[int, Network] | None = None
    ) -> None:
        self.name, self.network, self.options = name, network, options
        self.others = dict(others or {})
        runs = {PLAY: network, **self.others}
        self.answered_by = {KINDS[kind]: runs[kind].name if kind in runs else None for kind in (PLAY, *NETWORK_OF_KIND)}
        self.by_rule = tuple(kind for kind, run in self.answered_by.items() if run is None)
        self.past = max(each.spec.history for each in (network, *self.others.values()))
        self._rules, self._buffer = HeuristicAgent(), new_buffer()

    @abstractmethod
    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The score of each legal move, float64 (m,): the highest is played."""

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
        outputs = self.others[kind].answers(views)
        return ANSWERS[kind](self, views, outputs)

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
        chosen = np.empty(len(views), dtype=np.int64)
        options = self.options
        scores = self.scores(views, moves, **extras)
        pick_moves(views, *moves, scores, float(options.temperature), options.top_k, options.seed, chosen)
        choices[open_] = chosen
        return choices

    def _announce(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """1 to announce: if a person would, or if the chance to go out first reaches the option `announce`."""
        least = self.options.announce
        if least is None:
            return (outputs[:, CALLED] >= 0).astype(np.int64)
        return (1 / (1 + np.exp(-outputs[:, FIRST_OUT].astype(np.float64))) >= least).astype(np.int64)

    def _give(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The three cards that are most likely together."""
        choices = np.empty(len(views), dtype=np.int64)
        pick_three(views, outputs, choices)
        return choices

    def _wish(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The likeliest rank, or none."""
        place = outputs.argmax(1)
        return np.where(place + 2 <= ACE, place + 2, 0)

    def _give_dragon(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The likelier opponent."""
        return np.where(outputs.argmax(1) == 0, RIGHT, LEFT).astype(np.int64)

    def _throw(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The lowest bomb, if a person would throw one."""
        choices = np.empty(len(views), dtype=np.int64)
        pick_bombs(views, outputs[:, 0] >= 0, self._buffer, choices)
        return choices


ANSWERS: dict[int, Callable[[NNetAgent, np.ndarray, np.ndarray], np.ndarray]] = {
    GRAND_CALL: NNetAgent._announce,
    TICHU_CALL: NNetAgent._announce,
    SMALL_CALL: NNetAgent._announce,
    SCHUPF: NNetAgent._give,
    WISH: NNetAgent._wish,
    DRAGON_GIFT: NNetAgent._give_dragon,
    BOMB_THROW: NNetAgent._throw,
}
