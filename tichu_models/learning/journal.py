"""The journal of a run: its figures as a CSV file and as events for TensorBoard, written during the training.

The training loss is written every 50 steps and, with all figures of the validation, at the end of every epoch. When a
run is resumed, the lines after the step that it resumes from are dropped.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import lightning
from lightning.pytorch.callbacks import Callback

from tichu_models.runs.files import METRICS
from tichu_models.whole_files import whole_file

HEADER = ("epoch", "step", "name", "value")
EVERY_STEPS = 50


def training_loss(trainer: lightning.Trainer) -> dict[str, float]:
    """The loss of the latest step as a figure; none before the first step."""
    learner: Any = trainer.lightning_module
    return {} if learner.latest_loss is None else {"train_loss": learner.latest_loss.item()}


class Journal(Callback):
    """A callback that appends figures to the files of a run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: Any = None

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        if trainer.is_global_zero:
            from torch.utils.tensorboard import SummaryWriter

            self._forget_after(trainer.global_step)
            self.events = SummaryWriter(str(self.folder), purge_step=trainer.global_step + 1)

    def on_train_batch_end(self, trainer: lightning.Trainer, pl_module: Any, outputs: Any, *_: Any) -> None:
        step = trainer.global_step
        if step % EVERY_STEPS == 0 and not trainer.fit_loop._should_accumulate():
            rate = trainer.optimizers[0].param_groups[0]["lr"]
            self._write(trainer, {**training_loss(trainer), "learning_rate": rate})

    def on_validation_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._write(trainer, {**training_loss(trainer), **pl_module.figures})

    def teardown(self, trainer: lightning.Trainer, pl_module: Any, stage: str) -> None:
        if self.events is not None:
            self.events.close()

    def _write(self, trainer: lightning.Trainer, figures: dict[str, float]) -> None:
        """Writes figures of the current step to both files."""
        if self.events is None:
            return
        epoch, step = trainer.current_epoch + 1, trainer.global_step
        with (self.folder / METRICS).open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows((epoch, step, name, f"{value:.8g}") for name, value in figures.items())
        for name, value in figures.items():
            self.events.add_scalar(name, value, step)

    def _forget_after(self, step: int) -> None:
        """Drops the lines of the CSV file after a step."""
        path = self.folder / METRICS
        rows: list[list[str]] = []
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                rows = [row for row in list(csv.reader(file))[1:] if len(row) == len(HEADER) and int(row[1]) <= step]
        with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADER, *rows])
