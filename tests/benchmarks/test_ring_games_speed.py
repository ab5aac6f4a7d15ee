"""How many random steps a core makes of MADN and DOG, by processor time, beside the slow reference."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.benchmarks.figures import report
from tests.makers.games import options_of
from tests.makers.pachisi import board_of
from tests.oracles import pachisi as plain
from tichu_models.algorithms.counting import random_games
from tichu_models.games.registry import game

pytestmark = pytest.mark.bench
CASES = [
    ("madn", {"players": "2"}, 10_000_000.0),
    ("madn", {}, 10_000_000.0),
    ("madn", {"dice": "1"}, 10_000_000.0),
    ("dog", {}, 2_000_000.0),
]
GAMES, PLAIN_STEPS = 1_000, 3_000


@pytest.mark.parametrize(("name", "words", "target"), CASES)
def test_random_games(name, words, target):
    """Learning that waits for its games."""
    of, rates = game(name), []
    options = options_of(of, **words)
    random_games(of, options, 1, 1)
    for _ in range(3):
        started = time.process_time()
        steps = int(random_games(of, options, GAMES, 1).lengths.sum())
        rates.append(steps / (time.process_time() - started))
    report(f"{name} {words}, random steps", max(rates), target, _plain_rate() if name == "madn" else None)


def _plain_rate() -> float:
    """Steps a second of the reference, two players with number cards."""
    table = plain.Madn(board_of({"players": "2", "distance": "10", "circular_board": "1", "jump_in_goal_area": "1"}))
    generator, started = np.random.default_rng(1), time.process_time()
    for _ in range(PLAIN_STEPS):
        found = table.actions()
        table.act(found[int(generator.integers(len(found)))])
    return PLAIN_STEPS / (time.process_time() - started)
