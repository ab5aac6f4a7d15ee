"""Games of a player that has learned Ganz schön clever, looked through by the slow reference: it finds what chance does
not, such as long chains of bonuses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.clever import check_game
from tichu_models.algorithms.solo_td import SoloTD, SoloTDSettings
from tichu_models.games.registry import game

CLEVER = game("clever")


@pytest.fixture(scope="module")
def player():
    """A network that has played 10,000 games."""
    training = SoloTD(CLEVER, CLEVER.read_options({}), SoloTDSettings(at_once=256, hidden=(64,), batch=256, rate=2e-3))
    for i in range(40):
        training.iterate(i / 40)
    training.player.take(training.network)
    return training.player


def scores_of(player, keys: range) -> list[int]:
    """The scores of games that the reference has agreed with, question by question."""
    tables = [check_game("1", "0", key, lambda state, _: player.choose(state)) for key in keys]
    return [table.sheets[0].score() for table in tables]


def test_the_reference_agrees_with_a_player_that_has_learned(player):
    """A bonus that only a good player gets, and that the kernels pay twice."""
    scores = scores_of(player, range(25))
    assert np.mean(scores) > 150  # by chance 77


@pytest.mark.proof
def test_the_reference_agrees_over_many_games(player):
    """As above, 500 games."""
    assert np.mean(scores_of(player, range(500))) > 150
