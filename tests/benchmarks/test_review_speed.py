"""How fast the champion judges decisions, by processor time of one core; a game of ten rounds is to take two cores at
most 30 seconds.

From it the hours of a year follow: rounds are judged one by one, in as many processes as there are cores.
"""

from __future__ import annotations

import time

import pytest
import torch

from tests.paths import SOUND_GAME
from tichu_models.agents.registry import agent_from
from tichu_models.review.judge import Judge
from tichu_models.review.report import judged_round, one_by_one
from tichu_models.review.settings import JudgeSettings
from tichu_pipeline.review.logs import games_in

pytestmark = pytest.mark.bench
ROUNDS, ROUNDS_OF_A_GAME, CORES = 6, 10, 2
TARGET, LIMIT = 30.0, 45.0  # seconds of a game on two cores
GAMES_OF_A_YEAR = 1000


def test_a_review_of_all_four_players():
    """A review that takes longer than one is willing to wait for, a year of games that takes days."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    judge = Judge(agent_from("champion", None), JudgeSettings())
    (game,) = games_in([SOUND_GAME], pytest.fail)
    first, *parts = list(one_by_one(game))[: ROUNDS + 1]
    judged_round(first, judge)  # compiles
    before, started = judge.simulations, time.process_time()
    decisions = sum(len(judged_round(part, judge).decisions) for part in parts)
    seconds = (time.process_time() - started) / len(parts)
    torch.set_num_threads(threads)
    of_game = seconds * ROUNDS_OF_A_GAME / CORES
    playouts = (judge.simulations - before) / len(parts)
    print(f"\nreview: {decisions / len(parts) / seconds:.1f} decisions a second of a core, {seconds:.2f} s a round")
    print(
        f"{playouts:,.0f} playouts a round; a game of {ROUNDS_OF_A_GAME} rounds {of_game:.1f} s on {CORES} cores",
        end="",
    )
    print(f" (target {TARGET:.0f} s); {GAMES_OF_A_YEAR:,} games {of_game * GAMES_OF_A_YEAR / 3600:.1f} hours")
    assert of_game < LIMIT
