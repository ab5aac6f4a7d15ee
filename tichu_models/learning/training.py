"""`train`: a training run from its settings to its folder. It can be killed at any moment and resumes where it was.

A run with the same manifest in the same folder is resumed, or is finished already; one with another manifest starts
from the beginning. `runs.files` lists the files of the folder.
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

from tichu_models.algorithms.precision import float32_by_onednn
from tichu_models.learning.hardware import on_gpu, precision_of
from tichu_models.learning.journal import Journal, training_loss
from tichu_models.learning.learner import Learner
from tichu_models.learning.settings import RunConfig, TrainingConfig
from tichu_models.runs import checkpoint
from tichu_models.runs.files import EVENTS, FIGURES, LAST_WEIGHTS, METRICS, RESUME
from tichu_models.runs.manifest import RunManifest
from tichu_models.samples.batches import BatchSource
from tichu_models.whole_files import whole_file, write_whole

SECONDS_BETWEEN_REPORTS = 5.0


@dataclass(frozen=True)
class TrainingProgress:
    """How far a run is."""

    epoch: int  # counted from 1
    step: int  # of the optimiser, over all epochs
    steps: int  # planned for the run
    loss: float  # of the latest batch
    samples_a_second: float  # since the last report

    def __str__(self) -> str:
        rate = f"{self.samples_a_second:,.0f} samples/s"
        return f"epoch {self.epoch}, step {self.step:,} of {self.steps:,}, loss {self.loss:.4f}, {rate}"


@dataclass(frozen=True)
class Trained:
    """The result of a run."""

    figures: dict[str, float]  # validation figures of the best weights
    reused: bool  # whether the run was already finished


def train(
    config: RunConfig,
    manifest: RunManifest,
    folder: Path,
    samples: BatchSource,
    validation: BatchSource,
    report: Callable[[int, dict[str, float]], None] = lambda epoch, figures: None,
    progress: Callable[[TrainingProgress], None] = lambda progress: None,
) -> Trained:
    """Trains a network, or resumes its run. `report` is called after every epoch, counted from 1, with its figures,
    `progress` every few seconds."""
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
        # Lightning warns about settings of data loaders, which batch sources are not.
        warnings.filterwarnings("ignore", module="lightning", category=Warning)
        trainer.fit(learner, samples, validation, ckpt_path=resume if resume.exists() else None, weights_only=True)
    if trainer.is_global_zero:
        checkpoint.save(folder, learner.network, manifest, {"step": str(trainer.global_step)}, LAST_WEIGHTS)
        _finish(folder, best.figures)
    return Trained(best.figures, reused=False)


def figures_of(folder: Path, manifest: RunManifest) -> dict[str, float] | None:
    """The figures of the finished run with this manifest; None if the folder does not hold it."""
    path = folder / FIGURES
    return json.loads(path.read_text()) if checkpoint.is_of(folder, manifest) and path.exists() else None


def _trainer(training: TrainingConfig, callbacks: list[Callback]) -> lightning.Trainer:
    """Lightning's trainer, without its own logs and checkpoints."""
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)  # it prints advertisements
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
    """Whether this process runs in the foreground of a terminal, where a progress bar is seen."""
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


def _finish(folder: Path, figures: dict[str, float]) -> None:
    """Writes the figures, which mark a run as finished, and removes the state to resume from."""
    write_whole(folder / FIGURES, json.dumps(figures, indent=1) + "\n")
    (folder / RESUME).unlink(missing_ok=True)


class KeepBest(Callback):
    """A callback that saves the weights whenever the validation loss is the lowest so far."""

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
    """A callback that saves the state of a run, from which it can be resumed. It must be the last callback, so that the
    state of the others is up to date.

    The position of the batch source is part of its state: Lightning restores it only within an epoch, not between two.
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
        first = trainer.is_global_zero  # only this process writes
        with whole_file(self.path) if first else nullcontext(self.path) as temporary:
            trainer.save_checkpoint(temporary)


class Report(Callback):
    """A callback that reports the figures of every epoch."""

    def __init__(self, report: Callable[[int, dict[str, float]], None]) -> None:
        self.report = report

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        if trainer.is_global_zero:
            self.report(trainer.current_epoch + 1, {**training_loss(trainer), **pl_module.figures})


class ProgressReporter(Callback):
    """A callback that reports every few seconds how far the run is."""

    def __init__(self, progress: Callable[[TrainingProgress], None], steps: int) -> None:
        self.progress, self.steps = progress, steps
        self.last, self.samples = time.monotonic(), 0

    def on_train_batch_end(self, trainer: lightning.Trainer, *args: Any) -> None:
        self.samples += len(args[2].weight)
        seconds = time.monotonic() - self.last
        if seconds >= SECONDS_BETWEEN_REPORTS and trainer.is_global_zero:
            loss, rate = training_loss(trainer).get("train_loss", math.nan), self.samples / seconds
            self.progress(TrainingProgress(trainer.current_epoch + 1, trainer.global_step, self.steps, loss, rate))
            self.last, self.samples = time.monotonic(), 0
