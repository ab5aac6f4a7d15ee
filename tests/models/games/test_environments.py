"""Games as environments of Gymnasium: its own checks, and that they are the games of the kernels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.games.clever.prototype.optimum import optimum
from tichu_models.games.registry import game

gymnasium = pytest.importorskip("gymnasium", reason="the extra `games` is not installed")
MODULE = "tichu_models.games.environments"
CASES = [
    ("clever", {}),
    ("clever", {"seed_rules": "1"}),
    ("clever-prototype", {"dice": "2"}),
    ("clever-prototype", {"dice": "6"}),
]


def one(name: str, **words):
    """An environment of one game."""
    return gymnasium.make(f"{MODULE}:{name}-v0", **words)


def many(name: str, number: int, **words):
    """One of many games."""
    return gymnasium.make_vec(f"{MODULE}:{name}-v0", num_envs=number, vectorization_mode="vector_entry_point", **words)


@pytest.mark.parametrize(("name", "words"), CASES)
def test_gymnasium_finds_nothing_wrong(name, words):
    """A library that refuses the environment, or learns something else in it."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(one(name, **words).unwrapped)


@pytest.mark.parametrize(("name", "actions"), [("clever", 247), ("clever-prototype", 16)])
def test_the_mask_is_what_is_legal(name, actions):
    """An action that is numbered otherwise than in the thesis, or a mask that allows what the rules do not."""
    env, generator = one(name).unwrapped, np.random.default_rng(1)
    of, total = game(name), 0.0
    assert env.action_space.n == actions
    _, info = env.reset(seed=3)
    state = of.new(options_of(of), int(env._batch.keys[0]))
    ended = False
    while not ended:
        while of.kernels.mover(state) == -2:
            of.kernels.chance(state)
        legal = [action for action in of.legal(state) if action < actions]
        assert np.flatnonzero(info["action_mask"]).tolist() == (legal or list(range(actions)))
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        action = int(generator.choice(np.flatnonzero(info["action_mask"])))
        of.step(state, action if legal else of.legal(state)[0])
        seen, reward, ended, broken_off, info = env.step(action)
        total += reward
        expected = np.zeros(of.observation, dtype=np.float32)
        while of.kernels.mover(state) == -2:
            of.kernels.chance(state)
        of.kernels.observe(state, 0, expected)
        np.testing.assert_array_equal(seen, expected)
        assert not broken_off
    assert total == of.returns(state)[0] > 0
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_many_games_are_the_single_ones():
    """A batch that plays other games, or pays other rewards, than one by one."""
    number, generator = 8, np.random.default_rng(2)
    batch = many("clever", number).unwrapped
    _, info = batch.reset(seed=5)
    singles = [one("clever").unwrapped for _ in range(number)]
    for i, env in enumerate(singles):
        env.reset(seed=1)
        env._batch.keys[:] = batch._batch.keys[i]
        env._batch.of.algorithms["begin_all"](*env._batch._shared())
    over = [False] * number
    scores = np.zeros(number)
    while not all(over):
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        seen, rewards, ended, _, info = batch.step(actions)
        for i in np.flatnonzero(~np.array(over)):
            one_seen, reward, one_ended, _, one_info = singles[i].step(int(actions[i]))
            scores[i] += reward
            assert (reward, one_ended) == (rewards[i], ended[i])
            if one_ended:
                assert info["_score"][i]
                assert info["score"][i] == scores[i]
                over[i] = True
            else:
                np.testing.assert_array_equal(one_seen, seen[i])
                np.testing.assert_array_equal(one_info["action_mask"], info["action_mask"][i])


def random_scores(name: str, number: int, games: int, **words) -> np.ndarray:
    """Scores of games by random legal actions, in a batch."""
    env, generator, scores = many(name, number, **words), np.random.default_rng(4), []
    _, info = env.reset(seed=7)
    while len(scores) < games:
        chances = generator.random(info["action_mask"].shape) * info["action_mask"]
        _, _, ended, _, info = env.step(chances.argmax(axis=1))
        scores += info["score"][ended].tolist() if ended.any() else []
    return np.array(scores[:games])


def test_games_that_follow_each_other_are_new_ones():
    """A batch that begins the same games again and again: a mean of few games, learned by heart."""
    scores = random_scores("clever-prototype", 512, 8192, dice="2")
    assert scores.mean() == pytest.approx(optimum(2).random, abs=4 * scores.std() / len(scores) ** 0.5)


def test_illegal_actions_cost_the_penalty():
    """A learner without a mask that is not told, or one with it that is."""
    env = one("clever", penalty=2.0).unwrapped
    env.reset(seed=1)
    before = env._batch.states[0].tobytes()
    _, reward, ended, _, info = env.step(246)
    assert (reward, ended, info["invalid"]) == (-2.0, False, 1)
    assert env._batch.states[0].tobytes() == before
    prototype = one("clever-prototype", penalty=2.0, dice="1").unwrapped
    _, info = prototype.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, _, _, info = prototype.step(illegal)
    assert (reward, info["invalid"]) == (-2.0, 1)
    assert prototype._batch.states[0].steps == 9


def test_games_for_more_players_are_refused():
    """A game in which somebody never acts."""
    with pytest.raises(ValueError, match="one player"):
        one("clever", players="2")
