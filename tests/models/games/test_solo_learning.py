"""Games for one player that are learned: their agents, alone and side by side, and what they say of actions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.game import CHANCE
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.learning.methods import method_of, run_folder
from tichu_models.games.learning.run import train
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.match import match
from tichu_models.games.registry import game

CASES = [("clever", "td"), ("clever", "ppo"), ("clever-prototype", "td"), ("clever-prototype", "ppo")]


class OneByOne:
    """An agent that is asked for every action."""

    def __init__(self, agent) -> None:
        self.name, self.choose = agent.name, agent.choose


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A small run of each case."""
    folder = tmp_path_factory.mktemp("board_games")
    for name, method in CASES:
        settings = settings_of(method_of(name, method).settings, name, method, "smoke", ("iterations=1",))
        train(game(name), method, settings, run_folder(folder, name, method))
    return folder


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_match_side_by_side_is_the_one_game_by_game(runs, name, method):
    """Figures of another player than the one that sits at the table, or of other games."""
    of = game(name)
    agent = agent_of(of, f"{method}:{method}", runs)
    found = [match(of, options_of(of), [each], 6, 5, 4) for each in (agent, OneByOne(agent))]
    assert found[0] == found[1]
    assert found[0]["agents"][0]["illegal"] == 0


@pytest.mark.parametrize("text", ["td:td", "ppo:ppo", "td:td,rolls=4"])
def test_the_best_advice_is_what_is_played(runs, text):
    """Hints of somebody else than who plays, or for actions that are not legal."""
    of = game("clever")
    agent, state = agent_of(of, text, runs), of.new(options_of(of), 8)
    for made in range(16):
        while of.kernels.mover(state) == CHANCE:
            of.kernels.chance(state)
        key = np.uint64(made)
        action = agent.choose(of.copy(state), key)
        if not (text.endswith("rolls=4")):  # its chances are others each time
            advice = agent.advice(of.copy(state))
            assert set(advice) == set(of.legal(state))
            assert advice[action].value == max(each.value for each in advice.values())
        else:
            assert set(agent.advice(of.copy(state))) <= set(of.legal(state))
            assert action == agent.choose(of.copy(state), key)
        of.step(state, action)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("td:td,rolls=x", "rolls"), ("td:td,depth=2", "unknown key 'depth'"), ("ppo:ppo,rolls=2", "no such option")],
)
def test_wrong_options_are_named(runs, text, complaint):
    """A player that is weaker than asked for, because its options were not read."""
    with pytest.raises(UnknownAgent, match=complaint):
        agent_of(game("clever"), text, runs)
