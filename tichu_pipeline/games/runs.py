"""Runs of games, `board_games/<game>/<run>/`: what is requested, whether a folder holds it, whether it is fresh.

`train` trains them. The files of a folder are those that `tichu_models.runs.files` lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tichu_models.games.learning.manifest import GameManifest, current_method, read_manifest
from tichu_models.games.learning.methods import UnknownMethod, method_of, run_folder
from tichu_models.games.learning.run import figures_of
from tichu_models.games.learning.settings import DEFAULT_PRESET, TrainingSettings, settings_of
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.runs.files import CURVES, FIGURES, MANIFEST, WEIGHTS, CheckpointError
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.run_folders import RunError, check_name
from tichu_pipeline.storage.stamps import json_object

STAGE = "game_runs"


@dataclass(frozen=True)
class GameRunRequest:
    """A request for a run, as the command and the stage word it."""

    game: str
    method: str
    run: str = ""  # by default the name of the method
    preset: str = DEFAULT_PRESET
    settings: Sequence[str] = ()  # key=value

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run or self.method

    def read(self) -> TrainingSettings:
        """The settings, checked. Raises RunError for name or method, OptionError for a setting."""
        check_name(self.name)
        try:
            learner = method_of(self.game, self.method)
        except UnknownMethod as error:
            raise RunError(str(error)) from None
        return settings_of(learner.settings, self.game, self.method, self.preset, self.settings)

    def manifest(self) -> GameManifest:
        """The manifest that the run has or will have."""
        return GameManifest.of(game(self.game), self.method, self.read())

    def folder(self, paths: DataPaths) -> Path:
        """The folder of the run."""
        return run_folder(paths.board_games, self.game, self.name)


@dataclass(frozen=True, kw_only=True)
class GameRun(Made):
    """A run that was trained, or was found finished. Its stamp is the digest of its manifest, its rows are games."""

    name: str
    game: str
    method: str
    figures: Mapping[str, Any] = field(default_factory=dict)  # as `learning.run` writes them

    @property
    def lines(self) -> list[str]:
        """The results of the last evaluation, each as a line."""
        return [result_line(each) for each in self.figures.get("results", [])]


def result_line(result: Mapping[str, Any]) -> str:
    """A result of an evaluation as a line."""
    low, high = result["low"], result["high"]
    if result["opponent"] == "alone":
        return f"{result['result']:.1f} points ({low:.1f} .. {high:.1f})"
    return f"{result['result']:.1%} of games against {result['opponent']} ({low:.1%} .. {high:.1%})"


def finished(folder: Path, manifest: GameManifest, seconds: float = 0.0, reused: bool = True) -> GameRun | None:
    """The run in a folder, if it is finished, with its picture, and has this manifest."""
    figures = figures_of(folder, manifest)
    if figures is None or not (folder / CURVES).exists() or not (folder / WEIGHTS).exists():
        return None
    return GameRun(
        path=folder,
        stamp=manifest.digest,
        rows=int(figures["games"]),
        bytes=size_of(folder),
        seconds=seconds,
        reused=reused,
        name=folder.name,
        game=manifest.game,
        method=manifest.method,
        figures=figures,
    )


def size_of(folder: Path) -> int:
    """Bytes of a run."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def difference(folder: Path, now: GameManifest) -> str:
    """How the run in a folder differs from one with this manifest, in a few words; empty if it does not, or if there is
    none."""
    if not (folder / MANIFEST).exists():
        return ""
    try:
        there = read_manifest(folder)
    except CheckpointError as error:
        return str(error)
    if there.method != now.method:
        return f"it learned by {there.method}, not by {now.method}"
    for name in dict.fromkeys((*now.settings, *there.settings)):
        if there.settings.get(name) != now.settings.get(name):
            return f"{name} = {there.settings.get(name)}, not {now.settings.get(name)}"
    return "" if there == now else "made by an older version"


def runs(paths: DataPaths) -> list[Path]:
    """The folders of all runs, sorted by game and name."""
    return sorted(path.parent for path in paths.board_games.glob(f"*/*/{MANIFEST}"))


def stale_because(folder: Path) -> str:
    """Why a run would be trained again with its own settings; empty if it would not."""
    try:
        there = read_manifest(folder)
        learner = current_method(there, folder)
        settings = learner.settings.read(there.settings, "its settings")
    except (CheckpointError, OptionError) as error:
        return str(error)
    return difference(folder, GameManifest.of(game(there.game), there.method, settings))


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `game_runs`."""
    listed = runs(survey.paths)
    if not listed:
        return missing(STAGE, "no game has been learned yet; tichu games train GAME does it")
    there = [folder for folder in listed if (folder / FIGURES).exists()]
    reasons = [f"{_name(folder)} is unfinished" for folder in listed if folder not in there]
    reasons += [f"{_name(folder)}: {why}" for folder in there if (why := stale_because(folder))]
    return judged(STAGE, f"{len(there)} players of games", sum(map(size_of, listed)), reasons)


def figures(folder: Path) -> dict[str, Any]:
    """The figures of a run; empty if it is not finished."""
    return json_object(folder / FIGURES)


def _name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"
