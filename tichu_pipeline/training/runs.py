"""The runs of a data folder, `runs/<name>/`: what there is of each, whether it is finished, and up to date.

Training one is `train`; the files of its folder are listed in `tichu_models.runs.files`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tichu_models.learning.config_files import SECTIONS
from tichu_models.learning.settings import DataConfig, RunConfig, TrainingConfig
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.observation.scaling import ScalingError
from tichu_models.options import OptionError
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import FIGURES, MANIFEST, TRIAL, WEIGHTS
from tichu_models.runs.manifest import CheckpointError, RunManifest
from tichu_models.samples.sources import SourceError
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.training.figure_names import name_of
from tichu_pipeline.training.inputs import InputError, inputs_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
FINISHED, UNFINISHED, DAMAGED = "finished", "unfinished", "damaged"


class RunError(Exception):
    """A run that cannot be started as asked, or that there is not."""


@dataclass(frozen=True)
class Run:
    """What there is of a run."""

    name: str
    folder: Path
    state: str
    manifest: RunManifest | None = None
    figures: dict[str, float] = field(default_factory=dict)
    trial: dict[str, Any] = field(default_factory=dict)
    problem: str = ""


def default_name(network: str) -> str:
    """`policy_net` for PolicyNet, `gc_policy_net`, `dt_net`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", network).lower()


def difference(old: RunManifest, new: RunManifest) -> str:
    """The first thing in which two manifests differ, in a few words."""
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


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `training_runs`."""
    found = runs(survey.paths)
    if not found:
        return missing("training_runs", "no network trained yet; tichu train NET")
    finished = [run for run in found if run.state == FINISHED]
    reasons = [f"{run.name} is {run.state}" for run in found if run.state != FINISHED]
    reasons += survey.not_fresh("rounds", "scaling")
    because = {run.name: stale_because(run, survey.paths) for run in finished} if not reasons else {}
    reasons += [f"{name}: {why}" for name, why in because.items() if why]
    size = sum(path.stat().st_size for run in found for path in run.folder.iterdir())
    return judged("training_runs", f"{len(finished)} networks", size, reasons)


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
    figures, trial = json_object(folder / FIGURES), json_object(folder / TRIAL)
    return Run(folder.name, folder, FINISHED if done else UNFINISHED, manifest, figures, trial)


def config_of(manifest: RunManifest) -> RunConfig:
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
    return "" if now.text() == run.manifest.text() else difference(run.manifest, now)


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
    return ", ".join(f"{name_of(name)} {figures[name]:.4f}" for name in wanted if name in figures)


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
