"""Games of a match side by side: the same as one after the other."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.games.agents import agent_of
from tichu_models.games.course import Together
from tichu_models.games.match import match
from tichu_models.games.registry import game

MADN = game("madn")


class Many:
    """An agent that answers many positions at once, and counts how often it is asked."""

    def __init__(self, name: str) -> None:
        self._agent, self.name, self.asked = agent_of(MADN, name), name, 0

    def choose(self, state, key):
        """As the agent."""
        return self._agent.choose(state, key)

    def choose_all(self, states, keys):
        """The same for all."""
        self.asked += 1
        return [self.choose(state, key) for state, key in zip(states, keys, strict=True)]


def test_games_side_by_side_are_those_one_by_one():
    """Answers that come to another game, or keys that depend on what else is played."""
    options = options_of(MADN, players="2", distance="4", dice="1")
    many, other = Many("rules"), agent_of(MADN, "random")
    assert isinstance(many, Together)
    assert not isinstance(other, Together)
    counted: list[int] = []
    found = match(MADN, options, [many, other], 20, 3, 4, counted.append)
    assert found == match(MADN, options, [agent_of(MADN, "rules"), other], 20, 3, 4)
    assert counted == [1] * 20
    assert many.asked < 0.5 * 20 * found["length_mean"] / 2
    both = match(MADN, options, [Many("rules"), Many("random")], 20, 3, 4)
    assert both == found
    assert np.isclose(sum(agent["share"] for agent in both["agents"]), 1)


@pytest.mark.parametrize(("of", "players", "score"), [("madn", "2", 0.5), ("dog", "4", 0.25)])
def test_endless_games_are_drawn(of, players, score):
    """A match, or the evaluation of a run, that never ends because two agents go round in circles."""
    short = dataclasses.replace(game(of), bound=30)
    agents = [agent_of(short, name) for name in ("random", "rules")]
    found = match(short, options_of(short, players=players), agents, 6, 3, 4)
    assert (found["length_mean"], found["broken_off"]) == (30, 6)
    for agent in found["agents"]:
        assert (agent["draws"], agent["wins"], agent["share"], agent["score_mean"]) == (6, 0, 0.5, score)
