"""How fast networks learn and answer, on one core and by processor time; `make bench` prints the figures.

Most of a step is matrix products, whose speed is the hardware's. Beside the samples a second stands therefore, measured
in the same run, how many there are in a loop of plain torch with the same layers and nothing else, and how many there
would be if a step were its products alone. A share of the loop is what can be lost here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from tests.benchmarks.figures import CLEARLY_MISSED, report
from tests.makers.learners import made_up_batch
from tichu_models.algorithms.precision import float32_by_onednn, has_fast_bf16
from tichu_models.learning.config_files import run_config
from tichu_models.learning.learner import Learner
from tichu_models.networks.architectures import build
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.inputs import inputs_of
from tichu_pipeline.training.train import TrainingRequest, train_run

pytestmark = pytest.mark.bench
BATCH = run_config("PolicyNet", "laptop").training.batch_size
SIZES = (375, 512, 512, 256, 57)  # of PolicyNet
SHORT, LONG = 10, 160  # batches of an epoch: what they differ by is neither start nor end of a run
TARGETS = {torch.bfloat16: 100_000, torch.float32: 30_000}  # PolicyNet's samples/s, where products are fast enough
SHARE_OF_PRODUCTS = 0.65  # that is expected of slower hardware
SHARE_OF_ALL = 0.6  # likewise, from rounds to the end of an epoch
SHARE_OF_LOOP = 0.9  # that a step reaches at least, up to CLEARLY_MISSED


@pytest.fixture(autouse=True)
def _one_thread():
    """Figures are of one core."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def _as_in_a_run():
    """What a run comes to by itself holds for the plain loop and the products too.

    Once a loader has freed a large array, glibc keeps the memory of a step for the next one; else the system would
    clear its pages anew, step by step, for a sixth of the time.
    """
    torch.empty(31 << 20, dtype=torch.uint8)
    with float32_by_onednn():
        yield


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
    optimizer = learner.configure_optimizers()["optimizer"]
    turns = getattr(config.network, "turns", 1)
    batch = made_up_batch(config.architecture.objective, samples, 375, turns)
    if fast:  # as loaders give it
        batch = batch._replace(state=batch.state.bfloat16(), target=batch.target.bfloat16())

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


def plain_loop(kind: torch.dtype) -> Callable[[], None]:
    """A step of PolicyNet's layers as a short script has it: no clipping, no schedule, no metrics, no weights."""
    layers: list[nn.Module] = []
    for before, after in pairwise(SIZES):
        layers += [nn.Linear(before, after), nn.ReLU(), nn.Dropout(0.2)]
    network = nn.Sequential(*layers[:8], layers[9])  # dropout behind the first two, nothing behind the last
    optimizer = torch.optim.AdamW(network.parameters(), fused=True)
    x, y = torch.rand(BATCH, SIZES[0]).to(kind), (torch.rand(BATCH, SIZES[-1]) < 0.05).float()

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=kind == torch.bfloat16):
            loss = binary_cross_entropy_with_logits(network(x).float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


@pytest.mark.usefixtures("_as_in_a_run")
@pytest.mark.parametrize("kind", TARGETS)
def test_policy_net_training(kind):
    """A corpus of a billion decisions is out of reach if steps are spent on anything but learning."""
    fast = kind == torch.bfloat16
    if fast and not has_fast_bf16():
        pytest.skip("this CPU multiplies no bfloat16")
    products = BATCH / product_seconds(SIZES, kind)
    loop, rate = (BATCH / core_seconds(step, 10) for step in (plain_loop(kind), stepper("PolicyNet", BATCH, fast)))
    print(
        f"\nPolicyNet in {kind}: {rate:,.0f} samples/s a core (target {TARGETS[kind]:,}), {rate / loop:.0%} of a loop "
        f"of plain torch ({loop:,.0f}), {rate / products:.0%} of its products alone ({products:,.0f})"
    )
    assert rate > CLEARLY_MISSED * SHARE_OF_LOOP * loop
    assert rate > CLEARLY_MISSED * min(TARGETS[kind], SHARE_OF_PRODUCTS * products)


@pytest.mark.parametrize("kind", TARGETS)
def test_policy_net_training_from_rounds(tmp_path, kind):
    """The loop is fast by itself, and waits for batches, or for what the trainer does between them."""
    if kind == torch.bfloat16 and not has_fast_bf16():
        pytest.skip("this CPU multiplies no bfloat16")
    paths = DataPaths(tmp_path)
    generate(paths.raw, 1000, ["2024-01"], seed=1)
    ingest(paths.raw, paths)
    fit(paths)
    assert len(inputs_of(run_config("PolicyNet", "laptop"), paths).samples()) > LONG

    def seconds(batches: int, name: str) -> float:
        settings = (
            f"training.epoch_samples={batches * BATCH}",
            f"training.precision={str(kind).removeprefix('torch.')}",
            *("training.epochs=1", "training.threads=1", "data.validation_samples=1000"),
        )
        started = time.process_time()
        train_run(paths, TrainingRequest("PolicyNet", "laptop", settings, name))
        return time.process_time() - started

    seconds(SHORT, "compiles")
    short, long = (min(seconds(batches, f"of_{batches}_{i}") for i in range(3)) for batches in (SHORT, LONG))
    rate, loop = BATCH * (LONG - SHORT) / (long - short), BATCH / core_seconds(plain_loop(kind), 10)
    print(
        f"\nPolicyNet from rounds in {kind}, all in all: {rate:,.0f} samples/s (target {TARGETS[kind]:,}), "
        f"{rate / loop:.0%} of a loop of plain torch"
    )
    assert rate > CLEARLY_MISSED * SHARE_OF_ALL * loop
    assert rate > CLEARLY_MISSED * min(TARGETS[kind], SHARE_OF_ALL * loop)


@pytest.mark.usefixtures("_as_in_a_run")
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
