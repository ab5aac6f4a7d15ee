"""A training run, from its settings to its folder; killed at any moment, it is taken up again where it was.

The files of the folder are listed in `runs.files`.
A run with the same manifest in the same folder goes on, or is done already; another one starts anew there. Which data a
run is given does not belong here.
"""

from __future__ import annotations

import json
import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping

from tichu_models.learning.hardware import on_gpu, precision_of
from tichu_models.learning.journal import Journal, training_loss
from tichu_models.learning.learner import Learner
from tichu_models.learning.settings import RunConfig, TrainingConfig
from tichu_models.networks.precision import float32_by_onednn
from tichu_models.runs import checkpoint
from tichu_models.runs.files import EVENTS, FIGURES, LAST_WEIGHTS, METRICS, RESUME
from tichu_models.runs.manifest import RunManifest
from tichu_models.samples.batches import BatchSource
from tichu_models.whole_files import whole_file, write_whole

SECONDS_BETWEEN_PULSES = 5.0


@dataclass(frozen=True)
class TrainingProgress:
    """Where a run stands."""

    epoch: int  # counted from 1
    step: int  # of the optimiser, since the beginning
    steps: int  # planned
    loss: float  # of the last batch
    samples_a_second: float  # since the last time

    def __str__(self) -> str:
        rate = f"{self.samples_a_second:,.0f} samples/s"
        return f"epoch {self.epoch}, step {self.step:,} of {self.steps:,}, loss {self.loss:.4f}, {rate}"


@dataclass(frozen=True)
class Trained:
    """What a run came to."""

    figures: dict[str, float]  # of the best weights
    reused: bool  # it was finished before


def train(
    config: RunConfig,
    manifest: RunManifest,
    folder: Path,
    samples: BatchSource,
    validation: BatchSource,
    report: Callable[[int, dict[str, float]], None] = lambda epoch, figures: None,
    progress: Callable[[TrainingProgress], None] = lambda progress: None,
) -> Trained:
    """Trains a network, or goes on with it. `report` hears of every epoch, counted from 1, `progress` now and then."""
    if (finished := figures_of(folder, manifest)) is not None:
        return Trained(finished, reused=True)
    if not checkpoint.is_of(folder, manifest):
        for old in (RESUME, FIGURES, METRICS, *(path.name for path in folder.glob(EVENTS))):
            (folder / old).unlink(missing_ok=True)
    checkpoint.begin(folder, manifest)
    training = config.training
    torch.manual_seed(training.seed)
    if training.threads:
        torch.set_num_threads(training.threads)
    steps = training.epochs * -(-len(samples) // training.accumulate)
    learner = Learner(config, manifest.inputs, steps)
    best = KeepBest(folder, manifest)
    patience = EarlyStopping("val_loss", patience=training.patience, check_finite=False)
    callbacks: list[Callback] = [best, patience, Journal(folder), Report(report), ProgressReporter(progress, steps)]
    callbacks.append(KeepState(folder, training, samples))
    resume = folder / RESUME
    trainer = _trainer(training, callbacks)
    with nullcontext() if on_gpu(training) else float32_by_onednn(), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", module="lightning", category=Warning
        )  # of data loaders, which sources are not
        trainer.fit(learner, samples, validation, ckpt_path=resume if resume.exists() else None, weights_only=True)
    if trainer.is_global_zero:
        checkpoint.save(folder, learner.network, manifest, {"step": str(trainer.global_step)}, LAST_WEIGHTS)
        _finish(folder, best.figures)
    return Trained(best.figures, reused=False)


def figures_of(folder: Path, manifest: RunManifest) -> dict[str, float] | None:
    """Those of the finished run that a folder holds, if it is this one."""
    path = folder / FIGURES
    return json.loads(path.read_text()) if checkpoint.is_of(folder, manifest) and path.exists() else None


def _trainer(training: TrainingConfig, callbacks: list[Callback]) -> lightning.Trainer:
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)  # it advertises
    return lightning.Trainer(
        accelerator=training.accelerator,
        devices=training.devices,
        strategy="ddp" if training.devices > 1 else "auto",
        precision=precision_of(training),  # type: ignore[arg-type]
        max_epochs=training.epochs,
        accumulate_grad_batches=training.accumulate,
        callbacks=callbacks,
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=_in_foreground(),
        num_sanity_val_steps=0,
        use_distributed_sampler=False,
    )


def _in_foreground() -> bool:
    """Whether somebody watches: who was started in a session of its own is watched by who started it."""
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


def _finish(folder: Path, figures: dict[str, float]) -> None:
    write_whole(folder / FIGURES, json.dumps(figures, indent=1) + "\n")
    (folder / RESUME).unlink(missing_ok=True)


class KeepBest(Callback):
    """Saves the weights whenever the validation loss is the lowest so far."""

    def __init__(self, folder: Path, manifest: RunManifest) -> None:
        self.folder, self.manifest = folder, manifest
        self.figures: dict[str, float] = {}

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        figures = pl_module.figures
        if self.figures and not figures["val_loss"] < self.figures["val_loss"]:
            return
        self.figures = {"epoch": trainer.current_epoch + 1, "step": trainer.global_step, **figures}
        if trainer.is_global_zero:
            notes = {name: f"{self.figures[name]:g}" for name in ("epoch", "step", "val_loss")}
            checkpoint.save(self.folder, pl_module.network, self.manifest, notes)

    def state_dict(self) -> dict[str, Any]:
        return {"figures": self.figures}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.figures = state_dict["figures"]


class KeepState(Callback):
    """Saves all that a run needs to go on, between two steps of the optimiser. Stands last: the others come first.

    Where the source stands is part of its state: Lightning restores that only within an epoch, not between two.
    """

    def __init__(self, folder: Path, training: TrainingConfig, samples: BatchSource) -> None:
        self.path = folder / RESUME
        self.every = training.checkpoint_steps * training.accumulate
        self.samples = samples

    def state_dict(self) -> dict[str, Any]:
        return self.samples.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.samples.load_state_dict(state_dict)

    def on_train_batch_end(self, trainer: lightning.Trainer, *args: Any) -> None:
        batch = args[-1] + 1
        if batch % self.every == 0 and batch < trainer.num_training_batches:
            self._save(trainer)

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._save(trainer)

    def _save(self, trainer: lightning.Trainer) -> None:
        first = trainer.is_global_zero  # the one that writes
        with whole_file(self.path) if first else nullcontext(self.path) as temporary:
            trainer.save_checkpoint(temporary)


class Report(Callback):
    """Tells whoever started the run of every epoch."""

    def __init__(self, report: Callable[[int, dict[str, float]], None]) -> None:
        self.report = report

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        if trainer.is_global_zero:
            self.report(trainer.current_epoch + 1, {**training_loss(trainer), **pl_module.figures})


class ProgressReporter(Callback):
    """Tells whoever started the run how far it is, every few seconds."""

    def __init__(self, tell: Callable[[TrainingProgress], None], steps: int) -> None:
        self.tell, self.steps = tell, steps
        self.last, self.samples = time.monotonic(), 0

    def on_train_batch_end(self, trainer: lightning.Trainer, *args: Any) -> None:
        self.samples += len(args[2].weight)
        seconds = time.monotonic() - self.last
        if seconds >= SECONDS_BETWEEN_PULSES and trainer.is_global_zero:
            loss, rate = training_loss(trainer).get("train_loss", math.nan), self.samples / seconds
            self.tell(TrainingProgress(trainer.current_epoch + 1, trainer.global_step, self.steps, loss, rate))
            self.last, self.samples = time.monotonic(), 0
