"""Looking one roll ahead: against all rolls, one by one, and that it knows nothing of those to come."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from tests.makers.games import options_of
from tichu_models.algorithms.afterstate_player import AfterstatePlayer, PointsNet
from tichu_models.algorithms.expectimax import Expectimax
from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.game import CHANCE
from tichu_models.games.clever.prototype import rules
from tichu_models.games.registry import game

PROTOTYPE = game("clever-prototype")


def network_of(name: str) -> PointsNet:
    """Random weights."""
    torch.manual_seed(4)
    return PointsNet(game(name).inputs, (16,))


def at_choice(name: str, key: int, **words):
    """A game at its first choice, as a batch of one."""
    of = game(name)
    states = np.zeros(1, dtype=of.state).view(np.recarray)
    actions, made = np.zeros(of.most_actions, dtype=np.int16), np.zeros(len(states), dtype=np.int64)
    of.algorithms["begin_choices"](states, options_of(of, **words), keys_of(np.uint64(key), 1), actions, made)
    return states


def worth(plain: AfterstatePlayer, after) -> float:
    """A position of the prototype after an action: the mean over all rolls of two dice of the best total there."""
    values = []
    for one, other in product(range(1, 7), repeat=2):
        state = PROTOTYPE.copy(after)
        if state.steps:
            state.shown, state.rolling = 1 << one | 1 << other, 0
        legal = PROTOTYPE.legal(state)
        if not legal:
            values.append(float(rules.points(state)))
        elif len(legal) > 1:
            batch = np.zeros(1, dtype=PROTOTYPE.state).view(np.recarray)
            batch[0] = state
            values.append(plain.totals(batch).max())
        else:
            PROTOTYPE.step(state, legal[0])
            values.append(worth(plain, state))
    return float(np.mean(values))


def test_a_total_is_the_mean_over_all_rolls():
    """A mean over other rolls, or the best action of another one."""
    network = network_of("clever-prototype")
    network.last.weight.data *= 10
    plain, states = AfterstatePlayer(PROTOTYPE, network), at_choice("clever-prototype", 5, dice="2")
    player = Expectimax(PROTOTYPE, network, rolls=6_000, width=16, margin=1e6)
    totals, codes = player.totals(states), player.codes.copy()
    assert len(totals) > 1
    for total, code in zip(totals, codes, strict=False):
        after = PROTOTYPE.copy(states[0])
        PROTOTYPE.kernels.step(after, code)
        assert total == pytest.approx(worth(plain, after), abs=0.5)


def test_only_good_actions_are_looked_at():
    """An action that was left out and is taken all the same, or a choice that is clear and costs time."""
    network, states = network_of("clever"), at_choice("clever", 1)
    plain = AfterstatePlayer(game("clever"), network).totals(states)
    found = Expectimax(game("clever"), network, rolls=4, width=3, margin=1e6).totals(states)
    assert np.isfinite(found).sum() == 3
    assert set(np.flatnonzero(np.isfinite(found))) == set(np.argsort(-plain, kind="stable")[:3])
    np.testing.assert_array_equal(Expectimax(game("clever"), network, rolls=4, margin=0.0).totals(states), plain)


def test_it_does_not_know_what_will_be_rolled():
    """A player that is clairvoyant: its totals change when only the dice to come do."""
    network, states = network_of("clever"), at_choice("clever", 2)
    first = Expectimax(game("clever"), network, rolls=8).totals(states)
    before = states[0].copy()
    states[0].key = np.uint64(99)
    np.testing.assert_array_equal(Expectimax(game("clever"), network, rolls=8).totals(states), first)
    states[0].key = before.key
    assert states[0] == before


def test_a_batch_plays_as_one_game_would():
    """Buffers of one choice that another one reads: a game that is not what it would be alone."""
    of = game("clever")
    player = Expectimax(of, network_of("clever"), rolls=2)
    played = player.play(options_of(of), keys_of(np.uint64(3), 70))
    assert (played.scores > 0).all()
    assert of.kernels.mover(at_choice("clever", 3)[0]) != CHANCE
    again = Expectimax(of, network_of("clever"), rolls=2).play(options_of(of), keys_of(np.uint64(3), 70))
    np.testing.assert_array_equal(played.scores, again.scores)
