"""MCTSAgent: thinks ahead on deals that may be the true one, led by another player's policy (concept 2.1.4).

For every play with a choice it supposes a number of deals (`beliefs`), grows a tree on each (`tree`) and sums up what
is found at the roots, each deal weighed by how likely the policy would have played there what was played. Trees of many
deals and tables grow side by side, so that networks are asked large batches. All other decisions are the policy's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tichu_models.agents.choosing import Moves, moves_of, softmax
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.options import SearchOptions
from tichu_models.observation.transcript import RETRACE_OPTIONS, RETRACING
from tichu_models.observation.view import VIEW
from tichu_models.players.base import Agent, Opinion
from tichu_models.rules.asking import ASK_PLAY, PLAY, POSITION
from tichu_models.rules.cards import DECK
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import STATE
from tichu_models.search.beliefs import KNOWN, draw_deals, likelihood_of
from tichu_models.search.tree import EDGE, NODE, SEARCH_OPTIONS, SEARCH_SCRATCH, TREE, expand, root_statistics, select

TREES_AT_ONCE = 512
USUAL_SIMULATIONS = 512
SOLVER_LIMIT = 20_000
TURNS_LOOKED_AT = 32  # of the others, the latest ones, in how likely a deal is
MOST_NODES = 2048  # of a tree that grows as long as there is time
SPARE_NODES = 16  # for questions about bombs and the Dragon, which cost no simulation
LEAST_SHARE = 0.001  # nobody plays quite like a network: what it thinks impossible happens now and then

Judge = Callable[[np.ndarray], np.ndarray]  # views -> points / 100 by which the own team will win


class Supposed(NamedTuple):
    """Deals that may be the true one, and what the others have played in each when there was a choice."""

    states: np.ndarray  # STATE that a deal leads to
    tries: np.ndarray  # how many were drawn for it; 0: no deal
    turns: np.ndarray  # VIEW of each play of the others, deal by deal
    cards: np.ndarray  # what was played
    counts: np.ndarray  # of each deal


class MCTSAgent(Agent):
    """A player who searches; `judge` says what a position is worth, or None for games played out by rules."""

    def __init__(self, name: str, policy: NNetAgent, judge: Judge | None, options: SearchOptions) -> None:
        self.name, self.policy, self.judge, self.options = name, policy, judge, options
        self.past, self.by_rule, self.answered_by = policy.past, policy.by_rule, policy.answered_by
        self.wants = ("transcripts", "hands") if options.open else ("transcripts",)
        self.timed = options.seconds is not None
        self.deals = 1 if options.open else options.deals
        self._known, self._scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
        self._scratch_of_trees, self._position = np.zeros(1, dtype=SEARCH_SCRATCH)[0], np.zeros(1, dtype=POSITION)
        self._rules = np.zeros(1, dtype=SEARCH_OPTIONS)[0]
        for field in ("exploration", "caution", "width", "solve"):
            self._rules[field] = getattr(options, field)
        self._rules["limit"], self._rules["even"] = SOLVER_LIMIT, options.root == "even"

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One choice for each view."""
        if kind != PLAY:
            return self.policy.decide(kind, views)
        moves = moves_of(views)
        ends = moves.counts.cumsum()
        choices = moves.plays[ends - 1] & DECK
        open_ = np.flatnonzero(moves.counts > 1)
        at_once = 1 if self.timed else max(1, TREES_AT_ONCE // self.deals)
        for begin in range(0, len(open_), at_once):
            part = open_[begin : begin + at_once]
            choices[part] = self._search(views[part], {name: each[part] for name, each in extras.items()})
        return choices

    def _search(self, views: np.ndarray, extras: dict[str, np.ndarray]) -> np.ndarray:
        moves, visits, values = self.consider(views, **extras)
        choices = np.empty(len(views), dtype=np.int64)
        ends = moves.counts.cumsum()
        for i, (begin, end) in enumerate(zip(ends - moves.counts, ends, strict=True)):
            tried = visits[begin:end] > 0
            worth = np.where(tried, values[begin:end], -np.inf)
            order = (worth, visits[begin:end]) if self.options.by == "visits" else (visits[begin:end], worth)
            best = np.lexsort(order)[-1]
            choices[i] = moves.plays[begin + best] & DECK
        return choices

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion:
        """What each play is worth, and how often it was tried; those that were not come last."""
        moves, visits, values = self.consider(views, **extras)
        return Opinion(moves.plays, np.where(visits > 0, values, -np.inf), VALUE_UNIT * values, visits)

    def consider(self, views: np.ndarray, **extras: np.ndarray) -> tuple[Moves, np.ndarray, np.ndarray]:
        """The legal moves of plays with a choice, and for each how much it was tried and what it is worth, in
        points / 100 by which the own team would win."""
        started = time.monotonic()
        states, weights = self._deals(views, extras)
        options, count = self.options, len(states)
        steps = max(1, -(-(options.simulations or USUAL_SIMULATIONS) // self.deals))
        room = (MOST_NODES if self.timed else steps) + SPARE_NODES
        trees = np.zeros(count, dtype=TREE)
        nodes, edges = np.zeros((count, room), dtype=NODE), np.zeros((count, room * options.width), dtype=EDGE)
        trees["nodes"] = weights > 0
        nodes["position"]["state"][:, 0] = states
        nodes["position"]["phase"][:, 0] = ASK_PLAY
        nodes["position"]["kind"][:, 0] = PLAY
        nodes["position"]["seat"][:, 0] = np.repeat(views["seat"], self.deals)
        leaves = np.zeros(count, dtype=VIEW)
        step = 0
        while self._goes_on(step, steps, started, len(views)):
            waiting = select(trees, nodes, edges, self._rules, self._scratch_of_trees, leaves)
            if waiting:
                self._judge(trees, nodes, edges, leaves[:waiting])
            step += 1
        moves = moves_of(views)
        visits, values = np.empty(len(moves.plays)), np.empty(len(moves.plays))
        root_statistics(trees, nodes, edges, weights, self.deals, *moves, visits, values)
        return moves, visits, values

    def _goes_on(self, step: int, steps: int, started: float, decisions: int) -> bool:
        """The first step only opens the roots."""
        if self.options.seconds is None:
            return step <= steps
        return step <= 1 or time.monotonic() - started < self.options.seconds * decisions

    def _judge(self, trees: np.ndarray, nodes: np.ndarray, edges: np.ndarray, leaves: np.ndarray) -> None:
        moves = moves_of(leaves)
        priors = np.empty(len(moves.plays))
        softmax(self.policy.likelihoods(leaves, moves), moves.counts, priors)
        if self.judge is None:
            from tichu_models.search.rollout import roll_out

            values = np.empty(len(leaves))
            roll_out(
                trees, nodes, self._position, self._scratch_of_trees["seen"], self._scratch_of_trees["plays"], values
            )
        else:
            values = self.judge(leaves).astype(np.float64)
        expand(trees, nodes, edges, self._rules, *moves, priors, values)

    def _deals(self, views: np.ndarray, extras: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The states of supposed deals, so many for each view, and how much each of them counts."""
        supposed = self.suppose(views, extras["transcripts"], self.deals, extras.get("hands"))
        weights = (supposed.tries > 0).astype(np.float64)
        if self.options.trust and len(supposed.turns):
            logs = np.where(weights > 0, self.options.trust * self.likelihoods(supposed), -np.inf)
            highest = logs.reshape(-1, self.deals).max(1)
            weights = np.exp(logs - np.repeat(np.where(np.isfinite(highest), highest, 0), self.deals))
        sums = weights.reshape(-1, self.deals).sum(1)
        return supposed.states, weights * np.repeat(self.deals / np.where(sums > 0, sums, 1), self.deals)

    def suppose(
        self, views: np.ndarray, transcripts: np.ndarray, deals: int, hands: np.ndarray | None = None
    ) -> Supposed:
        """So many deals for each view; with the true hands, if they are given."""
        n = len(views) * deals
        wanted = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
        wanted["open"] = wanted["strict"] = 1
        wanted["past"] = self.past
        found = Supposed(
            np.zeros(n, dtype=STATE),
            np.zeros(n, dtype=np.int64),
            np.zeros(n * TURNS_LOOKED_AT, dtype=VIEW),
            np.zeros(n * TURNS_LOOKED_AT, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
        )
        no_bombs = self.options.no_bombs and hands is None
        hands = np.zeros((len(views), 4), dtype=np.int64) if hands is None else hands
        made = draw_deals(
            *(views, transcripts, hands, self.options.seed, deals, no_bombs, wanted),
            *(self._known, self._scratch, *found),
        )
        return found._replace(turns=found.turns[:made], cards=found.cards[:made])

    def likelihoods(self, supposed: Supposed) -> np.ndarray:
        """How likely the policy would have played what was played, as a logarithm for each deal."""
        moves = moves_of(supposed.turns)
        shares = np.empty(len(moves.plays))
        softmax(self.policy.likelihoods(supposed.turns, moves), moves.counts, shares)
        found = np.empty(len(supposed.counts))
        likelihood_of(*moves, np.log(np.maximum(shares, LEAST_SHARE)), supposed.cards, supposed.counts, found)
        return found
