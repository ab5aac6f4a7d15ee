"""Searches of many roots in an imagined world of tables: what tests compare and benches time."""

from __future__ import annotations

import numpy as np

from tests.oracles.muzero import World, a_world
from tichu_models.algorithms.muzero.nodes import NEVER
from tichu_models.algorithms.muzero.search import Found, Imagined, Search

LEGAL = 0.7  # of the actions of a root


class Searches:
    """Searches of so many games in one world of so many places."""

    def __init__(self, actions: int, seed: int, noise: float, outcomes: int = 0, games: int = 24, places: int = 4_000):
        generator = np.random.default_rng(seed)
        self.world: World = a_world(places, actions, seed, outcomes)
        self.roots = generator.integers(0, places, games)
        self.legal = generator.random((games, actions)) < LEGAL
        self.legal[:, 0] |= ~self.legal.any(axis=1)
        self.legal[0], self.legal[0, 1] = False, True  # a single legal action
        self.gumbel = (noise * generator.gumbel(size=(games, actions))).astype(np.float32)

    def run(self, simulations: int, search: Search | None = None) -> Found:
        """What the kernels find."""
        world, (games, actions), outcomes = self.world, self.legal.shape, self.world.chances.shape[1]
        places = np.zeros((games, simulations + 1), dtype=np.int64)
        by_chance = np.zeros((games, simulations + 1), dtype=np.bool_)
        places[:, 0], rows = self.roots, np.arange(games)

        def imagine(parents: np.ndarray, chosen: np.ndarray, node: int) -> Imagined:
            places[:, node] = at = world.after(places[rows, parents], chosen)
            if not outcomes:
                return Imagined(world.rewards[at], world.discounts[at], world.values[at], world.logits[at])
            by_chance[:, node] = ~by_chance[rows, parents]
            logits = np.full((games, max(actions, outcomes)), NEVER, dtype=np.float32)
            logits[:, :actions] = np.where(by_chance[:, [node]], NEVER, world.logits[at])
            logits[by_chance[:, node]] = NEVER
            logits[by_chance[:, node], :outcomes] = world.chances[at[by_chance[:, node]]]
            return Imagined(world.rewards[at], world.discounts[at], world.values[at], logits)

        search = search or Search(games, actions, simulations, outcomes=outcomes)
        return search.run(world.values[self.roots], world.logits[self.roots], self.legal, self.gumbel, imagine)
