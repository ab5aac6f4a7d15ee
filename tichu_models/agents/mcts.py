"""MCTSAgent: tree search over beliefs, with another agent's policy as prior (concept 2.1.4).

For every play with a choice it draws deals that agree with what the seat knows (`search.beliefs`), searches a tree on
each of them (`search.tree`) and sums the statistics of the roots. A deal may be weighted by how likely the policy would
have played there what the others did (option `trust`). The trees of all deals and tables are searched side by side, so
that networks evaluate large batches. All decisions other than plays are the policy's.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tichu_models.agents.believer import Believer
from tichu_models.agents.choosing import Moves, moves_of, softmax
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.options import SearchOptions
from tichu_models.observation.view import VIEW
from tichu_models.players.base import Agent, Opinion
from tichu_models.rules.asking import ASK_PLAY, PLAY, POSITION
from tichu_models.rules.cards import DECK
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.tree import EDGE, NODE, SEARCH_OPTIONS, SEARCH_SCRATCH, TREE, expand, root_statistics, select

TREES_AT_ONCE = 512
USUAL_SIMULATIONS = 512
SOLVER_LIMIT = 20_000
MOST_NODES = 2048  # of a tree that is searched for a given time
SPARE_NODES = 16  # for bombs and the Dragon, which take a node but no simulation

Evaluate = Callable[[np.ndarray], np.ndarray]  # views -> points / 100 by which the own team is expected to win


class MCTSAgent(Agent):
    """A player who searches. `evaluate` gives the values of leaves; None stands for rollouts by rules of thumb."""

    def __init__(self, name: str, policy: NNetAgent, evaluate: Evaluate | None, options: SearchOptions) -> None:
        self.name, self.policy, self.evaluate, self.options = name, policy, evaluate, options
        self.past, self.by_rule, self.answered_by = policy.past, policy.by_rule, policy.answered_by
        self.wants = ("transcripts", "hands") if options.open else ("transcripts",)
        self.timed = options.seconds is not None
        self.deals = 1 if options.open else options.deals
        self.believer = Believer(policy, options.seed, options.no_bombs)
        self._search_scratch, self._position = np.zeros(1, dtype=SEARCH_SCRATCH)[0], np.zeros(1, dtype=POSITION)
        self._search_options = np.zeros(1, dtype=SEARCH_OPTIONS)[0]
        for field in ("exploration", "caution", "width", "solve"):
            self._search_options[field] = getattr(options, field)
        self._search_options["limit"], self._search_options["even"] = SOLVER_LIMIT, options.root == "even"

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view. Only plays with a choice are searched."""
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
        """The cards of the best play of each decision, by mean value or by visits."""
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
        """The value and the visits of each play. Plays without visits score lowest."""
        moves, visits, values = self.consider(views, **extras)
        return Opinion(moves.plays, np.where(visits > 0, values, -np.inf), VALUE_UNIT * values, visits)

    def consider(self, views: np.ndarray, **extras: np.ndarray) -> tuple[Moves, np.ndarray, np.ndarray]:
        """Searches decisions with a choice: their legal moves, and of each move the visits and the mean value, in
        points / 100 by which the own team would win."""
        started = time.monotonic()
        options = self.options
        believed = (views, extras["transcripts"], self.deals, extras.get("hands"))
        states, weights = self.believer.weighted(*believed, trust=options.trust)
        count = len(states)
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
            waiting = select(trees, nodes, edges, self._search_options, self._search_scratch, leaves)
            if waiting:
                self._expand(trees, nodes, edges, leaves[:waiting])
            step += 1
        moves = moves_of(views)
        visits, values = np.empty(len(moves.plays)), np.empty(len(moves.plays))
        root_statistics(trees, nodes, edges, weights, self.deals, *moves, visits, values)
        return moves, visits, values

    def _goes_on(self, step: int, steps: int, started: float, decisions: int) -> bool:
        """Whether there is another step. The first one only expands the roots."""
        if self.options.seconds is None:
            return step <= steps
        return step <= 1 or time.monotonic() - started < self.options.seconds * decisions

    def _expand(self, trees: np.ndarray, nodes: np.ndarray, edges: np.ndarray, leaves: np.ndarray) -> None:
        """Evaluates the leaves of all trees in one batch, expands them and backs up their values."""
        moves = moves_of(leaves)
        priors = np.empty(len(moves.plays))
        softmax(self.policy.likelihoods(leaves, moves), moves.counts, priors)
        if self.evaluate is None:
            from tichu_models.search.rollout import roll_out

            values = np.empty(len(leaves))
            scratch = self._search_scratch
            roll_out(trees, nodes, self._position, scratch["seen"], scratch["plays"], values)
        else:
            values = self.evaluate(leaves).astype(np.float64)
        expand(trees, nodes, edges, self._search_options, *moves, priors, values)
