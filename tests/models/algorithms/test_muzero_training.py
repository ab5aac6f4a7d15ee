"""MuZero in training: what it does with its games, and that it goes on as it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.makers.games import options_of
from tichu_models.algorithms.muzero import training
from tichu_models.algorithms.muzero.networks import Sizes
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.algorithms.muzero.training import MuZero, MuZeroSettings
from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.games.agents import agent_of
from tichu_models.games.pachisi.madn.pins import seen_as
from tichu_models.games.registry import game

SMALL = Sizes(latent=16, hidden=32)
QUICK = {"games": 8, "moves": 32, "room": 96, "simulations": 3, "sizes": SMALL, "batch": 8, "warm_up": 64}
QUICK |= {"replayed": 0.1, "pairs": 12}


@pytest.mark.parametrize("dice", ["0", "1"])
@pytest.mark.parametrize(
    "changes",
    [{"legal": 0.0, "losses": "seed", "first_simulations": 1}, {"sizes": Sizes(16, 32, 2, 0.2), "guided": 0.55}],
)
def test_training_goes_on_as_it_was(changes, dice):
    """Dropout, noise or a batch that depends on what the process did before; an arm that cannot be trained."""
    of = game("madn")
    options = options_of(of, players="2", distance="4", dice=dice)
    settings = MuZeroSettings(**{**QUICK, **changes})
    whole, other = MuZero(of, options, settings), MuZero(of, options, settings)
    for _ in range(5):
        whole.iterate(0.5)
    other.load({name: tensor.clone() for name, tensor in whole.tensors().items()}, whole.iteration, whole.ended)
    assert whole.ended > 0
    figures = [training.iterate(0.6) for training in (whole, other)]
    np.testing.assert_equal(*figures)
    assert np.isfinite(figures[0]["loss.value"])
    for a, b in zip(whole.tensors().values(), other.tensors().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


class AtOnce:
    """An executor that does its work before anything else."""

    def __init__(self, *_, **__):
        self._found = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, work, *given):
        """Works."""
        self._found = work(*given)
        return self

    def result(self):
        """What it has found."""
        return self._found


def test_playing_beside_learning_changes_nothing(monkeypatch):
    """Games that are played with half of the new weights, or learned from while they are written."""
    of, options = game("madn"), options_of(game("madn"), players="2", distance="4")
    found = []
    for kind in (training.ThreadPoolExecutor, AtOnce):
        monkeypatch.setattr(training, "ThreadPoolExecutor", kind)
        trained = MuZero(of, options, MuZeroSettings(**QUICK))
        figures = [trained.iterate(0.5) for _ in range(6)]
        found.append((figures, trained.tensors()))
    assert np.isfinite(found[0][0][-1]["loss.value"])
    np.testing.assert_equal(found[0][0], found[1][0])
    for a, b in zip(found[0][1].values(), found[1][1].values(), strict=True):
        np.testing.assert_array_equal(a, b)  # values that were not searched are NaN


def test_pairs_are_learned_between_windows(monkeypatch):
    """Long windows that are left out, or take all the time; figures that mix the losses of both."""
    of, options = game("madn"), options_of(game("madn"), players="2", distance="4")
    found, shapes, values = MuZero(of, options, MuZeroSettings(**{**QUICK, "between": 3})), [], []
    losses_of = MuZero.losses_of

    def noted(training, windows):
        parts = losses_of(training, windows)
        shapes.append(tuple(windows.exists.shape))
        if shapes[-1] == (8, 6):
            values.append(parts["value"].item() / 6)
        return parts

    monkeypatch.setattr(MuZero, "losses_of", noted)
    for _ in range(3):
        shapes.clear(), values.clear()
        figures = found.iterate(0.5)
    assert shapes == [(8, 6), (12, 2), (12, 2), (12, 2)] * 3
    assert figures["loss.value"] == pytest.approx(np.mean(values))


@pytest.mark.skipif(not has_fast_bf16(), reason="it plays in float32 here")
@pytest.mark.parametrize("dice", ["0", "1"])
def test_it_plays_in_bfloat16_what_it_would_in_float32(dice):
    """Searches whose values are lost in rounding, or that take the number type in which the networks learn."""
    of, options = game("madn"), options_of(game("madn"), players="2", distance="4", dice=dice)
    trained = MuZero(of, options, MuZeroSettings(**{**QUICK, "games": 64}))
    for _ in range(4):
        trained.iterate(0.5)
    noise = np.zeros(trained.batch.masks.shape)
    trained._playing.load_state_dict(trained.network.state_dict())
    assert {each.dtype for each in trained._playing.parameters()} == {torch.bfloat16}
    assert {each.dtype for each in trained.network.parameters()} == {torch.float32}
    found, exact = (
        trained._thinker_with(network, 64, 8).think(trained.batch.seen, trained.batch.masks, noise)
        for network in (trained._playing, trained.network)
    )
    np.testing.assert_allclose(found.values, exact.values, atol=0.05)
    np.testing.assert_allclose(found.weights, exact.weights, atol=0.1)
    assert (found.values != exact.values).any()


def test_simulations_grow(monkeypatch):
    """Minutes that are spent on searches with networks that know nothing yet; or a search that stays small."""
    of, options = game("madn"), options_of(game("madn"), players="2", distance="4")
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    found = MuZero(of, options, MuZeroSettings(**{**QUICK, "first_simulations": 1, "simulations": 9}))
    grown, search = [], Thinker.think

    def think(thinker, *given):
        grown.append(thinker.simulations)
        return search(thinker, *given)

    monkeypatch.setattr(Thinker, "think", think)
    for share in (0.0, 0.5, 1.0):
        found.iterate(share)
    assert grown == [1] * 32 + [3] * 32 + [9] * 32
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (threads, precision)


def test_rules_of_thumb_are_learned_as_they_play():
    """A policy that learns the random actions among theirs; values of searches that there were not."""
    of, options = game("madn"), options_of(game("madn"), players="2", distance="4")
    found = MuZero(of, options, MuZeroSettings(**{**QUICK, "guided": 0.5, "curious": 0.5}))
    rules, expected = agent_of(of, "rules"), []
    step = found.batch.step

    def noted(numbers):
        expected.append([seen_as(state, rules.choose(state, np.uint64(0))) for state in found.batch.states])
        assert found.batch.masks[np.arange(len(numbers)), numbers].all()
        step(numbers)

    found.batch.step = noted
    for _ in range(3):
        found.iterate(0.4)
    rows, now = found.replay, found.replay.now
    assert rows.policies[:, :now].argmax(axis=2).T.tolist() == expected
    assert 0.3 < (rows.actions[:, :now] != rows.policies[:, :now].argmax(axis=2)).mean() < 0.5
    known = rows.known()
    assert np.isin(np.sign(rows.aims.reshape(-1)[known]), (-1, 1)).all()
    assert (np.abs(rows.aims.reshape(-1)[known]) > 0.5).all()
    found.iterate(0.5)
    np.testing.assert_array_equal(np.isnan(rows.values[:, now : rows.now]), ~rows.chooses[:, now : rows.now])
