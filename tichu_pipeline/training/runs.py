"""The runs of a data folder, `runs/<name>/`: training one, telling what there is of each.

Beside the files of `learning.training` a run's folder holds its trial: which preset and settings it was started
with, how long it took, on what; and pictures. A finished run is never overwritten by another one unasked.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from tichu_models.learning.config_files import DEFAULT_PRESET, SECTIONS, run_config
from tichu_models.learning.settings import DataConfig, RunConfig, TrainingConfig
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.observation.scaling import ScalingError
from tichu_models.options import OptionError
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import CURVES, FIGURES, MANIFEST, RELIABILITY, RESUME, TRIAL, WEIGHTS
from tichu_models.runs.manifest import CheckpointError, Manifest
from tichu_models.samples.sources import SourceError
from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.inputs import InputError, inputs_of

if TYPE_CHECKING:
    from tichu_models.learning.training import Progress

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
FINISHED, UNFINISHED, DAMAGED = "finished", "unfinished", "damaged"


class RunError(Exception):
    """A run that cannot be started as asked, or that there is not."""


@dataclass(frozen=True)
class Order:
    """What shall be trained, as a person says it."""

    network: str
    config: str = DEFAULT_PRESET  # a preset, or a config file
    settings: Sequence[str] = ()  # section.key=value
    name: str = ""  # of the run; by default the network's

    @property
    def run(self) -> str:
        return self.name or default_name(self.network)


@dataclass
class Trial:
    """How a run came about."""

    config: str
    settings: list[str]
    seconds: float = 0.0  # of all attempts
    core_seconds: float = 0.0  # of processors, which others who work there do not lengthen
    attempts: int = 0
    parameters: int = 0
    epoch_samples: int = 0
    validation_batches: int = 0
    device: str = ""
    peak_memory: int = 0  # bytes of the process


@dataclass(frozen=True)
class Made:
    """What an order came to."""

    name: str
    folder: Path
    stamp: str  # of the run: digest of its manifest
    figures: dict[str, float]
    reused: bool
    seconds: float


@dataclass(frozen=True)
class Run:
    """What there is of a run."""

    name: str
    folder: Path
    state: str
    manifest: Manifest | None = None
    figures: dict[str, float] = field(default_factory=dict)
    trial: dict[str, Any] = field(default_factory=dict)
    problem: str = ""


def default_name(network: str) -> str:
    """`policy_net` for PolicyNet, `gc_policy_net`, `dt_net`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", network).lower()


def read_order(order: Order) -> RunConfig:
    """The settings of an order, checked."""
    if not NAME.fullmatch(order.run):
        raise RunError(f"run name {order.run!r}: expected letters, digits, '_', '-' and '.', not more than 100")
    return run_config(order.network, order.config, order.settings)


def train_run(
    paths: DataPaths,
    order: Order,
    report: Callable[[int, dict[str, float]], None] = lambda epoch, figures: None,
    progress: Callable[[Progress], None] = lambda progress: None,
    replace: bool = False,
) -> Made:
    """Trains what was ordered, goes on with it, or finds it done. `replace` lets it take a finished run's place."""
    config = read_order(order)
    folder = paths.runs / order.run
    inputs = inputs_of(config, paths)
    if (made := finished(folder, inputs.manifest)) is not None:
        return made
    if is_helper():
        return _help(folder, order, inputs)
    paths.runs.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(paths.runs / f".{order.run}.lock", timeout=0):
            if not replace:
                _check_vacant(folder, inputs.manifest)
            return _train(folder, order, inputs, report, progress)
    except Timeout:
        raise RunError(f"{folder}: another process trains it; wait for it, or choose another name") from None


def is_helper() -> bool:
    """Whether Lightning has started this process, to train with the one that was called. That one keeps the lock and
    the notes, and tells how it goes."""
    return any(int(os.environ.get(name) or 0) > 0 for name in ("LOCAL_RANK", "NODE_RANK"))


def _help(folder: Path, order: Order, inputs: Any) -> Made:
    from tichu_models.learning.training import train

    validation = inputs.decisions("validation", inputs.config.data.validation_samples)
    trained = train(inputs.config, inputs.manifest, folder, inputs.samples(), validation)
    return Made(order.run, folder, inputs.manifest.digest, trained.figures, False, 0.0)


def finished(folder: Path, manifest: Manifest) -> Made | None:
    """The run of this manifest, if it is done."""
    found = run_of(folder)
    if found.state != FINISHED or found.manifest is None or found.manifest.text() != manifest.text():
        return None
    if not (folder / CURVES).exists():  # killed before they were drawn
        return None
    return Made(folder.name, folder, manifest.digest, found.figures, True, 0.0)


def _train(folder: Path, order: Order, inputs: Any, report: Any, progress: Any) -> Made:
    from tichu_models.learning.training import train
    from tichu_pipeline.training.judging import reliability
    from tichu_pipeline.training.pictures import draw_curves, draw_reliability

    started = time.monotonic()
    going_on = (folder / RESUME).exists() and run_of(folder).manifest == inputs.manifest
    kept = {} if not going_on else _read_json(folder / TRIAL)
    trial = Trial(order.config, list(order.settings), attempts=kept.get("attempts", 0) + 1)
    before, cores_before = kept.get("seconds", 0.0), kept.get("core_seconds", 0.0) - time.process_time()
    samples = inputs.samples()
    validation = inputs.decisions("validation", inputs.config.data.validation_samples)
    trial.epoch_samples = len(samples) * inputs.config.training.batch_size * inputs.config.training.devices
    trial.validation_batches, trial.device = len(validation), _device(inputs.config)

    def note() -> None:
        trial.seconds, trial.peak_memory = before + time.monotonic() - started, _peak_memory()
        trial.core_seconds = cores_before + time.process_time()
        folder.mkdir(parents=True, exist_ok=True)
        _write_json(folder / TRIAL, asdict(trial))

    def of_epoch(epoch: int, figures: dict[str, float]) -> None:
        note()
        report(epoch, figures)

    note()  # an attempt that is killed before its first epoch ends was one
    trained = train(inputs.config, inputs.manifest, folder, samples, validation, of_epoch, progress)
    trial.parameters = _parameters(folder)
    note()
    if parts := reliability(folder, inputs, validation):
        draw_reliability(folder / RELIABILITY, parts, folder.name)
    draw_curves(folder, inputs.config.data.drop_forced)  # last: it says that all is there
    seconds = time.monotonic() - started
    return Made(order.run, folder, inputs.manifest.digest, trained.figures, False, seconds)


def _check_vacant(folder: Path, manifest: Manifest) -> None:
    there = run_of(folder) if folder.exists() else None
    if there is None or there.state != FINISHED or there.manifest is None or there.manifest.text() == manifest.text():
        return
    raise RunError(
        f"{folder}: it holds a finished run of other settings or data ({_difference(there.manifest, manifest)}); "
        "choose another --name, or --replace it"
    )


def _difference(old: Manifest, new: Manifest) -> str:
    """The first that differs, in a few words."""
    if old.network != new.network:
        return f"it is a {old.network}, not a {new.network}"
    for section in (*SECTIONS, "made of"):
        there, here = (each.data if section == "made of" else each.training.get(section, {}) for each in (old, new))
        for name in sorted({*there, *here}):
            if there.get(name) != here.get(name):
                if name == "rounds":
                    return "its rounds have changed since"
                return f"{section}.{name} = {there.get(name)}, not {here.get(name)}"
    return "its vector or its scaling has changed since"


def runs(paths: DataPaths) -> list[Run]:
    """All runs there are, by name."""
    folders = sorted(path.parent for path in paths.runs.glob(f"*/{MANIFEST}"))
    return [run_of(folder) for folder in folders if not folder.name.startswith(".")]


def run_of(folder: Path) -> Run:
    """What there is of the run of a folder."""
    try:
        manifest = manifests.read(folder / MANIFEST)
    except CheckpointError as error:
        return Run(folder.name, folder, DAMAGED, problem=str(error))
    done = (folder / FIGURES).exists() and (folder / WEIGHTS).exists()
    figures, trial = _read_json(folder / FIGURES), _read_json(folder / TRIAL)
    return Run(folder.name, folder, FINISHED if done else UNFINISHED, manifest, figures, trial)


def config_of(manifest: Manifest) -> RunConfig:
    """The settings that a run was trained with."""
    training = TrainingConfig.read(manifest.training.get("training", {}), "training")
    data = DataConfig.read(manifest.training.get("data", {}), "data")
    return RunConfig(
        architecture=ARCHITECTURES[manifest.network], network=manifest.config, training=training, data=data
    )


def stale_because(run: Run, paths: DataPaths) -> str:
    """Why a run would be trained anew with its own settings; empty if it would not."""
    if run.manifest is None:
        return run.problem
    try:
        now = inputs_of(config_of(run.manifest), paths).manifest
    except (OptionError, InputError, SourceError, ScalingError) as error:
        return str(error)
    return "" if now.text() == run.manifest.text() else _difference(run.manifest, now)


def find_run(paths: DataPaths, name: str) -> Run:
    """The run of this name; it has weights."""
    if not NAME.fullmatch(name) or not (paths.runs / name / MANIFEST).exists():
        known = ", ".join(run.name for run in runs(paths)) or "none yet; tichu train makes them"
        raise RunError(f"{paths.runs / name}: no run of this name; there are {known}")
    found = run_of(paths.runs / name)
    if found.manifest is None:
        raise RunError(found.problem)
    return found


def main_figure(network: str) -> tuple[str, ...]:
    """By which figures a network is judged first, by the names of a run's figures."""
    return MAIN_FIGURES[ARCHITECTURES[network].objective]


def figures_line(network: str, figures: dict[str, float], names: Sequence[str] = ("train_loss", "val_loss")) -> str:
    """The figures that count, in a line."""
    wanted = dict.fromkeys((*names, *main_figure(network)))
    return ", ".join(f"{name.removeprefix('val_')} {figures[name]:.4f}" for name in wanted if name in figures)


def toml(value: Any) -> str:
    """A setting's value as config files spell it."""
    return json.dumps(value, ensure_ascii=False)


MAIN_FIGURES = {
    "cards": ("val_top1_not_forced", "val_top1", "val_loss"),
    "goal": ("val_top1_not_forced", "val_top1", "val_value_r2", "val_loss"),
    "sequence": ("val_top1_not_forced", "val_value_r2", "val_loss"),
    "move": ("val_top1_not_forced", "val_top1", "val_nll"),
    "value": ("val_r2", "val_r2_from_28", "val_mae"),
    "calls": ("val_called_auc", "val_called_brier_skill", "val_called_ece", "val_first_out_auc"),
    "schupf": ("val_right_top1", "val_partner_top1", "val_left_top1"),
    "choice": ("val_top1", "val_nll"),
    "bomb": ("val_auc", "val_brier_skill", "val_ece"),
}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_json(path: Path, content: Any) -> None:
    write_whole(path, json.dumps(content, indent=1) + "\n")


def _parameters(folder: Path) -> int:
    from tichu_models.runs.checkpoint import load

    return sum(parameter.numel() for parameter in load(folder).network.parameters())


def _device(config: RunConfig) -> str:
    import torch

    from tichu_models.learning.training import precision_of

    gpu = config.training.accelerator != "cpu" and torch.cuda.is_available()
    name = torch.cuda.get_device_name() if gpu else f"{platform.machine()}, {torch.get_num_threads()} threads"
    return f"{name}, {precision_of(config.training)}"


def _peak_memory() -> int:
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
