"""Gumbel MuZero for one game and the targets of its networks once more, slow and obvious, with which tests compare the
kernels.

A node is an object, a world is tables: what the networks say of each of its places, and of each step from one to the
next. In a world with chance every other place on a way is an afterstate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class World(NamedTuple):
    """Places that networks imagine: their values and logits, and reward and discount of the step that comes to them."""

    values: np.ndarray  # (places,)
    logits: np.ndarray  # (places, actions)
    rewards: np.ndarray
    discounts: np.ndarray
    chances: np.ndarray  # (places, outcomes): logits of what chance does there; no outcomes without chance

    def after(self, place, action):
        """The place to which an action leads."""
        return (place * 31 + 7 * action + 1) % len(self.values)


def a_world(places: int, actions: int, seed: int, outcomes: int = 0) -> World:
    """A random one."""
    generator = np.random.default_rng(seed)
    return World(
        generator.uniform(-1, 1, places).astype(np.float32),
        (1.5 * generator.normal(size=(places, actions))).astype(np.float32),
        (0.3 * generator.normal(size=places)).astype(np.float32),
        generator.choice([-1.0, -1.0, 1.0, 0.0], places).astype(np.float32),
        generator.normal(size=(places, outcomes)).astype(np.float32),
    )


@dataclass
class Node:
    """A node of the tree."""

    place: int
    value: float
    by_chance: bool = False
    visits: int = 1
    children: dict[int, Node] = field(default_factory=dict)


def _softmax(numbers: list[float]) -> list[float]:
    found = [math.exp(number - max(numbers)) for number in numbers]
    return [each / sum(found) for each in found]


@dataclass
class Plain:
    """A search from a place, without noise unless it is given."""

    world: World
    legal: list[bool]
    gumbel: list[float]
    considered: int = 16
    value_scale: float = 0.1
    is_rescaled: bool = True

    def stretched(self, node: Node) -> list[float]:
        """The values of all actions of a node, times what the visits make of 1; rescaled, between 0 and that."""
        logits = [float(each) for each in self.world.logits[node.place]]
        priors = _softmax(logits)
        found = {action: self.worth(child) for action, child in node.children.items()}
        mixed = float(self.world.values[node.place])
        tried = sum(child.visits for child in node.children.values())
        if found:
            mean = sum(priors[a] * value for a, value in found.items()) / sum(priors[a] for a in found)
            mixed = (mixed + tried * mean) / (1 + tried)
        values = [found.get(action, mixed) for action in range(len(logits))]
        spread = max(max(values) - min(values), 1e-8)
        most = max((child.visits for child in node.children.values()), default=0)
        by = self.value_scale * (50 + most) / (spread if self.is_rescaled else 1)
        return [by * (value - min(values)) for value in values]

    def worth(self, child: Node) -> float:
        """What a node is worth to who has come to it."""
        return float(self.world.rewards[child.place]) + float(self.world.discounts[child.place]) * child.value

    def chances(self, node: Node) -> list[float]:
        """How likely each outcome of chance is."""
        return _softmax([float(each) for each in self.world.chances[node.place]])

    def outcome(self, node: Node) -> int:
        """The outcome that has been tried least for its chances."""
        chances = self.chances(node)
        tried = [node.children[o].visits if o in node.children else 0 for o in range(len(chances))]
        return max(range(len(chances)), key=lambda o: chances[o] / (tried[o] + 1))

    def mean_of_outcomes(self, node: Node) -> float:
        """What an afterstate is worth, those outcomes that were not tried by what is said of it."""
        of_itself = float(self.world.values[node.place])
        return sum(
            chance * (self.worth(node.children[o]) if o in node.children else of_itself)
            for o, chance in enumerate(self.chances(node))
        )

    def visits(self, node: Node) -> list[int]:
        """How often each action has been tried."""
        return [node.children[a].visits if a in node.children else 0 for a in range(len(self.legal))]

    def at_root(self, root: Node, wanted: int) -> int:
        """The best action that has been tried so often."""
        logits, values, visits = self.world.logits[root.place], self.stretched(root), self.visits(root)
        top = max(float(logits[a]) for a, can in enumerate(self.legal) if can)
        scores = {
            a: self.gumbel[a] + float(logits[a]) - top + values[a]
            for a, can in enumerate(self.legal)
            if can and visits[a] == wanted
        }
        return max(scores, key=lambda a: scores[a])

    def inside(self, node: Node) -> int:
        """The action that is furthest behind the improved policy."""
        logits, visits = self.world.logits[node.place], self.visits(node)
        improved = _softmax([float(logit) + value for logit, value in zip(logits, self.stretched(node), strict=True)])
        return max(range(len(visits)), key=lambda a: improved[a] - visits[a] / (1 + sum(visits)))

    def search(self, place: int, simulations: int) -> tuple[int, list[int], float]:
        """The action, the visits of all, and the value of the root."""
        root = Node(place, float(self.world.values[place]))
        left = most = min(self.considered, sum(self.legal))
        rounds, wanted = math.ceil(math.log2(most)) if most > 1 else 1, [0] * most
        plan: list[int] = []
        while len(plan) < simulations:
            for _ in range(max(1, int(simulations / (rounds * left)))):
                plan += wanted[:left]
                wanted = [each + (i < left) for i, each in enumerate(wanted)]
            left = max(min(2, most), left // 2)
        for tries in plan[:simulations]:
            way, action = [root], self.at_root(root, tries)
            while action in way[-1].children:
                way.append(way[-1].children[action])
                action = self.outcome(way[-1]) if way[-1].by_chance else self.inside(way[-1])
            new = self.world.after(way[-1].place, action)
            by_chance = self.world.chances.shape[1] > 0 and not way[-1].by_chance
            leaf = Node(new, float(self.world.values[new]), by_chance)
            way[-1].children[action] = leaf
            value, below = leaf.value, leaf
            for node in reversed(way):
                value = float(self.world.rewards[below.place]) + float(self.world.discounts[below.place]) * value
                if node.by_chance:
                    value = node.value = self.mean_of_outcomes(node)
                else:
                    node.value = (node.value * node.visits + value) / (node.visits + 1)
                node.visits, below = node.visits + 1, node
        return self.at_root(root, max(self.visits(root))), self.visits(root), root.value


def value_targets(games: list[list[tuple[int, float]]], outcomes: list[dict[int, float]], steps, discount, fade):
    """The target of each position; a game is a list of (side, value), its outcome what each side has won."""
    targets = []
    for game, outcome in zip(games, outcomes, strict=True):
        for k, (side, _) in enumerate(game):
            searched = [at for at in range(k + steps, len(game)) if not math.isnan(game[at][1])]
            if searched:
                other, value = game[searched[0]]
                targets.append(discount ** (searched[0] - k) * (value if other == side else -value))
            else:
                targets.append(outcome[side] * fade ** (len(game) - k))
    return targets
