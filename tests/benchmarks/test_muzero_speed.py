"""How many simulations a core makes in the latent tree, without and with the networks, by processor time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.benchmarks.figures import report
from tests.oracles.muzero import a_world
from tichu_models.algorithms.muzero.search import Imagined, Search

pytestmark = pytest.mark.bench
GAMES, ACTIONS, SIMULATIONS, TARGET = 256, 24, 32, 200_000.0
WITH_NETWORKS = 100_000.0  # on one core, half of what two shall make


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


def test_simulations_with_networks():
    """All there is to a search: the tree, the networks, and what is copied between them."""
    import torch

    from tichu_models.algorithms.muzero.networks import MuZeroNet, Sizes
    from tichu_models.algorithms.muzero.thinking import Thinker
    from tichu_models.algorithms.precision import float32_by_onednn

    torch.set_num_threads(1)
    generator, rates = np.random.default_rng(1), []
    seen = generator.integers(0, 2, (512, 224), dtype=np.uint8)  # as many inputs as MADN has with d = 4
    legal, noise = np.ones((512, 25), dtype=np.bool_), np.zeros((512, 25))
    thinker = Thinker(MuZeroNet(224, 25, Sizes()), 512, SIMULATIONS, 16, of_legal=True)
    with float32_by_onednn():
        for _ in range(4):
            began = time.process_time()
            thinker.think(seen, legal, noise)
            rates.append(512 * SIMULATIONS / (time.process_time() - began))
    report("simulations of 512 games with 25 actions, networks included", max(rates), WITH_NETWORKS)
