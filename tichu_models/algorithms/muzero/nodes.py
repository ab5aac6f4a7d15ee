"""The nodes of a search in imagined positions: what the networks say of them, and what is found below them.

A node is a latent position. In some of them a player chooses an action, in others, where the game has chance, chance
has an outcome: the afterstates, which lie between an action and the next position. What a node has below it are nodes
of the other kind then; the networks say how likely each outcome is.

An afterstate is worth the mean of all its outcomes by their chances: those that have not been tried are thought to be
worth what the network says of the afterstate. So it does not matter in which order they are tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.kernels import inner

UNTRIED = -1
NEVER = -1e9  # the logit of what a node does not have: as many actions as others, or outcomes


class Tree(NamedTuple):
    """The nodes of all games: arrays (games, nodes), those of actions and outcomes (games, nodes, width)."""

    children: np.ndarray  # int32: the node of each action, or UNTRIED
    logits: np.ndarray  # float32: of the policy, or of the outcomes
    priors: np.ndarray  # float32: the same as probabilities
    raw: np.ndarray  # float32: the network's value
    values: np.ndarray  # float64: the mean of what has been found below
    visits: np.ndarray  # int32
    rewards: np.ndarray  # float32: of the step to the node
    discounts: np.ndarray  # float32
    parents: np.ndarray  # int32
    actions: np.ndarray  # int32: which action of the parent, or which outcome
    by_chance: np.ndarray  # bool: chance has an outcome there


def new_tree(games: int, width: int, simulations: int) -> Tree:
    """Room for so many simulations, and for so many actions or outcomes of a node."""
    nodes = simulations + 1

    def of_nodes(kind: type) -> np.ndarray:
        return np.zeros((games, nodes), dtype=kind)

    return Tree(
        children=np.full((games, nodes, width), UNTRIED, dtype=np.int32),
        logits=np.zeros((games, nodes, width), dtype=np.float32),
        priors=np.zeros((games, nodes, width), dtype=np.float32),
        raw=of_nodes(np.float32),
        values=of_nodes(np.float64),
        visits=of_nodes(np.int32),
        rewards=of_nodes(np.float32),
        discounts=of_nodes(np.float32),
        parents=of_nodes(np.int32),
        actions=of_nodes(np.int32),
        by_chance=of_nodes(np.bool_),
    )


@inner
def fill_node(tree: Tree, game: int, node: int, by_chance: bool, value: float, logits: np.ndarray) -> None:
    """Takes down what the networks say of a new node."""
    highest, total = logits[0], 0.0
    for action in range(len(logits)):
        highest = max(highest, logits[action])
    for action in range(len(logits)):
        tree.children[game, node, action] = UNTRIED
        tree.logits[game, node, action] = logits[action]
        chance = np.exp(np.float64(logits[action]) - highest)
        tree.priors[game, node, action] = chance
        total += chance
    for action in range(len(logits)):
        tree.priors[game, node, action] /= total
    tree.raw[game, node] = value
    tree.values[game, node] = value
    tree.visits[game, node] = 1
    tree.by_chance[game, node] = by_chance


@inner
def choose_outcome(tree: Tree, game: int, node: int, outcomes: int) -> int:
    """The outcome that has been tried least for its chances, the first of equals."""
    chosen, most = 0, -1.0
    for outcome in range(outcomes):
        child = tree.children[game, node, outcome]
        visits = 0 if child == UNTRIED else tree.visits[game, child]
        wanted = np.float64(tree.priors[game, node, outcome]) / (visits + 1)
        if wanted > most:
            chosen, most = outcome, wanted
    return chosen


@inner
def mean_of_outcomes(tree: Tree, game: int, node: int, outcomes: int) -> float:
    """What an afterstate is worth by what has been found so far."""
    value, left = 0.0, 1.0
    for outcome in range(outcomes):
        child = tree.children[game, node, outcome]
        if child != UNTRIED:
            chance = np.float64(tree.priors[game, node, outcome])
            value += chance * (tree.rewards[game, child] + tree.discounts[game, child] * tree.values[game, child])
            left -= chance
    return value + max(left, 0.0) * tree.raw[game, node]
