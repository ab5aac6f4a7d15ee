"""`train`: a game is learned from its settings to the folder of a run. It can be killed at any moment and goes on where
it was; on one thread it ends as one that was not killed. Its files are those of a run of self-play (`runs.files`), in
`board_games/<game>/<run>/` of a data folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.evaluation import match_options
from tichu_models.games.learning.manifest import (
    GameManifest,
    current_method,
    damaged,
    read_arrays,
    read_manifest,
    write_arrays,
)
from tichu_models.games.learning.methods import method_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.trainer import Result, Trainer
from tichu_models.options import OptionError
from tichu_models.runs.files import FIGURES, MANIFEST, RESUME_SELFPLAY, WEIGHTS, CheckpointError
from tichu_models.runs.journal import Clock, Journal
from tichu_models.whole_files import write_whole


@dataclass(frozen=True)
class GameProgress:
    """How far a run is."""

    share: float
    iteration: int
    games: int
    minutes: float
    results: tuple[Result, ...]  # of the latest evaluation

    def __str__(self) -> str:
        latest = "".join(f", {each.result:.3g} against {each.opponent}" for each in self.results)
        return f"{self.share:.0%}, {self.games:,} games in {self.minutes:.1f} min{latest}"


@dataclass(frozen=True)
class Trained:
    """The result of a run."""

    figures: Mapping[str, Any]  # as FIGURES holds them
    reused: bool


def train(
    game: Game,
    method: str,
    settings: TrainingSettings,
    folder: Path,
    progress: Callable[[GameProgress], None] = lambda progress: None,
    evaluated: Callable[[Mapping[str, float | str]], None] = lambda row: None,
) -> Trained:
    """Learns a game, or goes on with a run; a finished run with these settings is left as it is. `progress` is called
    after every iteration, `evaluated` with every row of the journal."""
    manifest = GameManifest.of(game, method, settings)
    if (figures := figures_of(folder, manifest)) is not None:
        return Trained(figures, True)
    run = _Run(method_of(game.name, method).trainer(game, settings), settings, manifest, folder)
    run.begin()
    with Journal(folder, run.iteration, events=False) as journal:
        while run.share < 1:
            due = int(run.share * settings.evaluations)
            journal.iterated(run.iteration + 1, run.iterate())
            if int(run.share * settings.evaluations) > due:
                for row in run.evaluate():
                    journal.evaluated(run.iteration, row)
                    evaluated(row)
            if run.iteration % settings.save_every == 0 or run.share == 1:
                run.save()
            progress(run.progress)
    return Trained(run.finish(), False)


def figures_of(folder: Path, manifest: GameManifest) -> dict[str, Any] | None:
    """The figures of the finished run with this manifest; None if the folder does not hold it."""
    try:
        same = (folder / MANIFEST).read_text(encoding="utf-8") == manifest.text()
        return json.loads((folder / FIGURES).read_text(encoding="utf-8")) if same else None
    except (OSError, ValueError):
        return None


class _Run:
    """A run in memory: its trainer, and how far it is."""

    def __init__(self, trainer: Trainer, settings: TrainingSettings, manifest: GameManifest, folder: Path) -> None:
        self._trainer, self._settings, self._manifest, self._folder = trainer, settings, manifest, folder
        self.iteration, self.minutes = 0, 0.0  # so far, of learning alone
        self._results: tuple[Result, ...] = ()

    @property
    def share(self) -> float:
        """How much of the run is done."""
        limit = self._settings.minutes
        return min(1.0, self.iteration / self._settings.iterations if limit is None else self.minutes / limit)

    @property
    def progress(self) -> GameProgress:
        """How far it is."""
        return GameProgress(self.share, self.iteration, self._trainer.games, self.minutes, self._results)

    def begin(self) -> None:
        """Writes the manifest, after removing another run from the folder, or takes up the saved state."""
        path = self._folder / MANIFEST
        if not path.exists() or path.read_text(encoding="utf-8") != self._manifest.text():
            for name in (WEIGHTS, FIGURES, RESUME_SELFPLAY):
                (self._folder / name).unlink(missing_ok=True)
            write_whole(path, self._manifest.text())
        if (self._folder / RESUME_SELFPLAY).exists():
            arrays, notes = read_arrays(self._folder / RESUME_SELFPLAY, self._manifest)
            try:
                self._trainer.restore(arrays)
                self.iteration, self.minutes = int(notes["iteration"]), float(notes["minutes"])
                self._results = tuple(Result(*each) for each in notes["results"])
            except (KeyError, TypeError, ValueError) as error:
                raise damaged(self._folder / RESUME_SELFPLAY, error) from None

    def iterate(self) -> dict[str, float]:
        """An iteration, and its figures."""
        clock = Clock()
        figures = self._trainer.iterate(self.iteration, self.share)
        self.iteration += 1
        clock.lap("iteration")
        self.minutes += sum(clock.seconds.values()) / 60
        return {"games": float(self._trainer.games), **figures, **clock.seconds}

    def evaluate(self) -> list[dict[str, float | str]]:
        """The player as it is now against others: rows of the journal."""
        self._results = tuple(self._trainer.evaluate())
        return [
            {"minutes": round(self.minutes, 3), "games": self._trainer.games, **each._asdict()}
            for each in self._results
        ]

    def save(self) -> None:
        """Writes the player as it is now, and the state to go on from."""
        weights = self._trainer.weights()
        for name, array in weights.items():
            if not np.isfinite(array).all():
                raise CheckpointError(f"{self._folder}: {name} is not finite; what was saved before stays")
        notes = {"iteration": self.iteration, "minutes": self.minutes, "results": self._results}
        write_arrays(self._folder / WEIGHTS, weights, self._manifest, {"games": self._trainer.games})
        write_arrays(self._folder / RESUME_SELFPLAY, {**weights, **self._trainer.state()}, self._manifest, notes)

    def finish(self) -> dict[str, Any]:
        """Writes the figures of a finished run, and removes the state to go on from."""
        if not self._results:
            self.evaluate()
        results = [each._asdict() for each in self._results]
        figures = {"games": self._trainer.games, "minutes": round(self.minutes, 3), "results": results}
        write_whole(self._folder / FIGURES, json.dumps(figures, indent=1) + "\n")
        (self._folder / RESUME_SELFPLAY).unlink(missing_ok=True)
        return figures


def player_of(
    game: Game, method: str, folder: Path, name: str, options: Mapping[str, str], by: np.ndarray | None = None
) -> GameAgent:
    """Who plays a game with the weights of a run, finished or not. `options` are those of the agent's text, `by` are
    those of the game: OptionError if the run has learned another one."""
    manifest = read_manifest(folder)
    if (manifest.game, manifest.method) != (game.name, method):
        raise CheckpointError(
            f"{folder}: a run of {manifest.game} by {manifest.method}; expected {game.name}, {method}"
        )
    learner = current_method(manifest, folder)
    if by is not None and (reason := misfit(game, manifest, by)):
        raise OptionError(reason)
    weights, _ = read_arrays(folder / WEIGHTS, manifest)
    try:
        return learner.player(game, learner.settings.read(manifest.settings, "settings"), weights, name, options)
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{folder}: {error}") from None


def misfit(game: Game, manifest: GameManifest, by: np.ndarray) -> str:
    """Why who has learned in a run cannot play by these options, an empty text if it can."""
    rules = str(manifest.settings.get("rules", ""))
    try:
        reason = game.unlike(match_options(game, rules), by) if game.unlike is not None else ""
    except ValueError as error:
        raise CheckpointError(f"{MANIFEST}: the rules of the run: {error}; train it anew") from None
    return f"{reason}: play by its rules, {rules or 'the usual ones'}" if reason else ""
