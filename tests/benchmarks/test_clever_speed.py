"""How many games of Ganz schön clever a core plays, by processor time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.benchmarks.figures import report
from tests.makers.games import options_of
from tichu_models.games.registry import game

pytestmark = pytest.mark.bench
GAMES, TARGET = 50_000, 100_000.0


def test_random_games():
    """Learning that waits for its games."""
    of = game("clever")
    lengths, choices = np.zeros(GAMES, dtype=np.int64), np.zeros(GAMES, dtype=np.int64)
    made, widths = np.zeros(of.bound, dtype=np.int16), np.zeros(of.bound, dtype=np.int64)
    actions, results = np.zeros(of.most_actions, dtype=np.int16), np.zeros((GAMES, len(of.seats)))
    play, rates = of.algorithms["play_random_games"], []
    for games in (1, GAMES, GAMES, GAMES):
        started = time.process_time()
        args = (of.bound, actions, made, widths, lengths[:games], choices[:games], results[:games])
        play(of.blank(), options_of(of), np.uint64(1), *args)
        rates.append(games / (time.process_time() - started))
    report(f"random games of {lengths.mean():.1f} actions", max(rates), TARGET)
