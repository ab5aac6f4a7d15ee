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
ENVIRONMENTS, STEPS, STEPS_TARGET = 4096, 50, 1_000_000.0


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


def test_steps_of_the_vector_environment():
    """Learning that waits for its environment: with the mask and what is seen, but without a network."""
    of, number = game("clever"), ENVIRONMENTS
    states, options = np.zeros(number, dtype=of.state).view(np.recarray), options_of(of)
    masks, seen = np.zeros((number, of.actions), dtype=np.int8), np.zeros((number, of.observation), dtype=np.float32)
    keys, actions = np.arange(number, dtype=np.uint64), np.zeros(of.most_actions, dtype=np.int16)
    shared = (states, options, keys, actions, seen, masks)
    rewards, ended, invalid = np.zeros(number), np.zeros(number, dtype=np.bool_), np.zeros(number, dtype=np.int64)
    of.algorithms["begin_all"](*shared)
    seconds = []
    for _ in range(STEPS):
        chosen = masks.argmax(axis=1)
        started = time.process_time()
        of.algorithms["step_all"](*shared, chosen, 0.0, True, rewards, ended, invalid)
        seconds.append(time.process_time() - started)
    assert not invalid.any()
    report(f"steps of {number} environments", number / float(np.median(seconds)), STEPS_TARGET)
