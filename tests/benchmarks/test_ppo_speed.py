"""How fast masked PPO learns the whole game, against MaskablePPO of sb3-contrib with the same network in one run: both
with five epochs over what was played, each with its own number of environments, by processor time.

Beside it stands what the core could do if it did nothing but multiply matrices: the products of both networks, forward
once when a step is made and three times in every epoch, forward and backward, at the rate of large matrices."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from tests.makers.games import options_of
from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.algorithms.solo_ppo import SoloPPO, SoloPPOSettings
from tichu_models.games.registry import game
from tichu_models.games.solo_actions import ACTIONS

pytestmark = pytest.mark.bench
# The target has not been reached, and on a quiet machine the bound by matrix products alone lies below it, however fast
# the environment is (43 and 13 times MaskablePPO). The floor holds what there is.
EPOCHS, TARGET, FLOOR = 5, 60.0, 7.0
PASSES = 1 + 3 * EPOCHS
MATRIX = 2048
SIZES = ((64, 64), (256, 256))
ENVIRONMENTS, STEPS, BATCH = 32, 64, 128  # of the thesis


def seconds_of_steps(hidden: tuple[int, ...]) -> float:
    """A step's processor time here."""
    settings = SoloPPOSettings(hidden=hidden, epochs=EPOCHS, batch=4096)
    training = SoloPPO(game("clever"), options_of(game("clever")), ACTIONS["clever"], settings)
    training.iterate(0.0)
    before, began = training.steps, time.process_time()
    for _ in range(2):
        training.iterate(0.0)
    return (time.process_time() - began) / (training.steps - before)


def seconds_of_sb3(hidden: tuple[int, ...]) -> float:
    """A step's processor time there."""
    gymnasium = pytest.importorskip("gymnasium")
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.env_util import make_vec_env

    def one():
        return gymnasium.make("tichu_models.games.environments:clever-v0")

    model = sb3_contrib.MaskablePPO(
        *("MlpPolicy", make_vec_env(one, n_envs=ENVIRONMENTS, seed=1)),
        n_steps=STEPS,
        batch_size=BATCH,
        n_epochs=EPOCHS,
        gamma=1.0,
        device="cpu",
        seed=1,
        policy_kwargs={"net_arch": list(hidden)},
    )
    model.learn(ENVIRONMENTS * STEPS)
    began = time.process_time()
    model.learn(ENVIRONMENTS * STEPS)
    return (time.process_time() - began) / (ENVIRONMENTS * STEPS)


def operations_a_step(hidden: tuple[int, ...]) -> int:
    """Multiplications and additions of both networks for a step and what is learned from it."""
    of = game("clever")
    sizes = [(of.observation, *hidden, outputs) for outputs in (ACTIONS["clever"], 1)]
    return PASSES * sum(2 * before * after for each in sizes for before, after in pairwise(each))


def operations_a_second() -> float:
    """Those of this core in a product of large matrices, in the number type of the training."""
    import torch

    torch.set_num_threads(1)
    kind = torch.bfloat16 if has_fast_bf16() else torch.float32
    matrix = torch.ones((MATRIX, MATRIX), dtype=kind)
    seconds = []
    for _ in range(4):
        began = time.process_time()
        matrix @ matrix
        seconds.append(time.process_time() - began)
    return 2 * MATRIX**3 / min(seconds)


@pytest.mark.parametrize("hidden", SIZES)
def test_steps_against_maskable_ppo(hidden):
    """Learning that a library would do as fast."""
    here, there = 1 / seconds_of_steps(hidden), 1 / seconds_of_sb3(hidden)
    reached = "reached" if here >= TARGET * there else "missed"
    ratio = f"{here / there:.0f} x MaskablePPO ({there:,.0f}), target {TARGET:.0f} ({reached})"
    bound = operations_a_second() / operations_a_step(hidden)
    print(f"\nPPO with {list(hidden)}: {here:,.0f} steps/s, {ratio}")
    print(f"by matrix products alone {bound:,.0f} steps/s, {bound / there:.0f} x; {here / bound:.0%} of it")
    assert here / there >= FLOOR
