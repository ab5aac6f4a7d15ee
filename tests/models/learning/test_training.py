"""A run learns, can be killed and taken up again, and loses nothing that it had."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from tests.makers.learners import made_up_batch, random_candidates
from tichu_models.learning import hardware, journal
from tichu_models.learning.config_files import run_config
from tichu_models.learning.learner import Learner, NotFiniteError
from tichu_models.learning.training import train
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.runs.checkpoint import load
from tichu_models.runs.manifest import RunManifest, SpecStamp
from tichu_models.samples.batches import InMemory

INPUTS = 20


@pytest.fixture(autouse=True)
def _alike():
    """Threads cost such small networks more than they bring."""
    torch.set_num_threads(1)


def _run(network="PolicyNet", n=48, *settings):
    """Settings, manifest and sources of a small run in float32."""
    fast = ["training.batch_size=16", "training.epochs=3", "training.checkpoint_steps=2", "training.precision=float32"]
    config = run_config(network, "smoke", [*fast, "training.accelerator=cpu", *settings])
    spec = SpecStamp(name=config.spec, version=1, digest="x")
    manifest = RunManifest(
        network=network,
        config=config.network,
        spec=spec,
        inputs=INPUTS,
        scaling={},
        data={},
        seed=0,
        training=config.plain(),
    )
    samples = made_up_batch(config.architecture.objective, n, INPUTS, answers=config.architecture.outputs or 1)
    size = config.training.batch_size
    return config, manifest, InMemory(samples, size, seed=1), InMemory(samples, size)


@pytest.mark.parametrize("network", ARCHITECTURES)
def test_every_network_is_trained_to_the_end(network, tmp_path):
    """An objective that does not fit its network fails only when somebody trains it."""
    config, manifest, samples, validation = _run(network)
    epochs = []
    trained = train(config, manifest, tmp_path, samples, validation, lambda epoch, figures: epochs.append(epoch))
    assert epochs == [1, 2, 3]
    assert trained.figures["val_loss"] > 0
    names = set(trained.figures)
    assert any(name.startswith(("val_top1", "val_r2", "val_called_auc", "val_right_top1", "val_auc")) for name in names)
    assert load(tmp_path).notes["epoch"] == f"{trained.figures['epoch']:g}"
    files = {path.name for path in tmp_path.iterdir() if not path.name.startswith("events.out")}
    assert files == {"manifest.json", "model.safetensors", "last.safetensors", "metrics.csv", "figures.json"}
    assert len(list(tmp_path.glob("events.out.*"))) == 1


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_run_learns(precision, tmp_path):
    """All may run, and the optimiser step the wrong parameters."""
    settings = ["epochs=12", "batch_size=4", "learning_rate=0.02", f"precision={precision}"]
    config, manifest, samples, validation = _run(
        "CandidatePolicyNet", 40, *(f"training.{each}" for each in settings), "network.dropout=0"
    )
    trained = train(config, manifest, tmp_path, samples, validation)
    assert trained.figures["val_top1_not_forced"] > 0.8
    assert trained.figures["val_top1_not_forced"] > 2.5 * trained.figures["val_uniform_top1_not_forced"]


def test_a_finished_run_is_not_trained_again(tmp_path):
    """Every materialisation would cost the whole training."""
    config, manifest, samples, validation = _run()
    first = train(config, manifest, tmp_path, samples, validation)
    before = (tmp_path / "metrics.csv").read_text()
    again = train(config, manifest, tmp_path, samples, validation)
    assert (first.reused, again.reused) == (False, True)
    assert again.figures == first.figures
    assert (tmp_path / "metrics.csv").read_text() == before


def test_another_run_in_the_folder_starts_anew(tmp_path):
    """It would go on with the weights, or stop with the figures, of other settings."""
    config, manifest, samples, validation = _run()
    train(config, manifest, tmp_path, samples, validation)
    changed, other, samples, validation = _run("PolicyNet", 48, "training.learning_rate=0.01", "training.epochs=1")
    trained = train(changed, other, tmp_path, samples, validation)
    assert not trained.reused
    assert load(tmp_path).manifest == other
    with (tmp_path / "metrics.csv").open() as file:
        assert {row["epoch"] for row in csv.DictReader(file)} == {"1"}


class _Killed(BaseException):
    """As by a signal."""


class _KilledAt(InMemory):
    """A source in whose epoch the run is killed, at a batch."""

    at = (-1, -1)

    def __iter__(self):
        for batch in super().__iter__():
            if (self.epoch, self.done) == self.at:
                raise _Killed
            yield batch


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("at", [(0, 3), (1, 5), (1, 6), (2, 1), (2, 4), "validation"])
def test_a_killed_run_ends_as_one_that_was_not(at, accumulate, tmp_path, monkeypatch):
    """Batches seen twice or never, other dropped neurons, a rate that starts anew: the figures would differ."""
    monkeypatch.setattr(journal, "EVERY_STEPS", 2)
    settings = ("PolicyNet", 96, f"training.accumulate={accumulate}", "training.checkpoint_steps=1")
    config, manifest, samples, validation = _run(*settings)
    whole = train(config, manifest, tmp_path / "whole", samples, validation)
    config, manifest, samples, validation = _run(*settings)
    if at == "validation":
        validation = _KilledAt(validation.samples, validation.batch_size)
        validation.at = (1, 3)
    else:
        samples = _KilledAt(samples.samples, samples.batch_size, seed=1)
        samples.at = at
    with pytest.raises(_Killed):
        train(config, manifest, tmp_path / "killed", samples, validation)
    assert (tmp_path / "killed" / "resume.ckpt").exists()
    config, manifest, samples, validation = _run(*settings)
    resumed = train(config, manifest, tmp_path / "killed", samples, validation)
    assert resumed.figures == whole.figures
    one, other = load(tmp_path / "whole").network.state_dict(), load(tmp_path / "killed").network.state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert (tmp_path / "killed" / "metrics.csv").read_text() == (tmp_path / "whole" / "metrics.csv").read_text()


def test_resuming_unpickles_no_code(tmp_path):
    """A file in the folder of a run would be executed when the run is taken up again."""
    config, manifest, samples, validation = _run()
    samples = _KilledAt(samples.samples, samples.batch_size, seed=1)
    samples.at = (1, 2)
    with pytest.raises(_Killed):
        train(config, manifest, tmp_path, samples, validation)
    torch.save({"state_dict": _Evil(str(tmp_path / "harm"))}, tmp_path / "resume.ckpt")
    config, manifest, samples, validation = _run()
    with pytest.raises(Exception, match=r"[Ww]eights.only"):
        train(config, manifest, tmp_path, samples, validation)
    assert not (tmp_path / "harm").exists()


class _Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_best(tmp_path):
    """Hours of training would go on with weights that are lost, and end by overwriting the good ones."""
    config, manifest, samples, validation = _run()

    class Poisoned(InMemory):
        def __iter__(self):
            for batch in super().__iter__():
                yield batch if self.epoch < 1 else batch._replace(state=batch.state * torch.nan)

    poisoned = Poisoned(samples.samples, samples.batch_size, seed=1)
    with pytest.raises(NotFiniteError, match=r"loss is nan at step 3 of epoch 1, learning rate .*; what was saved"):
        train(config, manifest, tmp_path, poisoned, validation)
    assert load(tmp_path).notes["epoch"] == "1"
    assert not (tmp_path / "figures.json").exists()


def test_it_stops_when_it_gets_no_better(tmp_path):
    """A network that learns its samples by heart would be trained to the bitter end, and the worst weights kept."""
    config, manifest, samples, validation = _run("ValueNet", 48, "training.epochs=60", "training.patience=2")
    noise = validation.samples._replace(value=torch.randn(48))
    trained = train(config, manifest, tmp_path, samples, InMemory(noise, 16))
    with (tmp_path / "metrics.csv").open() as file:
        losses = [float(row["value"]) for row in csv.DictReader(file) if row["name"] == "val_loss"]
    assert len(losses) < 60
    assert trained.figures["val_loss"] == pytest.approx(min(losses), rel=1e-6)
    assert losses.index(min(losses)) == len(losses) - 3


def test_weights_of_zero_leave_samples_out():
    """What fills up a sequence, or was forced, would be learned like anything else."""
    config, *_ = _run("PolicyNet")
    learner = Learner(config, INPUTS, 10).eval()
    learner.log = lambda *_, **__: None
    batch = made_up_batch("cards", 8, INPUTS)
    half = batch._replace(weight=torch.tensor([1.0] * 4 + [0.0] * 4))
    torch.testing.assert_close(learner.training_step(half, 0), learner.training_step(batch.take(torch.arange(4)), 0))


def test_gradients_are_cut_to_length():
    """One batch of outliers would throw the weights off; Lightning leaves it to us."""
    config, *_ = _run("PolicyNet", 48, "training.clip=0.5")
    learner = Learner(config, INPUTS, 10)
    for parameter in learner.network.parameters():
        parameter.grad = torch.ones_like(parameter)
    learner.configure_gradient_clipping(None)
    length = torch.stack([p.grad.square().sum() for p in learner.network.parameters()]).sum().sqrt()
    assert length.item() == pytest.approx(0.5, rel=1e-4)


def test_the_rate_rises_and_falls():
    """Without warm-up Adam's first steps are wild; without an end the weights never settle."""
    config, *_ = _run("PolicyNet", 48, "training.warm_up=0.2")
    learner = Learner(config, INPUTS, 100)
    rates = [learner.rate_at(step) for step in range(101)]
    assert rates[0] == pytest.approx(1 / 21)
    assert max(rates) == rates[20] == 1
    assert rates[:21] == sorted(rates[:21])
    assert rates[20:] == sorted(rates[20:], reverse=True)
    assert rates[100] == pytest.approx(0)


def test_in_memory_batches_are_all_samples_once_an_epoch():
    """A sample that never comes is never learned."""
    source = InMemory(made_up_batch("move", 10, INPUTS), 4, seed=3)
    first, second = ([batch.state for batch in source] for _ in range(2))
    assert [len(part) for part in first] == [4, 4, 2]
    rows = {tuple(row.tolist()) for row in source.samples.state}
    for epoch in (first, second):
        assert {tuple(row.tolist()) for part in epoch for row in part} == rows
    assert not torch.equal(torch.cat(first), torch.cat(second))


def test_candidates_go_with_their_decision():
    """The legal moves of another decision do not hold the one that was played."""
    candidates = random_candidates(9)
    chosen = torch.tensor([7, 0, 7, 3])
    taken = candidates.take(chosen)
    expected = [candidates.plays[candidates.row == row].tolist() for row in chosen]
    assert [taken.plays[taken.row == row].tolist() for row in range(4)] == expected


def test_figures_are_those_of_the_weights_that_are_kept(tmp_path):
    """A comparison of runs would show the last epoch's figures beside the best epoch's weights."""
    config, manifest, samples, validation = _run()
    trained = train(config, manifest, tmp_path, samples, validation)
    assert json.loads((tmp_path / "figures.json").read_text()) == trained.figures
    learner = Learner(config, INPUTS, 1)
    learner.network.load_state_dict(load(tmp_path).network.state_dict())
    losses = torch.cat([learner.eval()._losses(batch)[1] for batch in validation])
    assert losses.mean().item() == pytest.approx(trained.figures["val_loss"], rel=1e-5)


def test_bf16_only_where_it_is_fast(monkeypatch):
    """Where the hardware has none, it is emulated, and training takes many times as long."""
    config, *_ = _run()
    auto = replace(config.training, precision="auto")
    for fast, expected in ((True, "bf16-mixed"), (False, "32-true")):
        monkeypatch.setattr(hardware, "has_fast_bf16", lambda fast=fast: fast)
        assert hardware.precision_of(auto) == expected
    assert hardware.precision_of(replace(auto, precision="float16")) == "16-mixed"


def test_settings_need_no_torch():
    """The command line reads them to say what is wrong before anything slow is loaded."""
    code = "import sys, tichu_models.learning.config_files; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
