"""Expectimax with dice against a plain recursion over the same rules."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.algorithms.chance_search import MOST_DEPTH
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.game import CHANCE, ONE, OVER, State
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.pachisi.madn import learners
from tichu_models.games.pachisi.madn.rules import let_happen, odds
from tichu_models.games.registry import game
from tichu_models.games.thinking import ExpectimaxAgent

MADN = game("madn")


def value_of(state: State, depth: int, network: TDNetwork | None = None) -> list[int]:
    """What a position is worth to each seat when so many actions are still to be looked at."""
    if depth == 0 or MADN.kernels.mover(state) == OVER:
        values = np.zeros(4, dtype=np.int64)
        if network is None:
            MADN.kernels.evaluate(state, 0, values)
        else:
            learners.evaluate_by_network_reach(state, network.as_evaluation, values)  # type: ignore[attr-defined]
        return values.tolist()
    if MADN.kernels.mover(state) == CHANCE:
        total = np.zeros(4, dtype=object)
        for die in range(6):
            thrown = MADN.copy(state)
            let_happen(thrown, die)
            total += int(odds(state, die)) * np.array(value_of(thrown, depth, network), dtype=object)
        return [int(value) // 216 for value in total]
    return best(state, depth, network)[1]


def best(state: State, depth: int, network: TDNetwork | None = None) -> tuple[int, list[int]]:
    """The best action, the first of equals, and what it is worth."""
    seat, found = int(MADN.kernels.mover(state)), []
    for action in MADN.legal(state):
        child = MADN.copy(state)
        MADN.kernels.step(child, action)
        found.append((action, value_of(child, depth - 1, network)))
    return max(found, key=lambda each: each[1][seat])


@pytest.mark.parametrize(
    ("words", "depth"),
    [
        ({"dice": "1", "players": "2", "dice_rethrow": "1"}, 1),
        ({"dice": "1", "players": "2", "dice_rethrow": "1", "start_on_1": "0"}, 2),
        ({"dice": "1", "teams": "1", "distance": "4"}, 3),
        ({"players": "3", "distance": "5"}, 2),
    ],
)
def test_it_finds_what_a_plain_recursion_finds(words, depth):
    """A throw with the wrong odds, a reply that is taken for one's own, an end that is searched on."""
    options = options_of(MADN, **words)
    state, agent = MADN.new(options, 2), agent_of(MADN, f"expectimax:depth={depth}")
    compared = 0
    actions = random_game(MADN, options, 2).actions
    for made, action in enumerate(actions):
        while MADN.kernels.mover(state) == CHANCE:
            MADN.kernels.chance(state)
        if made % (len(actions) // 6) == 0 or len(actions) - made < 4:
            assert agent.search(state) == best(state, depth)
            compared += 1
        MADN.kernels.step(state, action)
    assert compared >= 9


@pytest.mark.parametrize("depth", [1, 2])
def test_it_searches_with_a_network(depth):
    """A network that judges a position after the throw in the place of one before it, or for another seat."""
    options, network = options_of(MADN, players="2", distance="4", dice="1"), TDNetwork(MADN, 8, 1, ("reach", "relu"))
    network.learn(options, np.uint64(1), 60, 0.1, 0.05, 0.7, 2_000)
    state, agent = MADN.new(options, 4), ExpectimaxAgent(MADN, "expectimax", depth, network)
    for made, action in enumerate(random_game(MADN, options, 4).actions[:60]):
        while MADN.kernels.mover(state) == CHANCE:
            MADN.kernels.chance(state)
        if made % 4 == 0:
            found, values = agent.search(state)
            expected = best(state, depth, network)
            assert max(abs(a - b) for a, b in zip(values, expected[1], strict=True)) < ONE >> 18  # sums are rounded
            assert depth > 1 or found == network.choose(state)
        MADN.kernels.step(state, action)


@pytest.mark.parametrize(
    ("of", "text", "complaint"),
    [
        ("madn", f"expectimax:depth={MOST_DEPTH + 1}", "depth"),
        ("madn", "expectimax:evaluation=roles", "progress"),
        ("madn", "expectimax:evaluation=x:y", "expected td:RUN"),
        ("madn", "rules:depth=1", "no such option"),
        ("dog", "expectimax", "does not play dog"),
        ("chameleon", "rules", "does not play chameleon"),
    ],
)
def test_a_wrong_agent_is_explained(of, text, complaint):
    """A traceback, or an option that is silently left out."""
    with pytest.raises(UnknownAgent, match=complaint):
        agent_of(game(of), text)
