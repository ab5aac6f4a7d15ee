"""Masked PPO in games of two sides: whose values are whose, that it learns, and that it goes on where it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.makers.games import options_of
from tichu_models.algorithms.sides_ppo import SidesPPO, SidesPPOSettings
from tichu_models.game import OVER
from tichu_models.games.agents import agent_of
from tichu_models.games.match import match
from tichu_models.games.pachisi.board import OPEN
from tichu_models.games.registry import game
from tichu_models.games.sides_agents import policy_agent
from tichu_models.options import OptionError

MADN = game("madn")
RULES = {"players": "2", "distance": "4"}
SMALL = {"games": 64, "horizon": 32, "batch": 512, "hidden": (64,), "rate": 2e-3}


def training_of(**changes) -> SidesPPO:
    """A small training."""
    return SidesPPO(MADN, options_of(MADN, **RULES), SidesPPOSettings(**{**SMALL, **changes}))


def test_rewards_and_values_are_those_of_who_acts():
    """A side that is paid for what the other one has won, or takes the other's hopes for its own."""
    world, generator, ended = training_of().world, np.random.default_rng(1), 0
    for _ in range(300):
        before = [MADN.copy(state) for state in world.batch.states]
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in world.masks])
        sides = world.batch.sides.copy()
        rewards, follows = world.step(chosen)
        for i, (state, reward, follow) in enumerate(zip(before, rewards, follows, strict=True)):
            MADN.step(state, int(next(a for a in MADN.legal(state) if _number(state, a) == chosen[i])))
            over = MADN.kernels.mover(state) == OVER
            assert (reward, follow) == (1, 0) if over else reward == 0
            assert over or follow == (1 if world.batch.sides[i] == sides[i] else -1)
            ended += over
    assert world.figures()["games"] == ended > 0


def _number(state, action: int) -> int:
    from tichu_models.games.pachisi.madn.pins import seen_as

    return seen_as(state, action)


def test_it_learns_to_beat_chance():
    """A policy that follows noise, or plays for the other side."""
    training = training_of()
    figures = [training.iterate(i / 40) for i in range(40)]
    assert figures[-1]["entropy"] < figures[0]["entropy"]
    agent = policy_agent("ppo", MADN, training.world.inputs, training.policy.ask)
    found = match(MADN, options_of(MADN, **RULES), [agent, agent_of(MADN, "random")], 200, 1, 4)
    assert found["agents"][0]["share"] > 0.58
    assert found["agents"][0]["illegal"] == 0


@pytest.mark.parametrize("changes", [{}, {"blocks": 2, "dropout": 0.3}])
def test_a_restored_training_goes_on_as_it_would_have(changes):
    """Games that begin anew after a stop, a moment of an optimiser or a random number that is not what it was; units
    that are left out while it plays."""
    training, again = (training_of(games=16, horizon=8, batch=64, hidden=(16,), **changes) for _ in range(2))
    for _ in range(2):
        training.iterate(0.0)
    again.load(training.tensors(), training.iteration)
    assert training.iterate(0.5) == again.iterate(0.5)
    seen = torch.from_numpy(training.world.seen)
    assert torch.equal(training.policy.ask(seen), training.policy.ask(seen))
    for name, tensor in training.tensors().items():
        assert torch.equal(tensor, again.tensors()[name]), name


def test_hands_are_open_at_first():
    """Hands that stay open, or that open again after a stop, or close at one; deals that have been seen before."""
    dog = game("dog")
    settings = SidesPPOSettings(games=8, horizon=4, batch=32, hidden=(8,), opened=0.5)
    training, again = (SidesPPO(dog, options_of(dog, players="2"), settings) for _ in range(2))
    assert all(state.rules & OPEN for state in training.world.batch.states)
    dealt = training.world.batch.states.deck.copy()
    training.iterate(0.4)
    again.load(training.tensors(), training.iteration)
    assert training.iterate(0.45) == again.iterate(0.45)
    assert all(state.rules & OPEN for state in training.world.batch.states)
    training.world.close()
    assert (training.world.batch.states.deck != dealt).any()
    for share in (0.5, 0.6):
        training.iterate(share)
        assert not any(state.rules & OPEN for state in training.world.batch.states)
    again.load(training.tensors(), training.iteration)
    assert training.iterate(0.7) == again.iterate(0.7)
    assert (training.world.batch.states == again.world.batch.states).all()


def test_what_is_not_hidden_cannot_be_opened():
    """Games that begin anew half-way through a run, for nothing."""
    with pytest.raises(OptionError, match="madn has no hidden cards"):
        training_of(opened=0.5)
