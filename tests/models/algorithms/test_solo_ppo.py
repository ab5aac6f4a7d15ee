"""Masked PPO in games for one player: advantages and choices against plain references, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.makers.games import options_of
from tests.oracles import learning as plain
from tichu_models.algorithms.masked_policy import Body, MaskedPlayer, actor, play_games
from tichu_models.algorithms.masked_steps import advantages_of_steps, pick_masked
from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.algorithms.solo_ppo import SoloPPO, SoloPPOSettings
from tichu_models.games.registry import game
from tichu_models.games.solo_actions import ACTIONS

KEY = np.uint64(7)
number = st.floats(-4, 4, width=32)
SMALL = {"games": 128, "horizon": 10, "batch": 320, "hidden": (64,), "rate": 3e-3}


def training_of(name: str = "clever-prototype", words: dict | None = None, **changes) -> SoloPPO:
    """A small training."""
    of = game(name)
    settings = SoloPPOSettings(**{**SMALL, **changes})
    return SoloPPO(of, options_of(of, **(words or {})), ACTIONS[name], settings)


@pytest.mark.parametrize("weight", [0.0, 0.95, 1.0])
@given(data=st.data(), steps=st.integers(1, 8), games=st.integers(1, 3))
def test_advantages_are_those_of_the_definition(weight, data, steps, games):
    """A game that is paid for what happened in the next one, a value off by a step, or one of the other side."""
    rewards, values = (
        np.array(data.draw(st.lists(st.lists(number, min_size=games, max_size=games), min_size=n, max_size=n)))
        for n in (steps, steps + 1)
    )
    relation = st.lists(st.sampled_from([1.0, -1.0, 0.0]), min_size=games, max_size=games)
    follows = np.array(data.draw(st.lists(relation, min_size=steps, max_size=steps)), dtype=np.float32)
    found = np.zeros((steps, games), dtype=np.float32)
    advantages_of_steps(rewards, values.astype(np.float32), follows, weight, found)
    for i in range(games):
        expected = plain.advantages(rewards[:, i], values[:, i], follows[:, i], weight)
        np.testing.assert_allclose(found[:, i], expected, atol=1e-5)


def test_actions_are_drawn_from_the_softmax_of_those_allowed():
    """An action that the mask forbids, or a logarithm of another one: the ratio of PPO would be wrong at once."""
    n, scores = 20_000, np.array([2.0, 0.5, 3.0, -1.0], dtype=np.float32)
    mask = np.array([1, 1, 0, 1], dtype=np.bool_)
    chosen, logs = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.float32)
    pick_masked(np.tile(scores, (n, 1)), np.tile(mask, (n, 1)), 1.0, np.uint64(5), chosen, logs)
    expected = np.exp(plain.log_softmax(scores[mask], [3]))
    shares = [(chosen == k).mean() for k in range(4)]
    assert shares[2] == 0
    np.testing.assert_allclose([shares[0], shares[1], shares[3]], expected, atol=0.015)
    place = {0: 0, 1: 1, 3: 2}
    np.testing.assert_allclose(np.exp(logs), [expected[place[k]] for k in chosen], rtol=1e-5)
    pick_masked(scores[None], mask[None], 0.0, np.uint64(5), chosen[:1], logs[:1])
    assert chosen[0] == 0


def test_it_learns_the_prototype():
    """A policy that follows noise: with six dice chance has 63.9 points, the best play 84.3."""
    training = training_of(words={"dice": "6"})
    figures = [training.iterate(i / 60) for i in range(60)]
    assert training.evaluate(keys_of(KEY, 4096)).scores.mean() > 80
    assert figures[0]["entropy"] > figures[-1]["entropy"] > 0
    assert figures[-1]["games"] == 128


def test_without_a_mask_illegal_actions_are_made_and_counted():
    """A mask that holds although it was left out: the comparison of both would compare nothing."""
    training = training_of(words={"dice": "2"}, mask=False)
    first = training.iterate(0.0)
    assert first["invalid"] > 5  # of ten steps; about one box in eight fits
    for i in range(1, 40):
        last = training.iterate(i / 40)
    assert last["invalid"] < first["invalid"]
    with_mask = training_of(words={"dice": "2"})
    assert with_mask.iterate(0.0)["invalid"] < 1.5  # steps in which nothing fits


@pytest.mark.parametrize("name", ["clever", "clever-prototype"])
def test_games_of_a_batch_are_those_of_the_player(name):
    """An agent of matches that makes another action than the training has judged."""
    of = game(name)
    torch.manual_seed(1)
    network, options = actor(of.observation, Body((16,)), ACTIONS[name]), options_of(of)
    torch.nn.init.normal_(network[-1].weight)
    keys = keys_of(KEY, 4)
    played = play_games(of, options, network, ACTIONS[name], keys)
    player = MaskedPlayer(of, network, ACTIONS[name])
    for i, key in enumerate(keys):
        state = of.new(options, int(key))
        while (mover := of.kernels.mover(state)) != -1:
            if mover == -2:
                of.kernels.chance(state)
            else:
                of.step(state, player.choose(state))
        assert of.returns(state)[0] == played.scores[i]
    if name == "clever":
        assert played.invalid.sum() == 0


def test_a_restored_training_goes_on_as_it_would_have():
    """Games that begin anew after a stop, a moment of an optimiser or a random number that is not what it was."""
    training, again = (training_of("clever", horizon=5, games=16, batch=40) for _ in range(2))
    for _ in range(2):
        training.iterate(0.0)
    again.load(training.tensors(), training.iteration)
    assert training.iterate(0.5) == again.iterate(0.5)
    for name, tensor in training.tensors().items():
        assert torch.equal(tensor, again.tensors()[name]), name


@pytest.mark.proof
@pytest.mark.parametrize("dice", ["2", "4"])
def test_it_comes_to_the_optimum(dice):
    """A learner that stops at a player who is nearly as good: within 0.5 of the exact value, and behind without a
    mask."""
    from tichu_models.games.clever.prototype.optimum import optimum

    means = []
    for mask in (True, False):
        settings = {"games": 512, "batch": 1024, "hidden": (128, 128), "rate": 1e-3, "entropy_until": 0.7, "mask": mask}
        training = training_of(words={"dice": dice}, **settings)
        for i in range(200):
            training.iterate(i / 200)
        means.append(training.evaluate(keys_of(KEY, 100_000)).scores.mean())
    assert optimum(int(dice)).optimum - 0.5 < means[0]
    assert means[1] < means[0]
