"""Agents of games, and matches between them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.makers.games import options_of
from tichu_models.algorithms.searcher import RULES
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.match import MatchError, match, seatings
from tichu_models.games.registry import game

GAME = game("chameleon")


def result_of(*agents: str, games: int = 12, seed: int = 1, opening: int = 4, **words: str):
    """A match by names."""
    options = options_of(GAME, limit="100", **words)
    return match(GAME, options, [agent_of(GAME, agent) for agent in agents], games, seed, opening)


@pytest.mark.parametrize(
    ("agents", "seats", "ways"),
    [("abcd", 4, 24), ("ab", 4, 6), ("a", 4, 1), ("ab", 2, 2), ("abc", 3, 6), ("abbb", 4, 4), ("aabb", 4, 6)],
)
def test_every_agent_sits_everywhere_equally_often(agents, seats, ways):
    """An agent that is better only because it moved first; or, of one against three of a name, each game six times
    over, and an interval that takes them for different ones."""
    found = seatings(agents, seats)
    assert len(found) == len(set(found)) == ways
    for seat in range(seats):
        counts = Counter(agents[way[seat]] for way in found)
        assert counts == {name: ways * agents.count(name) // len(agents) for name in set(agents)}


def test_agents_that_cannot_be_seated_equally_are_refused():
    """A match of three in four seats that favours one of them."""
    with pytest.raises(MatchError, match="3 agents for 4 seats"):
        result_of("random", "greedy", "maxn:depth=2")


def test_results_add_up_and_can_be_had_again():
    """Games that vanish, a seed that means nothing, wins counted for the wrong seat."""
    found = result_of("random", "greedy")
    assert found == result_of("random", "greedy")
    assert found != result_of("random", "greedy", seed=2)
    assert sum(agent["share"] for agent in found["agents"]) == pytest.approx(1)
    assert sum(agent["wins"] for agent in found["agents"]) == sum(seat["wins"] for seat in found["seats"].values())
    by_name = {agent["name"]: agent for agent in found["agents"]}
    assert by_name["greedy"]["seats"] == by_name["random"]["seats"] == 2
    assert by_name["greedy"]["share"] > 0.7
    assert all(agent["interval"][0] <= agent["share"] <= agent["interval"][1] for agent in found["agents"])


def test_the_same_agent_in_several_seats_is_one():
    """One against three of the same name: its share of games would be a third of the truth."""
    one, three = result_of("greedy", "random", "random", "random", games=8)["agents"]
    assert (one["seats"], three["seats"]) == (1, 3)
    assert one["share"] + three["share"] == pytest.approx(1)


def test_an_illegal_action_is_counted_and_replaced():
    """An agent that cheats, or a match that stops because of one."""

    class Cheat:
        """Plays what nobody may."""

        name = "cheat"

        def choose(self, state, key):
            """No action at all."""
            return GAME.actions

    options = options_of(GAME, limit="20")
    cheat, other = match(GAME, options, [Cheat(), agent_of(GAME, "random")], 2, 1, 0)["agents"]
    assert cheat["illegal"] > 4
    assert other["illegal"] == 0


@pytest.mark.parametrize("name", ["random", "greedy", *RULES])
def test_every_agent_plays(name):
    """A name that is listed and leads to nothing."""
    text = name if name in ("random", "greedy") else f"{name}:positions=200,evaluation=moves"
    assert result_of(text, games=1, players="RY")["games"] == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("maxm", "did you mean 'maxn'"),
        ("maxn:dept=3", "depth"),
        ("maxn:depth=0", "from 1"),
        ("maxn:depth", "key=value"),
        ("maxn:depth=x", "number"),
        ("maxn:evaluation=role", "roles"),
        ("random:depth=1", "no such option"),
        ("td", "expected a run"),
    ],
)
def test_a_wrong_name_is_explained(text, complaint):
    """A traceback, or an option that is silently left out."""
    with pytest.raises(UnknownAgent, match=complaint):
        agent_of(GAME, text)
