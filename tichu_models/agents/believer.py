"""Believer: the deals that a player who searches supposes, by what its seat knows, and how much it trusts each.

Deals are drawn by `search.beliefs`: all that agree with what the seat knows are equally likely. With `trust`, a deal
weighs the more the better a policy explains what the others played there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.agents.choosing import moves_of, softmax
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.observation.transcript import RETRACE_OPTIONS, RETRACING
from tichu_models.observation.view import VIEW
from tichu_models.rules.state import STATE
from tichu_models.search.beliefs import KNOWN, draw_deals, likelihood_of

TURNS_LOOKED_AT = 32  # latest turns of the others that count in the likelihood of a deal
LEAST_SHARE = 0.001  # least probability of a play: people do now and then what a network finds impossible


class Beliefs(NamedTuple):
    """Deals that agree with what each view knows, and what the others have played in each when they had a choice."""

    states: np.ndarray  # STATE: the present state of each deal
    tries: np.ndarray  # how many deals were proposed for it; 0 if none fitted
    turns: np.ndarray  # VIEW: what the others saw at their turns, end to end
    cards: np.ndarray  # what they played there
    counts: np.ndarray  # turns of each deal


class Believer:
    """Draws deals, and weighs them by a policy. Threads must not share it: it has buffers."""

    def __init__(self, policy: NNetAgent, seed: int = 0, no_bombs: bool = False) -> None:
        self.policy, self.seed, self.no_bombs = policy, seed, no_bombs
        self._known, self._scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
        self._options = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
        self._options["open"] = self._options["strict"] = 1
        self._options["past"] = policy.past

    def weighted(
        self,
        views: np.ndarray,
        transcripts: np.ndarray,
        deals: int,
        hands: np.ndarray | None = None,
        first: int = 0,
        trust: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The present states of `deals` deals for each view, and the weight of each; their mean is 1, and that of a
        deal that was not found is 0."""
        beliefs = self.draw(views, transcripts, deals, hands, first, TURNS_LOOKED_AT if trust else 0)
        weights = (beliefs.tries > 0).astype(np.float64)
        if trust and len(beliefs.turns):
            logs = np.where(weights > 0, trust * self.likelihoods(beliefs), -np.inf)
            highest = logs.reshape(-1, deals).max(1)
            weights = np.exp(logs - np.repeat(np.where(np.isfinite(highest), highest, 0), deals))
        sums = weights.reshape(-1, deals).sum(1)
        return beliefs.states, weights * np.repeat(deals / np.where(sums > 0, sums, 1), deals)

    def draw(
        self,
        views: np.ndarray,
        transcripts: np.ndarray,
        deals: int,
        hands: np.ndarray | None = None,
        first: int = 0,
        turns: int = TURNS_LOOKED_AT,
    ) -> Beliefs:
        """Draws `deals` deals for each view; with the true hands, if they are given. `first` is the number of the first
        deal: other numbers give other deals. So many latest turns of the others are kept."""
        n = len(views) * deals
        beliefs = Beliefs(
            np.zeros(n, dtype=STATE),
            np.zeros(n, dtype=np.int64),
            np.zeros(n * turns, dtype=VIEW),
            np.zeros(n * turns, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
        )
        no_bombs = self.no_bombs and hands is None
        hands = np.zeros((len(views), 4), dtype=np.int64) if hands is None else hands
        made = draw_deals(
            *(views, transcripts, hands, self.seed, first, deals, no_bombs, self._options),
            *(self._known, self._scratch, *beliefs),
        )
        return beliefs._replace(turns=beliefs.turns[:made], cards=beliefs.cards[:made])

    def likelihoods(self, beliefs: Beliefs) -> np.ndarray:
        """The log-likelihood of each deal: of the others' plays, if the policy had played their hands."""
        moves = moves_of(beliefs.turns)
        shares = np.empty(len(moves.plays))
        softmax(self.policy.likelihoods(beliefs.turns, moves), moves.counts, shares)
        likelihoods = np.empty(len(beliefs.counts))
        likelihood_of(*moves, np.log(np.maximum(shares, LEAST_SHARE)), beliefs.cards, beliefs.counts, likelihoods)
        return likelihoods
