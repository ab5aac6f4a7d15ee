"""The tree of a search in imagined positions, of many games at a time: kernels that choose a way down, and back up.

A node is a latent position: what the networks say of it, and how it was come to. The root is node 0, the node of
simulation i is i + 1. No rules are known below the root, so all actions are there. Values are those of the side that
moves in a node; `discount` of a node is 1 if the same side moves as before it, -1 if the other, 0 if the game is over.
Where the game has chance an action leads to an afterstate, which belongs to the side that moves next, and an outcome of
chance to the next position. `outcomes` is how many there are, 0 without chance.

Actions are valued as by Gumbel MuZero (Danihelka et al. 2022): those not yet tried are thought to be worth what the
network and the tried ones say of the node, and all values weigh the more, the more visits there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.algorithms.muzero.nodes import UNTRIED, Tree, choose_outcome, fill_node, mean_of_outcomes
from tichu_models.kernels import inner, kernel

FIRST_VISITS = 50.0  # as many are counted besides; c_visit of the paper
SMALL = 1e-8  # differences of values below it count as none
TINY = float(np.finfo(np.float32).tiny)  # the least prior
LOW = -1e9  # the least score of an action at the root


class ValueScale(NamedTuple):
    """How much values weigh beside the logits of a policy: `scale` for each visit of the action that has most.

    With `is_rescaled` the values of a node are brought to 0 .. 1 before. So its best and its worst action are always
    far apart, even where only noise tells their values from each other.
    """

    scale: float
    is_rescaled: bool


OF_MCTX = ValueScale(0.1, is_rescaled=True)  # its default
PLAIN = ValueScale(0.1, is_rescaled=False)


@inner
def value_actions(tree: Tree, game: int, node: int, value_scale: ValueScale, scores: np.ndarray) -> int:
    """Writes what each action of a node is worth beside the policy's logits; returns how often they have been tried."""
    tried, most, prior, found = 0, 0, 0.0, 0.0
    for action in range(len(scores)):
        child = tree.children[game, node, action]
        if child != UNTRIED:
            visits = tree.visits[game, child]
            value = tree.rewards[game, child] + tree.discounts[game, child] * tree.values[game, child]
            scores[action] = value
            chance = max(TINY, np.float64(tree.priors[game, node, action]))
            tried += visits
            most = max(most, visits)
            prior += chance
            found += chance * value
    mixed = np.float64(tree.raw[game, node])
    if tried > 0:
        mixed = (mixed + tried * found / prior) / (tried + 1)
    lowest, highest = np.inf, -np.inf
    for action in range(len(scores)):
        if tree.children[game, node, action] == UNTRIED:
            scores[action] = mixed
        lowest, highest = min(lowest, scores[action]), max(highest, scores[action])
    scale = value_scale.scale * (FIRST_VISITS + most)
    if value_scale.is_rescaled:
        scale /= max(highest - lowest, SMALL)
    for action in range(len(scores)):
        scores[action] = (scores[action] - lowest) * scale
    return tried


@inner
def choose_inside(tree: Tree, game: int, node: int, value_scale: ValueScale, scores: np.ndarray) -> int:
    """The action of an inner node that is furthest behind what the improved policy would give it."""
    tried = value_actions(tree, game, node, value_scale, scores)
    highest, total = -np.inf, 0.0
    for action in range(len(scores)):
        scores[action] += tree.logits[game, node, action]
        highest = max(highest, scores[action])
    for action in range(len(scores)):
        scores[action] = np.exp(scores[action] - highest)
        total += scores[action]
    chosen, best = 0, -np.inf
    for action in range(len(scores)):
        child = tree.children[game, node, action]
        visits = 0 if child == UNTRIED else tree.visits[game, child]
        behind = scores[action] / total - visits / (1.0 + tried)
        if behind > best:
            chosen, best = action, behind
    return chosen


@inner
def choose_at_root(
    tree: Tree,
    game: int,
    legal: np.ndarray,
    gumbel: np.ndarray,
    visits_of_all: int,
    value_scale: ValueScale,
    scores: np.ndarray,
) -> int:
    """The legal action with the highest score among those that have been tried so often."""
    value_actions(tree, game, 0, value_scale, scores)
    highest = -np.inf
    for action in range(len(scores)):
        if legal[action]:
            highest = max(highest, np.float64(tree.logits[game, 0, action]))
    chosen, best = 0, -np.inf
    for action in range(len(scores)):
        child = tree.children[game, 0, action]
        visits = 0 if child == UNTRIED else tree.visits[game, child]
        if legal[action] and visits == visits_of_all:
            score = max(LOW, gumbel[action] + (tree.logits[game, 0, action] - highest) + scores[action])
            if score > best:
                chosen, best = action, score
    return chosen


@kernel
def plant(tree: Tree, values: np.ndarray, logits: np.ndarray) -> None:
    """Makes the roots."""
    for game in range(len(values)):
        fill_node(tree, game, 0, False, values[game], logits[game])


@kernel
def descend(
    tree: Tree,
    legal: np.ndarray,
    gumbel: np.ndarray,
    considered: np.ndarray,
    simulation: int,
    outcomes: int,
    value_scale: ValueScale,
    scores: np.ndarray,
    parents: np.ndarray,
    actions: np.ndarray,
) -> None:
    """Goes down in every game, to an action or an outcome that has not been tried. `considered` says for every game
    how often the actions at the root that are still in question have been tried, simulation by simulation."""
    for game in range(len(parents)):
        node = 0
        in_question = considered[game, simulation]
        action = choose_at_root(tree, game, legal[game], gumbel[game], in_question, value_scale, scores)
        while tree.children[game, node, action] != UNTRIED:
            node = tree.children[game, node, action]
            if tree.by_chance[game, node]:
                action = choose_outcome(tree, game, node, outcomes)
            else:
                action = choose_inside(tree, game, node, value_scale, scores)
        parents[game], actions[game] = node, action


@kernel
def grow(
    tree: Tree,
    simulation: int,
    outcomes: int,
    parents: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    discounts: np.ndarray,
    values: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Adds the node that each game has come to, and tells all nodes on the way what it is worth."""
    node = simulation + 1
    for game in range(len(parents)):
        by_chance = outcomes > 0 and not tree.by_chance[game, parents[game]]
        fill_node(tree, game, node, by_chance, values[game], logits[game])
        tree.rewards[game, node], tree.discounts[game, node] = rewards[game], discounts[game]
        tree.parents[game, node], tree.actions[game, node] = parents[game], actions[game]
        tree.children[game, parents[game], actions[game]] = node
        at, value = node, np.float64(values[game])
        while at != 0:
            value = tree.rewards[game, at] + tree.discounts[game, at] * value
            at = tree.parents[game, at]
            visits = tree.visits[game, at]
            if tree.by_chance[game, at]:
                value = mean_of_outcomes(tree, game, at, outcomes)
                tree.values[game, at] = value
            else:
                tree.values[game, at] = (tree.values[game, at] * visits + value) / (visits + 1)
            tree.visits[game, at] = visits + 1


@kernel
def harvest(
    tree: Tree,
    legal: np.ndarray,
    gumbel: np.ndarray,
    value_scale: ValueScale,
    scores: np.ndarray,
    chosen: np.ndarray,
    weights: np.ndarray,
) -> None:
    """The action that each root has come to, and the improved policy as probabilities (float32)."""
    for game in range(len(chosen)):
        most = 0
        for action in range(len(scores)):
            child = tree.children[game, 0, action]
            if child != UNTRIED:
                most = max(most, tree.visits[game, child])
        chosen[game] = choose_at_root(tree, game, legal[game], gumbel[game], most, value_scale, scores)
        highest, total = -np.inf, 0.0
        for action in range(len(scores)):
            scores[action] += tree.logits[game, 0, action]
            if legal[game, action]:
                highest = max(highest, scores[action])
        for action in range(len(scores)):
            weights[game, action] = np.exp(scores[action] - highest) if legal[game, action] else 0.0
            total += weights[game, action]
        for action in range(len(scores)):
            weights[game, action] /= total
