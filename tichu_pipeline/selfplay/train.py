"""Trains a run of self-play: from a request to a folder `runs/<name>/` with networks, figures, a trial, and a picture.

This module locks the folder, chooses where rounds are played, and records the trial; `tichu_models.rl.train` trains.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tichu_models.rl.settings import SelfplaySettings
from tichu_models.runs.files import CURVES, FIGURES, MANIFEST, RESUME, RESUME_SELFPLAY, TRIAL, WEIGHTS
from tichu_models.whole_files import write_whole
from tichu_pipeline.selfplay.runs import (
    VERSION,
    SelfplayRequest,
    SelfplayRun,
    difference,
    finished,
    latest,
    made_of,
    opponent_of,
    start_of,
)
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.run_folders import RunError, locked
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.storage.workers import Processes, Serial, Workers
from tichu_pipeline.training.runs import Run, run_of
from tichu_pipeline.training.train import peak_memory, processor

if TYPE_CHECKING:
    from tichu_models.rl.opponents import Opponent
    from tichu_models.rl.progress import SelfplayProgress


class TrainingError(Exception):
    """A training that cannot go on. The message says what to do."""


@dataclass
class SelfplayTrial:
    """The record of a run's training."""

    config: str  # the preset
    settings: list[str]
    start: str  # the run that it began with
    opponent: str  # the player that it trained against
    version: int
    seconds: float = 0.0  # of all attempts
    attempts: int = 0
    parameters: int = 0  # of the player's networks
    workers: int = 0  # tasks that are played at once
    device: str = ""
    peak_memory: int = 0  # bytes of the process that learns


def train_run(
    paths: DataPaths,
    request: SelfplayRequest,
    workers: Workers | None = None,
    minutes: float | None = None,
    progress: Callable[[SelfplayProgress], None] = lambda progress: None,
    evaluated: Callable[[dict[str, float | str]], None] = lambda figures: None,
    replace: bool = False,
) -> SelfplayRun:
    """Trains the requested run or goes on with it, for so many minutes at most; a finished run is returned as it is.
    `replace` allows the run to take the place of another one."""
    settings, folder = request.read(), paths.runs / request.run
    start, opponent = start_of(paths, request), opponent_of(paths, request)
    if (made := finished(folder, settings, start, opponent)) is not None:
        return made
    with locked(folder):
        _make_room(folder, difference(run_of(folder), settings, start, opponent), replace)
        with workers or usual_workers(settings) as pool:
            return _train(folder, request, settings, start, opponent, pool, minutes, progress, evaluated)


def usual_workers(settings: SelfplaySettings) -> Workers:
    """A process for each core, as far as an iteration has tasks for them; else this process."""
    from tichu_models.rl.tasks import ROUNDS_A_TASK

    tasks = -(-settings.rounds // ROUNDS_A_TASK)
    count = min(os.cpu_count() or 1, tasks)
    return Processes(count) if count > 1 else Serial()


def _make_room(folder: Path, why: str, replace: bool) -> None:
    """Removes another run from a folder if that is asked for, or if it has saved nothing yet; else fails. `why` says
    how it differs from the one that shall be there; empty if it does not."""
    if not (folder / MANIFEST).exists() or not why:
        return
    if not replace and any((folder / name).exists() for name in (WEIGHTS, RESUME, RESUME_SELFPLAY)):
        raise RunError(f"{folder}: it holds another run ({why}); choose another name, or --replace it")
    shutil.rmtree(folder)


def _train(
    folder: Path,
    request: SelfplayRequest,
    settings: SelfplaySettings,
    start: Run | None,
    opponent: Opponent | None,
    pool: Workers,
    minutes: float | None,
    progress: Callable[[SelfplayProgress], None],
    evaluated: Callable[[dict[str, float | str]], None],
) -> SelfplayRun:
    """Trains a run whose folder is locked, and records the trial."""
    import torch

    from tichu_models.algorithms.student import LossError
    from tichu_models.rl.train import train
    from tichu_pipeline.selfplay.pictures import draw_curves

    began, gpu = time.monotonic(), torch.cuda.is_available()
    resumed = any((folder / name).exists() for name in (RESUME_SELFPLAY, FIGURES))
    earlier = json_object(folder / TRIAL) if resumed else {}
    trial = SelfplayTrial(request.preset, list(request.settings), request.start, request.opponent, VERSION)
    trial.attempts = earlier.get("attempts", 0) + 1
    trial.parameters, trial.workers, trial.device = _parameters(settings), pool.count, processor(gpu)
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)  # they name their precision

    def note() -> None:
        trial.seconds, trial.peak_memory = earlier.get("seconds", 0.0) + time.monotonic() - began, peak_memory()
        write_whole(folder / TRIAL, json.dumps(asdict(trial), indent=1) + "\n")

    def of_evaluation(figures: dict[str, float | str]) -> None:
        note()
        draw_curves(folder)
        evaluated(figures)

    note()  # so that an attempt that is killed before its first evaluation counts
    where, accelerator = start.folder if start else None, "gpu" if gpu else "cpu"
    try:
        done = train(settings, folder, pool.map, minutes, progress, of_evaluation, where, accelerator, opponent)
    except LossError as error:
        raise TrainingError(
            f"{folder}: {error}. What was saved before stays; with other settings, --replace begins anew"
        ) from error
    finally:
        note()
    if not (folder / CURVES).exists():  # no evaluation yet, or killed before it was drawn
        draw_curves(folder)
    return made_of(run_of(folder), done.figures or latest(folder), time.monotonic() - began, done.reused)


def _parameters(settings: SelfplaySettings) -> int:
    """The number of parameters of the player's networks."""
    import torch

    from tichu_models.networks.architectures import build
    from tichu_models.observation.specs import spec
    from tichu_models.rl.planned import planned

    count = 0
    with torch.device("meta"):  # takes no memory
        for name, config, read in (planned(kind, settings) for kind in settings.kinds):
            network = build(name, spec(read).size, config)
            count += sum(weights.numel() for weights in network.parameters())
    return count
