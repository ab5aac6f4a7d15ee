"""The judge: tries answers on supposed deals, which the referee plays on to the end of the round.

All answers to a decision are tried on the same deals with the same random numbers. A first look at a few deals, and a
second one at some more, find the decisions that may have cost something; only these are judged, on other and many more
deals. Values are points by which the own team wins the round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.players.base import Agent
from tichu_models.review.answers import Tried, answers_tried
from tichu_models.review.losses import GIVEN, Loss, loss_of, may_cost
from tichu_models.review.referee import who_plays_on
from tichu_models.review.repeated import missed_once, taken_later
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.supposing import Supposer
from tichu_models.rules.asking import POSITION, SCHUPF
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.paired import gains
from tichu_models.search.playouts import Playouts, branch

POSITIONS_AT_ONCE = 16384
# A look drops a decision unless another answer may be better by so many points: within so many standard errors of the
# gain that it has seen. The first look has seen little, and must not drop what costs much.
LEAST_POINTS, ERRORS_OF_LOOKS = 15.0, (1.5, 0.5)
LEAST_DEALS = 8  # a decision for which fewer deals are found is left out


@dataclass(frozen=True)
class Judged:
    """Open decisions and what was found at each."""

    decisions: np.ndarray  # LOGGED
    tried: Tried
    values: list[np.ndarray]  # of each decision, (answers, deals): points by which the own team wins
    weights: list[np.ndarray]  # of each decision's deals, 0 where none was found
    losses: list[Loss]
    again: np.ndarray  # bool: whether it was judged on other deals after both looks

    def loss(self, i: int) -> float:
        """What the i-th decision cost, 0 where no difference is seen."""
        return self.losses[i].seen if self.again[i] else 0.0

    def is_certain(self, i: int) -> bool:
        """Whether the i-th decision surely cost something."""
        return bool(self.again[i]) and self.losses[i].sure


class Judge:
    """Judges decisions. Threads must not share it: it has buffers."""

    def __init__(self, agent: Agent, settings: JudgeSettings) -> None:
        """Raises RefereeError if the agent cannot play supposed deals on."""
        self.player, self.settings = who_plays_on(agent), settings
        self.simulations = 0  # playouts so far
        self.playouts = Playouts(self.player, most_solved=settings.solve, calls=True)
        self.supposer = Supposer(self.playouts, settings.seed)

    def judge(self, decisions: np.ndarray, chosen: np.ndarray) -> Judged:
        """Judges those of the chosen decisions that are open. `decisions` (LOGGED) are all of some rounds, `chosen` is
        an array of bool."""
        settings = self.settings
        decisions = decisions[chosen & ~taken_later(decisions)]
        tried = answers_tried(self.player, decisions, settings.width, settings.least)
        open_ = np.flatnonzero(tried.counts > 1)
        decisions, tried = decisions[open_], tried.of(open_)
        values, weights = self.values(decisions, tried, settings.deals, 0)
        gained = np.array([gains(*each, GIVEN).means.max() for each in zip(values, weights, strict=True)])
        kept = missed_once(decisions, gained)
        kept = kept[[(weights[i] > 0).sum() >= LEAST_DEALS for i in kept]]
        none = np.zeros(len(kept), dtype=bool)
        found = [values[i] for i in kept], [weights[i] for i in kept]
        return self._look_closer(decisions[kept], tried.of(kept), *found, none)

    def judge_these(self, decisions: np.ndarray, tried: Tried, closer: np.ndarray | None = None) -> Judged:
        """Judges these decisions by these answers, each for itself. `closer` (bool) says which to look closer at even
        if they do not seem to have cost anything."""
        closer = np.zeros(len(decisions), dtype=bool) if closer is None else closer
        found = self.values(decisions, tried, self.settings.deals, 0)
        return self._look_closer(decisions, tried, *found, closer)

    def _look_closer(
        self,
        decisions: np.ndarray,
        tried: Tried,
        values: list[np.ndarray],
        weights: list[np.ndarray],
        closer: np.ndarray,
    ) -> Judged:
        """The second look and the judgement, by what the first look has found (`values`, `weights`)."""
        left = np.ones(len(decisions), dtype=bool)
        for look, (deals, first) in enumerate(self.settings.closer_looks):
            may = [may_cost(*each, LEAST_POINTS, ERRORS_OF_LOOKS[look]) for each in zip(values, weights, strict=True)]
            left &= closer | np.array(may, dtype=bool)
            rows = np.flatnonzero(left)
            new = self.values(decisions[rows], tried.of(rows), deals, first)
            for i, of_values, of_weights in zip(rows, *new, strict=True):
                kept = slice(None) if look == 0 else slice(0)  # a loss is measured by new deals alone
                values[i] = np.hstack([values[i][:, kept], of_values])
                weights[i] = np.hstack([weights[i][kept], of_weights])
        losses = [loss_of(*each) for each in zip(values, weights, strict=True)]
        return Judged(decisions, tried, values, weights, losses, left)

    def values(
        self, decisions: np.ndarray, tried: Tried, deals: int, first: int
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The value of each answer on each deal, and the deals' weights, of each decision. `first` is the number of the
        first deal: other numbers give other deals."""
        values, weights = [np.zeros((n, deals)) for n in tried.counts], [np.zeros(deals) for _ in tried.counts]
        before_play = decisions["seen"]["kind"] <= SCHUPF
        for rows in (np.flatnonzero(before_play), np.flatnonzero(~before_play)):
            at_once = max(1, POSITIONS_AT_ONCE // (deals * int(tried.counts.max(initial=1))))
            for begin in range(0, len(rows), at_once):
                part = rows[begin : begin + at_once]
                for i, *found in zip(part, *self._try(decisions[part], tried.of(part), deals, first), strict=True):
                    values[i], weights[i] = found
        return values, weights

    def _try(self, decisions: np.ndarray, tried: Tried, deals: int, first: int) -> tuple[list[np.ndarray], np.ndarray]:
        """As `values`, of few decisions, which are all before the play or all in it."""
        supposed = self.supposer.deals(decisions, deals, first)
        positions = np.zeros(len(tried.answers) * deals, dtype=POSITION)
        branch(supposed.positions, tried.answers, tried.counts, deals, positions)
        keys = supposed.keys.reshape(len(decisions), deals).repeat(tried.counts, axis=0)
        team_20 = VALUE_UNIT * self.playouts.play(positions, keys.ravel()).reshape(-1, deals)
        self.simulations += len(positions)
        signs = np.repeat(1 - 2 * (decisions["seen"]["seat"].astype(np.int64) & 1), tried.counts)
        values = team_20 * signs[:, None]
        return np.split(values, tried.counts.cumsum()[:-1]), supposed.weights
