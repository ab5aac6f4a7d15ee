"""Trains a run: from a request to a folder `runs/<name>/` with weights, figures, a record of the trial, and plots.

This module finds the data, locks the folder and records the trial; `tichu_models.learning.training` trains. A finished
run is only overwritten if the caller asks for it.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tichu_models.learning.config_files import DEFAULT_PRESET, run_config
from tichu_models.learning.settings import RunConfig
from tichu_models.runs.files import CURVES, RELIABILITY, RESUME, TRIAL
from tichu_models.runs.manifest import RunManifest
from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.run_folders import RunError, check_name, locked
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.training.inputs import ensure_scaling, inputs_of
from tichu_pipeline.training.runs import FINISHED, default_name, difference, run_of

if TYPE_CHECKING:
    from tichu_models.learning.training import TrainingProgress


@dataclass(frozen=True)
class TrainingRequest:
    """A request to train a network, as commands and config files word it."""

    network: str
    config: str = DEFAULT_PRESET  # a preset, or a config file
    settings: Sequence[str] = ()  # section.key=value
    name: str = ""  # of the run; by default the network's

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.name or default_name(self.network)


@dataclass
class Trial:
    """The record of a run's training."""

    config: str
    settings: list[str]
    seconds: float = 0.0  # of all attempts
    core_seconds: float = 0.0  # of processor time, which other processes do not lengthen
    attempts: int = 0
    parameters: int = 0
    epoch_samples: int = 0
    validation_batches: int = 0
    device: str = ""
    peak_memory: int = 0  # bytes of the process


@dataclass(frozen=True, kw_only=True)
class TrainedRun(Made):
    """A run that was trained, or was found finished. Its stamp is the digest of its manifest; its rows are the samples
    of an epoch."""

    name: str
    figures: dict[str, float]


def read_request(request: TrainingRequest) -> RunConfig:
    """The settings of a request, checked."""
    check_name(request.run)
    return run_config(request.network, request.config, request.settings)


def toml(value: Any) -> str:
    """The value of a setting in TOML."""
    return json.dumps(value, ensure_ascii=False)


def train_run(
    paths: DataPaths,
    request: TrainingRequest,
    report: Callable[[int, dict[str, float]], None] = lambda epoch, figures: None,
    progress: Callable[[TrainingProgress], None] = lambda progress: None,
    replace: bool = False,
) -> TrainedRun:
    """Trains the requested run or resumes it; a finished run is returned as it is. `replace` allows the run to take the
    place of another finished one."""
    config = read_request(request)
    folder = paths.runs / request.run
    ensure_scaling(paths)
    inputs = inputs_of(config, paths)
    if (made := finished(folder, inputs.manifest)) is not None:
        return made
    if is_helper():
        return _help(folder, inputs)
    with locked(folder):
        if not replace:
            _check_vacant(folder, inputs.manifest)
        return _train(folder, request, inputs, report, progress)


def is_helper() -> bool:
    """Whether Lightning has started this process as a further rank. Rank 0 holds the lock, writes and reports."""
    return any(int(os.environ.get(name) or 0) > 0 for name in ("LOCAL_RANK", "NODE_RANK"))


def _help(folder: Path, inputs: Any) -> TrainedRun:
    """Trains as a further rank of a run."""
    from tichu_models.learning.training import train

    validation = inputs.decisions("validation", inputs.config.data.validation_samples)
    trained = train(inputs.config, inputs.manifest, folder, inputs.samples(), validation)
    return _trained(folder, inputs.manifest, trained.figures, 0.0)


def finished(folder: Path, manifest: RunManifest) -> TrainedRun | None:
    """The run in a folder, if it is finished and has this manifest."""
    run = run_of(folder)
    if run.state != FINISHED or run.manifest is None or run.manifest.text() != manifest.text():
        return None
    if not (folder / CURVES).exists():  # killed before they were drawn
        return None
    return _trained(folder, manifest, run.figures, 0.0, reused=True)


def _trained(
    folder: Path, manifest: RunManifest, figures: dict[str, float], seconds: float, reused: bool = False
) -> TrainedRun:
    return TrainedRun(
        path=folder,
        stamp=manifest.digest,
        rows=json_object(folder / TRIAL).get("epoch_samples", 0),
        bytes=sum(path.stat().st_size for path in folder.iterdir()),
        seconds=seconds,
        reused=reused,
        name=folder.name,
        figures=figures,
    )


def _train(folder: Path, request: TrainingRequest, inputs: Any, report: Any, progress: Any) -> TrainedRun:
    """Trains a run whose folder is locked, and records the trial."""
    from tichu_models.learning.training import train
    from tichu_pipeline.training.judging import reliability
    from tichu_pipeline.training.pictures import draw_curves, draw_reliability

    started = time.monotonic()
    resumed = (folder / RESUME).exists() and run_of(folder).manifest == inputs.manifest
    earlier = json_object(folder / TRIAL) if resumed else {}
    trial = Trial(request.config, list(request.settings), attempts=earlier.get("attempts", 0) + 1)
    before, cores_before = earlier.get("seconds", 0.0), earlier.get("core_seconds", 0.0) - time.process_time()
    samples = inputs.samples()
    validation = inputs.decisions("validation", inputs.config.data.validation_samples)
    trial.epoch_samples = len(samples) * inputs.config.training.batch_size * inputs.config.training.devices
    trial.validation_batches, trial.device = len(validation), _device(inputs.config)

    def note() -> None:
        trial.seconds, trial.peak_memory = before + time.monotonic() - started, peak_memory()
        trial.core_seconds = cores_before + time.process_time()
        write_whole(folder / TRIAL, json.dumps(asdict(trial), indent=1) + "\n")

    def of_epoch(epoch: int, figures: dict[str, float]) -> None:
        note()
        report(epoch, figures)

    note()  # so that an attempt that is killed in its first epoch counts
    trained = train(inputs.config, inputs.manifest, folder, samples, validation, of_epoch, progress)
    trial.parameters = _parameters(folder)
    note()
    if parts := reliability(folder, inputs, validation):
        draw_reliability(folder / RELIABILITY, parts, folder.name)
    draw_curves(folder, inputs.config.data.drop_forced)  # last: `finished` looks for it
    return _trained(folder, inputs.manifest, trained.figures, time.monotonic() - started)


def _check_vacant(folder: Path, manifest: RunManifest) -> None:
    """Fails if the folder holds another finished run."""
    there = run_of(folder) if folder.exists() else None
    if there is None or there.state != FINISHED or there.manifest is None or there.manifest.text() == manifest.text():
        return
    raise RunError(
        f"{folder}: it holds a finished run of other settings or data ({difference(there.manifest, manifest)}); "
        "choose another --name, or --replace it"
    )


def _parameters(folder: Path) -> int:
    from tichu_models.runs.checkpoint import load

    return sum(parameter.numel() for parameter in load(folder).network.parameters())


def _device(config: RunConfig) -> str:
    """The device, number of threads and precision of a run, in words."""
    import torch

    from tichu_models.learning.hardware import precision_of

    gpu = config.training.accelerator != "cpu" and torch.cuda.is_available()
    return f"{processor(gpu)}, {precision_of(config.training)}"


def processor(gpu: bool) -> str:
    """The GPU, or the kind of processor with the number of threads."""
    import torch

    return torch.cuda.get_device_name() if gpu else f"{platform.machine()}, {torch.get_num_threads()} threads"


def peak_memory() -> int:
    """Bytes of this process, at most so far."""
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
