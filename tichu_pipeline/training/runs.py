"""The runs of a data folder, `runs/<name>/`: whether each is finished and fresh, and its main figures.

`train` trains the runs that imitate logged games; others learned from self-play. `tichu_models.runs.files` lists the
files of their folders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tichu_models.agents.names import CHAMPION
from tichu_models.agents.registry import champion_folder
from tichu_models.learning.config_files import SECTIONS
from tichu_models.learning.settings import DataConfig, RunConfig, TrainingConfig
from tichu_models.networks.architectures import ARCHITECTURES, SELF_PLAY, architecture
from tichu_models.observation.scaling import ScalingError
from tichu_models.options import OptionError
from tichu_models.rules.asking import KINDS
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import FIGURES, MANIFEST, TRIAL, WEIGHTS
from tichu_models.runs.manifest import CheckpointError, RunManifest
from tichu_models.samples.sources import SourceError
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.run_folders import NAME, RunError
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.training.figure_names import name_of
from tichu_pipeline.training.inputs import InputError, inputs_of

TRAINED_AGAINST = "opponent"  # key in a manifest: in `training` and in `data`
FINISHED, UNFINISHED, DAMAGED = "finished", "unfinished", "damaged"


@dataclass(frozen=True)
class Run:
    """A run as its folder describes it."""

    name: str
    folder: Path
    state: str
    manifest: RunManifest | None = None
    figures: dict[str, float] = field(default_factory=dict)
    trial: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def learned_from_logs(self) -> bool:
        """Whether its network imitates logged games; also if the manifest cannot be read."""
        return self.manifest is None or self.manifest.network in ARCHITECTURES

    @property
    def opponent(self) -> str:
        """The player that it trained against; empty if it learned otherwise."""
        return self.manifest.training.get(TRAINED_AGAINST, {}).get("agent", "") if self.manifest else ""


def default_name(network: str) -> str:
    """`policy_net` for PolicyNet, `gc_policy_net`, `dt_net`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", network).lower()


def difference(old: RunManifest, new: RunManifest) -> str:
    """The first difference between two manifests, in a few words."""
    if old.network != new.network:
        return f"it is a {old.network}, not a {new.network}"
    for section in SECTIONS:
        before, now = (each.training.get(section, {}) for each in (old, new))
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                return f"{section}.{name} = {before.get(name)}, not {now.get(name)}"
    for name in sorted({*old.data, *new.data}):
        if old.data.get(name) != new.data.get(name):
            if name == "rounds":
                return "its rounds have changed since"
            return f"the {name} of its samples: {old.data.get(name)}, not {new.data.get(name)}"
    return "its spec or its scaling constants have changed since"


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `training_runs`."""
    listed = [run for run in runs(survey.paths) if run.learned_from_logs]
    if not listed:
        return missing("training_runs", "no network has been trained yet; tichu train NETWORK trains one")
    finished = [run for run in listed if run.state == FINISHED]
    reasons = [f"{run.name} is {run.state}" for run in listed if run.state != FINISHED]
    reasons += survey.not_fresh("rounds", "scaling")
    because = {run.name: stale_because(run, survey.paths) for run in finished} if not reasons else {}
    reasons += [f"{name}: {why}" for name, why in because.items() if why]
    size = sum(path.stat().st_size for run in listed for path in run.folder.iterdir())
    return judged("training_runs", f"{len(finished)} trained networks", size, reasons)


def runs(paths: DataPaths) -> list[Run]:
    """All runs, sorted by name."""
    folders = sorted(path.parent for path in paths.runs.glob(f"*/{MANIFEST}"))
    return [run_of(folder) for folder in folders if not folder.name.startswith(".")]


def run_of(folder: Path) -> Run:
    """The run in a folder."""
    try:
        manifest = manifests.read(folder / MANIFEST)
    except CheckpointError as error:
        return Run(folder.name, folder, DAMAGED, problem=str(error))
    done = (folder / FIGURES).exists() and (folder / WEIGHTS).exists()
    figures, trial = json_object(folder / FIGURES), json_object(folder / TRIAL)
    return Run(folder.name, folder, FINISHED if done else UNFINISHED, manifest, figures, trial)


def config_of(manifest: RunManifest) -> RunConfig:
    """The settings with which a run was trained."""
    training = TrainingConfig.read(manifest.training.get("training", {}), "training")
    data = DataConfig.read(manifest.training.get("data", {}), "data")
    return RunConfig(
        architecture=ARCHITECTURES[manifest.network], network=manifest.config, training=training, data=data
    )


def stale_because(run: Run, paths: DataPaths) -> str:
    """Why a run would be trained again with its own settings; empty if it would not."""
    if run.manifest is None:
        return run.problem
    try:
        now = inputs_of(config_of(run.manifest), paths).manifest
    except (OptionError, InputError, SourceError, ScalingError) as error:
        return str(error)
    return "" if now.text() == run.manifest.text() else difference(run.manifest, now)


def find_run(paths: DataPaths, name: str) -> Run:
    """The run of this name, which has a readable manifest."""
    if not NAME.fullmatch(name) or not (paths.runs / name / MANIFEST).exists():
        known = ", ".join(run.name for run in runs(paths)) or "none yet; tichu train makes them"
        raise RunError(f"{paths.runs / name}: no run of this name; there are {known}")
    run = run_of(paths.runs / name)
    if run.manifest is None:
        raise RunError(run.problem)
    return run


def network_folder(paths: DataPaths, name: str) -> Path:
    """The folder of a network by its name: that of a run, of another network in a run of self-play (`my_run/grand`), or
    the champion's."""
    run, _, kind = name.partition("/")
    folder = champion_folder() if run == CHAMPION else find_run(paths, run).folder
    if not kind:
        return folder
    there = [known for known in KINDS if (folder / known / MANIFEST).exists()]
    if kind not in there:
        raise RunError(f"{folder / kind}: no network for decisions; there are {', '.join(there) or 'none'} in {folder}")
    return folder / kind


def main_figure(network: str) -> tuple[str, ...]:
    """The keys of the main figures of a network, the most important first."""
    return MAIN_FIGURES[architecture(network).objective]


def figures_line(network: str, figures: dict[str, float], names: Sequence[str] = ("train_loss", "val_loss")) -> str:
    """The main figures with their names, in one line. The figures `names` come first."""
    if main_figure(network) == POINTS:
        return ", ".join(points_lines(figures))
    return ", ".join(f"{name} {value:.4f}" for name, value in named_figures(network, figures, names).items())


def points_lines(figures: dict[str, float], opponent: str = "") -> list[str]:
    """The figures of a run of self-play, each with its name. They are against the heuristic player, or an opponent."""
    lines = []
    if "points_per_round" in figures:
        interval = [f"{figures[name]:+.1f}" for name in ("low", "high") if name in figures]
        between = f" ({' .. '.join(interval)})" if interval else ""
        name = f"points a round against {opponent}" if opponent else name_of("points_per_round")
        lines.append(f"{figures['points_per_round']:+.1f}{between} {name}")
    return lines + [f"{figures[name]:,.0f} {name_of(name)}" for name in ("rounds", "minutes") if name in figures]


def named_figures(network: str, figures: dict[str, float], names: Sequence[str] = ()) -> dict[str, float]:
    """The figures `names` and the main figures of a network, by their names for people."""
    shown = dict.fromkeys((*names, *main_figure(network)))
    return {name_of(name): figures[name] for name in shown if name in figures}


POINTS = ("points_per_round", "low", "high", "rounds", "minutes")
MAIN_FIGURES = {
    SELF_PLAY: POINTS,
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
