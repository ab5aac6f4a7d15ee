"""Trains a run of a game: from a request to a folder with weights, figures, a trial, and a picture.

This module locks the folder and records the trial; `tichu_models.games.learning.run` trains.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tichu_models.games.learning.run import GameProgress, train
from tichu_models.games.registry import game
from tichu_models.runs.files import CURVES, FIGURES, MANIFEST, RESUME_SELFPLAY, TRIAL, WEIGHTS
from tichu_models.whole_files import write_whole
from tichu_pipeline.games.pictures import draw_curves
from tichu_pipeline.games.runs import GameRun, GameRunRequest, difference, finished
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.run_folders import RunError, locked
from tichu_pipeline.storage.stamps import json_object


def train_run(
    paths: DataPaths,
    request: GameRunRequest,
    progress: Callable[[GameProgress], None] = lambda progress: None,
    evaluated: Callable[[Mapping[str, float | str]], None] = lambda row: None,
    replace: bool = False,
) -> GameRun:
    """Trains the requested run or goes on with it; a finished run is returned as it is. `replace` allows the run to
    take the place of another one."""
    settings, manifest, folder = request.read(), request.manifest(), request.folder(paths)
    if (made := finished(folder, manifest)) is not None:
        return made
    with locked(folder):
        _make_room(folder, difference(folder, manifest), replace)
        began = time.monotonic()
        resumed = any((folder / name).exists() for name in (RESUME_SELFPLAY, FIGURES))
        earlier = json_object(folder / TRIAL) if resumed else {}

        def note() -> None:
            seconds = earlier.get("seconds", 0.0) + time.monotonic() - began
            facts = {"preset": request.preset, "settings": list(request.settings)}
            facts |= {"attempts": earlier.get("attempts", 0) + 1, "seconds": round(seconds, 3)}
            write_whole(folder / TRIAL, json.dumps(facts, indent=1) + "\n")

        note()  # so that an attempt that is killed before its first evaluation counts
        try:
            train(game(request.game), request.method, settings, folder, progress, evaluated)
        finally:
            note()
        draw_curves(folder)
        made = finished(folder, manifest, time.monotonic() - began, reused=False)
    assert made is not None
    return made


def _make_room(folder: Path, why: str, replace: bool) -> None:
    """Removes another run from a folder if that is asked for, or if it has saved nothing yet; else fails. `why` says
    how it differs from the one that shall be there; empty if it does not."""
    if not (folder / MANIFEST).exists() or not why:
        return
    if not replace and any((folder / name).exists() for name in (WEIGHTS, RESUME_SELFPLAY, CURVES)):
        raise RunError(f"{folder}: it holds another run ({why}); choose another name, or --replace it")
    shutil.rmtree(folder)
