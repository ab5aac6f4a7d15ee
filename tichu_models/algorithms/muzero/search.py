"""Gumbel MuZero: a search in what networks imagine, for many games in step, with sequential halving at the root.

The networks are a function; they are asked for all games at once, once a simulation. What they imagine stays with them:
the search knows nodes by their numbers. In a game with chance every other node on a way is an afterstate, in which
chance has one of so many outcomes; the noise and the halving are those of the actions at the root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tichu_models.algorithms.muzero.nodes import UNTRIED, new_tree
from tichu_models.algorithms.muzero.tree import OF_MCTX, ValueScale, descend, grow, harvest, plant

CONSIDERED = 16  # actions that are looked at in the beginning


class Imagined(NamedTuple):
    """What the networks say of a step, an array for each, a row for each game."""

    rewards: np.ndarray
    discounts: np.ndarray
    values: np.ndarray
    logits: np.ndarray  # of as many as a node has at most, actions or outcomes; `nodes.NEVER` where it has none


# (nodes, actions, new node) -> what comes of these actions, or outcomes, in these nodes, one for each game; the latent
# positions are to be kept as those of the new node.
Imagine = Callable[[np.ndarray, np.ndarray, int], Imagined]


class Found(NamedTuple):
    """What a search has found, a row for each game."""

    actions: np.ndarray
    weights: np.ndarray  # the improved policy, which a network learns
    values: np.ndarray  # of the roots
    visits: np.ndarray  # of the root's actions


def considered_visits(actions: int, simulations: int) -> list[int]:
    """Sequential halving (Karnin et al. 2013): how often the actions in question have been tried before each
    simulation, if there are so many; half of them drop out in each round."""
    if actions <= 1:
        return list(range(simulations))
    rounds, left = math.ceil(math.log2(actions)), actions
    visits, found = [0] * actions, list[int]()
    while len(found) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            found += visits[:left]
            visits[:left] = [each + 1 for each in visits[:left]]
        left = max(2, left // 2)
    return found[:simulations]


class Search:
    """Searches of up to so many games at a time, with memory of their own."""

    def __init__(
        self,
        games: int,
        actions: int,
        simulations: int,
        considered: int = CONSIDERED,
        outcomes: int = 0,
        value_scale: ValueScale = OF_MCTX,
    ) -> None:
        self.games, self.simulations, self.outcomes, self._scale = games, simulations, outcomes, value_scale
        self.width = max(actions, outcomes)
        self._most = min(considered, actions)
        self._tree, self._scores = new_tree(games, self.width, simulations), np.zeros(actions)
        table = [considered_visits(n, simulations) for n in range(self._most + 1)]
        self._table = np.array(table, dtype=np.int64).reshape(self._most + 1, simulations)

    def run(
        self, values: np.ndarray, logits: np.ndarray, legal: np.ndarray, gumbel: np.ndarray, imagine: Imagine
    ) -> Found:
        """Searches from roots of which the networks say this. `legal` (bool) and `gumbel`, its noise, are of the
        actions of each game; without noise the result is always the same."""
        parents, actions = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
        considered = self._table[np.minimum(legal.sum(axis=1), self._most)]
        noise = gumbel.astype(np.float64)
        plant(self._tree, values.astype(np.float32), logits.astype(np.float32))
        for simulation in range(self.simulations):
            of_all = (self.outcomes, self._scale, self._scores)
            descend(self._tree, legal, noise, considered, simulation, *of_all, parents, actions)
            said = imagine(parents, actions, simulation + 1)
            arrays = (np.ascontiguousarray(each, dtype=np.float32) for each in said)
            grow(self._tree, simulation, self.outcomes, parents, actions, *arrays)
        return self._found(legal, noise)

    def _found(self, legal: np.ndarray, noise: np.ndarray) -> Found:
        games = len(legal)
        chosen, weights = np.zeros(games, dtype=np.int64), np.zeros(legal.shape, dtype=np.float32)
        harvest(self._tree, legal, noise, self._scale, self._scores, chosen, weights)
        children = self._tree.children[:games, 0, : legal.shape[1]]
        visits = np.take_along_axis(self._tree.visits[:games], np.maximum(children, 0), axis=1)
        visits[children == UNTRIED] = 0
        return Found(chosen, weights, self._tree.values[:games, 0].copy(), visits)
