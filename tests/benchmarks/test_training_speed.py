"""How fast networks learn and answer, on one core and by processor time; `make bench` prints the figures.

Most of a step is matrix products, whose speed is the hardware's. Beside the samples a second stands therefore how many
there would be if a step were its products alone; the ratio is what can be won or lost here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

from tests.benchmarks.test_engine_speed import CLEARLY_MISSED, report
from tests.models.learners import made_up_batch
from tichu_models.learning.config_files import run_config
from tichu_models.learning.learner import Learner
from tichu_models.learning.training import has_fast_bf16
from tichu_models.networks.registry import build

pytestmark = pytest.mark.bench
BATCH = 1024
SHARE_OF_PRODUCTS = 0.5  # of a step of PolicyNet in bfloat16


@pytest.fixture(autouse=True)
def _one_thread():
    """Figures are of one core."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def core_seconds(work: Callable[[], object], times: int, rounds: int = 5) -> float:
    """Processor time of one call, the best of several rounds."""
    work()
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - started) / times)
    return best


def stepper(network: str, samples: int, fast: bool) -> Callable[[], None]:
    """A step of training on the same made-up batch."""
    config = run_config(network, "laptop")
    learner = Learner(config, 375, 1000)
    learner.log = lambda *_, **__: None  # type: ignore[method-assign]
    optimizer = learner.configure_optimizers()["optimizer"]
    turns = getattr(config.network, "turns", 1)
    batch = made_up_batch(config.architecture.objective, samples, 375, turns)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=fast):
            loss = learner.training_step(batch, 0)
        optimizer.zero_grad()
        loss.backward()
        learner.configure_gradient_clipping(optimizer)
        optimizer.step()

    return step


def product_seconds(sizes: tuple[int, ...], kind: torch.dtype) -> float:
    """The matrix products of a step, forth and back; the first layer's input needs no gradient."""
    x = [torch.randn(BATCH, size).to(kind) for size in sizes]
    weights = [torch.randn(before, after).to(kind) for before, after in pairwise(sizes)]

    def products() -> None:
        for i, weight in enumerate(weights):
            _ = x[i] @ weight
            _ = x[i].mT @ x[i + 1]
            if i:
                _ = x[i + 1] @ weight.mT

    return core_seconds(products, 10)


@pytest.mark.parametrize("fast", [False, True])
def test_policy_net_training(fast):
    """A corpus of a billion decisions is out of reach if steps are spent on anything but products."""
    if fast and not has_fast_bf16():
        pytest.skip("this CPU multiplies no bfloat16")
    kind = torch.bfloat16 if fast else torch.float32
    bare = BATCH / product_seconds((375, 512, 512, 256, 57), kind)
    rate = BATCH / core_seconds(stepper("PolicyNet", BATCH, fast), 10)
    print(f"\nPolicyNet in {kind}: {rate:,.0f} samples/s a core, {rate / bare:.0%} of its products alone ({bare:,.0f})")
    assert rate > CLEARLY_MISSED * SHARE_OF_PRODUCTS * bare


def test_dt_net_training():
    """A transformer on sequences is easily ten times slower than it must be."""
    rate = 64 / core_seconds(stepper("DTNet", 64, has_fast_bf16()), 3, rounds=3)
    report("DTNet of the laptop preset, rounds of a seat", rate, 500)


def test_single_decision():
    """Search asks a network for millions of single decisions."""
    network, state = build("PolicyNet", 375).eval(), torch.rand(1, 375)
    with torch.inference_mode():
        seconds = core_seconds(lambda: network(state), 500)
    report("PolicyNet, one decision at a time", 1 / seconds, 10_000)
