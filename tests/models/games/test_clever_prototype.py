"""The prototype of Ganz schön clever: its exact values, and that the game is the one they are of."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.games.clever.prototype.optimum import BOXES, LINE_POINTS, chances, optimum, points_of_boards
from tichu_models.games.registry import game

PROTOTYPE = game("clever-prototype")
GAMES = 20_000


@pytest.mark.parametrize(("dice", "best", "random", "invalid"), [(2, 65.471, 49.54, 0.643), (4, 80.954, 61.04, 0.098)])
def test_the_values_are_the_known_ones(dice, best, random, invalid):
    """A learner that is held against a wrong optimum."""
    values = optimum(dice)
    assert values.optimum == pytest.approx(best, abs=5e-4)
    assert values.random == pytest.approx(random, abs=5e-3)
    assert values.invalid_per_game == pytest.approx(invalid, abs=5e-4)


def test_more_dice_are_better_and_86_is_the_most():
    """A number of dice that is worth less than a smaller one, or more than ten boxes can bring."""
    values = [optimum(dice) for dice in range(1, 7)]
    assert all(a.optimum < b.optimum for a, b in pairwise(values))
    assert all(value.random < value.optimum < 86 for value in values)
    full = np.array([int(board).bit_count() for board in range(1 << len(BOXES))])
    assert points_of_boards()[full == 10].max() == 86
    assert points_of_boards()[-1] == 2 * sum(LINE_POINTS)


@pytest.mark.parametrize("dice", [1, 3, 6])
def test_sets_of_numbers_are_as_likely_as_their_rolls(dice):
    """Chances that do not add up, or give a set to rolls that show less."""
    expected = np.zeros(64)
    for roll in range(6**dice):
        expected[sum(1 << number for number in {roll // 6**i % 6 for i in range(dice)})] += 1 / 6**dice
    np.testing.assert_allclose(chances(dice), expected, atol=1e-12)


@pytest.mark.parametrize("dice", [1, 2, 4])
def test_random_games_have_the_exact_mean(dice):
    """An optimum of another game than the one that is played."""
    lengths, choices, results = np.zeros(GAMES, np.int64), np.zeros(GAMES, np.int64), np.zeros((GAMES, 1))
    actions, made = np.zeros(16, dtype=np.int16), np.zeros(PROTOTYPE.bound, dtype=np.int16)
    play, widths = PROTOTYPE.algorithms["play_random_games"], np.zeros(PROTOTYPE.bound, dtype=np.int64)
    options = options_of(PROTOTYPE, dice=str(dice))
    args = (PROTOTYPE.bound, actions, made, widths, lengths, choices, results)
    play(PROTOTYPE.blank(), options, np.uint64(3), *args)
    assert (lengths == 10).all()
    assert results.mean() == pytest.approx(optimum(dice).random, abs=4 * results.std() / GAMES**0.5)
