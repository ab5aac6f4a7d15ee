"""When the VERSION of `selfplay_runs` has to be raised.

What a player learns differs between processors; the rounds that it begins with do not, nor those that it is judged by.
"""

from __future__ import annotations

import numpy as np

from tests.makers import golden
from tichu_models.algorithms.student import generator_of
from tichu_models.rl.evaluation import duel
from tichu_models.rl.forks import twins_of
from tichu_models.rl.tasks import RULES
from tichu_models.rl.train import EVALUATION_SEED
from tichu_pipeline.selfplay import runs

ROUNDS, SEED = 128, 0


def test_rounds_change_only_with_their_version():
    """Players that learned from other rounds, or were judged by others, and count as up to date."""
    seating = np.zeros((ROUNDS, 4), dtype=np.int64)
    fixtures, forks = twins_of(seating, SEED, 0, 0.5, generator_of(SEED, 0))
    judged = duel(RULES, RULES, 20, EVALUATION_SEED).first
    fixtures = fixtures[["key", "game", "first_decision", "agent"]]
    parts = {"rounds": [fixtures.tolist(), forks.tolist()], "evaluation": judged["score"].tolist()}
    golden.check("selfplay_runs", runs, {name: golden.digest(part) for name, part in parts.items()})
