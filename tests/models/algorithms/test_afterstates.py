"""TD(lambda) on afterstates in games for one player: its kernels against single steps, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.makers.games import options_of
from tests.oracles import learning as plain
from tichu_models.algorithms.afterstate_player import UNIT, AfterstatePlayer, PointsNet
from tichu_models.algorithms.afterstates import lambda_totals
from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.algorithms.solo_td import SoloTD, SoloTDSettings
from tichu_models.game import CHANCE, OVER
from tichu_models.games.clever import views
from tichu_models.games.clever.prototype import rules
from tichu_models.games.clever.prototype.optimum import optimum
from tichu_models.games.registry import game

NAMES = ["clever", "clever-prototype"]
POINTS = {"clever": lambda state: views.score(state, 0), "clever-prototype": rules.points}
KEY = np.uint64(11)
GAME_OF_CHOICES = st.tuples(
    st.floats(-4, 4, width=32),
    st.lists(st.tuples(st.floats(-4, 4, width=32), st.booleans()), min_size=1, max_size=9),
)


def player_of(name: str, hidden=(16,), seed: int = 0) -> AfterstatePlayer:
    """A player with random weights, in single precision."""
    torch.manual_seed(seed)
    return AfterstatePlayer(game(name), PointsNet(game(name).inputs, hidden))


def begun(name: str, number: int = 6) -> np.ndarray:
    """Games at their first choices."""
    of = game(name)
    states = np.zeros(number, dtype=of.state).view(np.recarray)
    actions, made = np.zeros(of.most_actions, dtype=np.int16), np.zeros(len(states), dtype=np.int64)
    of.algorithms["begin_choices"](states, options_of(of), keys_of(KEY, number), actions, made)
    return states


@pytest.mark.parametrize("weight", [0.0, 0.8, 1.0])
@given(games=st.lists(GAME_OF_CHOICES, min_size=1, max_size=5))
def test_totals_are_the_mean_of_later_ones(weight, games):
    """A random action whose bad result is blamed on those before it, a weight off by a choice."""
    longest = max(len(choices) for _, choices in games)
    best, explored = np.zeros((longest, len(games)), dtype=np.float32), np.zeros((longest, len(games)), dtype=np.bool_)
    for i, (_, choices) in enumerate(games):
        best[: len(choices), i], explored[: len(choices), i] = zip(*choices, strict=True)
    totals, lengths = np.zeros_like(best), np.array([len(choices) for _, choices in games])
    lambda_totals(best, explored, lengths, np.array([score for score, _ in games]), weight, totals)
    for i, (score, choices) in enumerate(games):
        expected = plain.totals_of_game(score, *zip(*choices, strict=True), weight)
        np.testing.assert_allclose(totals[: len(choices), i], expected, atol=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_afterstates_are_those_of_single_steps(name):
    """A row that stands for another action, or points and inputs of another position."""
    of, player, states = game(name), player_of(name), begun(name)
    active = np.zeros(of.most_active, dtype=np.int16)
    for _ in range(40):
        if not (states_left := [state for state in states if of.kernels.mover(state) != OVER]):
            break
        player.totals(states)
        assert [n for n in player.counts if n] == [len(of.legal(state)) for state in states_left]
        row = 0
        for state in states_left:
            for action in of.legal(state):
                after = of.copy(state)
                of.step(after, action)
                assert player.codes[row] == action
                assert player.so_far[row] == POINTS[name](after)
                assert player.final[row] == (of.kernels.mover(after) == OVER)
                expected = np.zeros(of.inputs)
                if not player.final[row]:
                    expected[active[: of.kernels.features(after, active)]] = 1
                np.testing.assert_array_equal(player.inputs[row] != 0, expected)
                row += 1
            of.step(state, of.legal(state)[-1])
        actions = np.zeros(of.most_actions, dtype=np.int16)
        for state in states:  # to the next choices
            while of.kernels.mover(state) != OVER and (of.kernels.mover(state) == CHANCE or len(of.legal(state)) == 1):
                if of.kernels.mover(state) == CHANCE:
                    of.kernels.chance(state)
                else:
                    of.kernels.step(state, of.legal(state)[0])
        assert actions.sum() == 0
    else:
        pytest.fail("the games do not end")


@pytest.mark.parametrize("name", NAMES)
def test_games_in_lockstep_are_those_one_by_one(name):
    """A batch that makes another action than the player would in a single game, or that mixes up games."""
    of, player = game(name), player_of(name)
    played = player.play(options_of(of), keys_of(KEY, 5))
    for i, state in enumerate(begun(name, 5)):
        n = 0
        while of.kernels.mover(state) != OVER:
            if of.kernels.mover(state) == CHANCE:
                of.kernels.chance(state)
                continue
            n += len(of.legal(state)) > 1
            of.step(state, player.choose(state) if len(of.legal(state)) > 1 else of.legal(state)[0])
        assert (of.returns(state)[0], n) == (played.scores[i], played.lengths[i])


def test_what_is_noted_of_a_choice_belongs_together():
    """Points, inputs and totals of different afterstates: the network would learn noise."""
    of = game("clever")
    player = player_of("clever")
    played = player.play(options_of(of), keys_of(KEY, 8), epsilon=0.3, keep=True)
    for k, inputs in enumerate(played.inputs):
        here = np.flatnonzero(k < played.lengths)
        assert len(inputs) == len(here)
        player.inputs[: len(inputs)] = inputs
        # All rows of the final choice are zeros where the game is over.
        sure = ~played.explored[k, here] & inputs.any(axis=1)
        totals = played.so_far[k, here] + player._to_come(len(inputs))
        np.testing.assert_allclose(totals[sure], played.best[k, here][sure], rtol=1e-4)
    assert 0.2 < played.explored[np.arange(len(played.best))[:, None] < played.lengths].mean() < 0.4


def small(**changes) -> SoloTDSettings:
    """Settings of a training of a second."""
    return SoloTDSettings(**{"at_once": 256, "hidden": (64,), "batch": 256, **changes})


def test_it_learns_the_prototype():
    """A network whose games go by without a trace: with six dice chance has 63.9 points, the best play 84.3."""
    of = game("clever-prototype")
    training = SoloTD(of, options_of(of, dice="6"), small(rate=3e-3, last_rate=1e-4))
    for i in range(60):
        training.iterate(i / 60)
    training.player.take(training.network)
    assert training.player.scores(training.options, keys_of(KEY, 4096))[0].mean() > 80


@pytest.mark.proof
@pytest.mark.parametrize("dice", [2, 4])
def test_it_comes_to_the_optimum(dice):
    """A learner that stops at a player who is nearly as good: within 0.5 of the exact value."""
    of = game("clever-prototype")
    training = SoloTD(of, options_of(of, dice=str(dice)), SoloTDSettings(batch=1024))
    for i in range(400):
        training.iterate(i / 400)
    training.player.take(training.network)
    scores, _ = training.player.scores(training.options, keys_of(KEY, 200_000))
    assert optimum(dice).optimum - 0.5 < scores.mean() < optimum(dice).optimum + 0.15


def test_a_restored_training_goes_on_as_it_would_have():
    """A moment of the optimiser or a random number that is not what it was."""
    of = game("clever-prototype")
    training = SoloTD(of, options_of(of), small())
    training.iterate(0.0)
    again = SoloTD(of, options_of(of), small(seed=1))
    again.load(training.tensors(), training.iteration)
    assert training.iterate(0.5) == again.iterate(0.5)
    for name, tensor in training.tensors().items():
        assert torch.equal(tensor, again.tensors()[name]), name
    assert training.games == 512


def test_the_unit_of_the_network_is_that_of_its_targets():
    """A network that says tenths where points are added."""
    of, player = game("clever-prototype"), player_of("clever-prototype")
    network = PointsNet(of.inputs, (4,))
    torch.nn.init.zeros_(network.last.weight)
    torch.nn.init.constant_(network.last.bias, 0.5)
    player.take(network)
    states = begun("clever-prototype")
    np.testing.assert_allclose(player.totals(states), 0.5 * UNIT)
