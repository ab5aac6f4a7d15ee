"""Whole games that begin at a score: all see and count it, and equal players gain nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import Watched
from tichu_models.arena import lockstep, selfplay
from tichu_models.arena.games_from import PAIRINGS, GamesFrom, games_from
from tichu_models.arena.table import fixtures_of
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent, RandomAgent


def test_games_go_on_from_their_score_in_both_loops():
    """A score that players see and the game does not count, or one of the other team; other games in the fused loop."""
    fixtures = fixtures_of(np.zeros((20, 4), dtype=np.int32), 3)
    fixtures["total"] = (700, 900)
    watched = Watched(HeuristicAgent())
    rows = lockstep.play([watched], fixtures).rows
    asked = np.concatenate([views for kind in watched.asked for views, _, _ in watched.asked[kind]])
    assert asked["total"].tolist().count([700, 900]) >= 20 * 8
    totals = np.array([rows["score"][rows["game_id"] == game].sum(axis=0) for game in range(20)])
    totals += np.array([700, 900])
    last = np.array([rows["score"][rows["game_id"] == game][-1] for game in range(20)])
    assert np.all(totals.max(axis=1) >= 1000)
    assert np.all((totals - last).max(axis=1) < 1000)
    nobody = np.full((20, 3), -1, dtype=np.int32)
    fused = list(selfplay.stream_fixtures([HeuristicAgent()], fixtures, 100, nobody))
    assert np.concatenate([part.rounds.rows["score"] for part in fused]).tolist() == rows["score"].tolist()


def make(name: str) -> Agent:
    """A player of this name."""
    agent = RandomAgent() if name == "random" else HeuristicAgent()
    agent.name = name
    return agent


def test_equal_players_gain_nothing_from_a_score():
    """Games that are other ones for the player and for its opponent: luck that counts as the worth of a goal."""
    done: list[int] = []
    facts = games_from((700, 900), "one", "other", make, 30, 1, done.append).summary()
    assert sum(done) == 30
    assert facts["won"]["value"] == pytest.approx(0.5)
    assert facts["gain_with_first_score"]["value"] == facts["gain_with_second_score"]["value"] == 0
    assert facts["games"] == 60


def test_a_weaker_player_wins_less_from_either_score():
    """Wins that are counted for the other side."""
    facts = games_from((700, 900), "random", "other", make, 30).summary()
    assert facts["won"]["value"] < 0.2
    for name in ("gain_with_first_score", "gain_with_second_score"):
        assert facts[name]["interval"][1] < 0
    assert facts == games_from((700, 900), "random", "other", make, 30).summary()


def test_figures_of_games_that_are_known():
    """A mean over the wrong pairing, or an interval that takes games with the same cards for independent."""
    won = np.zeros((400, len(PAIRINGS)))
    won[:100] = 1  # the cards decide alone
    won[100:120, PAIRINGS.index((0, 1))] = 1  # and here the player wins from behind where its opponent would not
    facts = GamesFrom((700, 900), won).summary()
    assert facts["gain_with_first_score"]["value"] == pytest.approx(0.05)
    assert facts["gain_with_second_score"] == {"value": 0, "interval": [0, 0]}
    assert facts["won"]["value"] == pytest.approx(0.5 + 0.025)
    low, high = facts["gain_with_first_score"]["interval"]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.05 * 0.95 / 399), rel=0.01)
