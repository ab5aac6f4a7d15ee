"""Who plays games of two sides by a policy that has learned them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.learning.methods import method_of, run_folder
from tichu_models.games.learning.run import train
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.match import match
from tichu_models.games.registry import game
from tichu_models.options import OptionError

MADN = game("madn")
RULES = {"players": "2", "distance": "4"}
KEY = np.uint64(1)


def settings(*changes: str):
    """Those of the smallest run."""
    return settings_of(method_of("madn", "ppo").settings, "madn", "ppo", "smoke", changes)


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A folder with a small run."""
    folder = tmp_path_factory.mktemp("board_games")
    train(MADN, "ppo", settings("evaluations=1"), run_folder(folder, "madn", "x"))
    return folder


def test_a_match_side_by_side_is_the_one_game_by_game(runs):
    """A number of the policy that is taken for another action; another player at the table than in figures."""
    agent = agent_of(MADN, "ppo:x", runs)

    class OneByOne:
        name = agent.name

        def choose(self, state, key):
            return agent.choose(state, key)

    played = [
        match(MADN, options_of(MADN, **RULES), [each, agent_of(MADN, "rules")], 6, 1, 4) for each in (agent, OneByOne())
    ]
    assert played[0] == played[1]
    assert [each["illegal"] for each in played[0]["agents"]] == [0, 0]


def test_the_best_advice_is_what_is_played(runs):
    """Hints of somebody else than who plays, for actions that are not legal, or twice for pins that do the same."""
    agent, state = agent_of(MADN, "ppo:x", runs), MADN.new(options_of(MADN, **RULES))
    for action in random_game(MADN, options_of(MADN, **RULES), 6).actions[:40]:
        advice = agent.advice(MADN.copy(state))
        assert set(advice) <= set(MADN.legal(state))
        assert sum(each.value for each in advice.values()) == pytest.approx(1, abs=1e-5)
        assert advice[agent.choose(MADN.copy(state), KEY)].value == max(each.value for each in advice.values())
        MADN.step(state, action)


@pytest.mark.parametrize(("text", "complaint"), [("ppo:x,depth=2", "no such option"), ("ppo:y", "does not exist")])
def test_wrong_options_are_named(runs, text, complaint):
    """A player that is weaker than asked for, because its options were not read."""
    with pytest.raises(UnknownAgent, match=complaint):
        agent_of(MADN, text, runs)


def test_three_sides_are_refused(tmp_path):
    """A training that takes the value of one opponent for that of the other, for an hour."""
    with pytest.raises(OptionError, match="expected two"):
        train(MADN, "ppo", settings("rules=players=3"), tmp_path / "run")
