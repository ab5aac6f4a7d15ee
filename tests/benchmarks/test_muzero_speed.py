"""How many simulations a core makes in the latent tree, without the networks, by processor time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.benchmarks.figures import report
from tests.oracles.muzero import a_world
from tichu_models.algorithms.muzero.search import Imagined, Search

pytestmark = pytest.mark.bench
GAMES, ACTIONS, SIMULATIONS, TARGET = 256, 24, 32, 200_000.0


def test_simulations():
    """Networks that wait for the tree."""
    world, rows = a_world(10_000, ACTIONS, 1), np.arange(GAMES)
    places = np.zeros((GAMES, SIMULATIONS + 1), dtype=np.int64)
    places[:, 0] = rows
    search, asked = Search(GAMES, ACTIONS, SIMULATIONS), [0.0]
    legal, noise = np.ones((GAMES, ACTIONS), dtype=np.bool_), np.zeros((GAMES, ACTIONS))

    def imagine(parents: np.ndarray, actions: np.ndarray, node: int) -> Imagined:
        began = time.process_time()
        places[:, node] = at = world.after(places[rows, parents], actions)
        said = Imagined(world.rewards[at], world.discounts[at], world.values[at], world.logits[at])
        asked[0] += time.process_time() - began
        return said

    rates = []
    for _ in range(4):
        asked[0], began = 0.0, time.process_time()
        search.run(world.values[rows], world.logits[rows], legal, noise, imagine)
        rates.append(GAMES * SIMULATIONS / (time.process_time() - began - asked[0]))
    report(f"simulations of {GAMES} games with {ACTIONS} actions", max(rates), TARGET)
