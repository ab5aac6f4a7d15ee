"""Games as environments of PettingZoo: its own checks, and that scores come to whom they belong."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="the extra `games` is not installed")
CASES = [("clever", {"players": "2"}), ("clever", {"players": "4"}), ("chameleon", {"players": "RY"}), ("tichu", {})]


def table(name: str, **words: str):
    """An environment."""
    from tichu_models.games.table_environment import GameEnv

    return GameEnv(name, **words)


@pytest.mark.parametrize(("name", "words"), CASES)
def test_pettingzoo_finds_nothing_wrong(name, words):
    """A library that refuses the environment, or gets another game from the same seed."""
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a test of images, which there are none of
        api_test(table(name, **words), num_cycles=300)
        seed_test(lambda: table(name, **words), num_cycles=100)


def test_each_agent_gets_its_own_score():
    """Rewards in the order of turns instead of seats, or of who was last on turn alone."""
    env, generator, got = table("clever", players="3"), np.random.default_rng(1), {}
    env.reset(seed=4)
    for agent in env.agent_iter():
        seen, reward, ended, _, _ = env.last()
        if ended:
            got[agent] = reward
            env.step(None)
        else:
            assert reward == 0
            assert seen["action_mask"].any()
            env.step(int(generator.choice(np.flatnonzero(seen["action_mask"]))))
    from tichu_models.games.clever.views import score

    assert got == {agent: score(env.state_of_game, seat) for seat, agent in enumerate("ABC")}
    assert len(set(got.values())) > 1
