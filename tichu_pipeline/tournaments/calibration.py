"""Calibration of a goal-conditioned run: the points that it achieves for each goal that it is asked for.

`tichu_models.arena.calibration` plays the games. This module stores their results, with a stamp of what they depend on,
and plots them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tichu_models.arena.calibration import GOALS, calibrate
from tichu_models.arena.defaults import DEALS
from tichu_models.arena.games_from import games_from
from tichu_models.runs.files import CALIBRATION, CALIBRATION_PICTURE, GAMES
from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import KEY, json_object, stored_stamp
from tichu_pipeline.tournaments.running import FromRegistry
from tichu_pipeline.training.runs import FINISHED, Run, RunError, find_run

# Bumped by hand when the same networks and goals would be played otherwise; tests/golden/calibration.json says when.
VERSION = 1
TAKE_GOALS = ("GCPolicyNet", "DTNet", "GCPolicyRLNet")
KNOWS_THE_SCORE = "GCPolicyRLNet"


@dataclass(frozen=True, kw_only=True)
class Calibrated(Made):
    """The calibration of a run; its rows are goals."""

    facts: dict[str, Any]  # the summary of `arena.calibration`


def takes_goals(run: Run) -> bool:
    """Whether a run is finished and its network reads a goal."""
    return bool(run.state == FINISHED and run.manifest and run.manifest.network in TAKE_GOALS)


def calibrate_run(
    paths: DataPaths,
    name: str,
    deals: int = DEALS,
    goals: Sequence[float] = GOALS,
    seed: int = 0,
    force: bool = False,
    done: Callable[[int], None] = lambda deals: None,
) -> Calibrated:
    """Plays a run against itself with every goal, unless the result is stored."""
    started, run = time.monotonic(), find_run(paths, name)
    if not takes_goals(run):
        raise RunError(f"{run.folder}: this run takes no goals; expected a finished run of a {' or '.join(TAKE_GOALS)}")
    if len(set(goals)) < 2:
        raise RunError(f"goals {', '.join(f'{goal:g}' for goal in goals)}: expected two or more different ones")
    goals, unasked = sorted(set(map(float, goals))), f"policy:{name}"
    make = FromRegistry(paths.runs)
    stamp = _stamp(make(unasked), (deals, goals, seed))
    path = run.folder / CALIBRATION
    reused = not force and stored_stamp(path) == stamp
    if not reused:
        made = calibrate(lambda goal: f"{unasked},goal={goal:g}", unasked, make, deals, goals, seed, done)
        facts = {"run": name, "seed": seed, **made.summary()}
        write_whole(path, json.dumps({KEY: stamp, **facts}, indent=1) + "\n")
        draw({name: facts}, run.folder / CALIBRATION_PICTURE)
    facts = json_object(path)
    return Calibrated(
        path=path,
        stamp=facts.pop(KEY),
        rows=len(facts["goals"]),
        bytes=path.stat().st_size,
        seconds=time.monotonic() - started,
        reused=reused,
        facts=facts,
    )


def games_of_run(
    paths: DataPaths,
    name: str,
    score: tuple[int, int],
    deals: int,
    seed: int = 0,
    done: Callable[[int], None] = lambda deals: None,
) -> dict[str, Any]:
    """Plays whole games that begin at a score: a run that plays for what the score demands, against the same without
    goals. The run's folder keeps the result."""
    run = find_run(paths, name)
    if not takes_goals(run) or run.manifest is None or run.manifest.network != KNOWS_THE_SCORE:
        raise RunError(f"{run.folder}: it plays alike at any score; expected a finished run of a {KNOWS_THE_SCORE}")
    player = f"policy:{name}"
    made = games_from(score, player, f"{player},score=false", FromRegistry(paths.runs), deals, seed, done)
    facts = {"seed": seed, **made.summary()}
    path = run.folder / GAMES
    kept = {**json_object(path), f"{score[0]}:{score[1]}": facts}
    write_whole(path, json.dumps(kept, indent=1) + "\n")
    return facts


def kept_calibration(paths: DataPaths, name: str) -> dict[str, Any] | None:
    """The stored calibration of a run, if its networks are still the same."""
    run = find_run(paths, name)
    kept = json_object(run.folder / CALIBRATION)
    stamp = kept.pop(KEY, None)
    if not takes_goals(run) or stamp is None:
        return None
    request = (kept["deals"], [each["asked"] for each in kept["goals"]], kept["seed"])
    return kept if stamp == _stamp(FromRegistry(paths.runs)(f"policy:{name}"), request) else None


def draw(calibrated: Mapping[str, dict[str, Any]], path: Path) -> None:
    """Plots the achieved points over the goals, for each run. The line at 0 is what a run achieves without a goal."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR, save

    figure = Figure(figsize=(5.5 * len(calibrated), 4), layout="constrained")
    grid = figure.subplots(1, len(calibrated), squeeze=False)[0]
    for axes, (name, facts) in zip(grid, calibrated.items(), strict=True):
        asked = [each["asked"] for each in facts["goals"]]
        achieved = [each["achieved"] for each in facts["goals"]]
        below = [each["achieved"] - each["interval"][0] for each in facts["goals"]]
        above = [each["interval"][1] - each["achieved"] for each in facts["goals"]]
        axes.axhline(0, color=ACCENT, linewidth=1)
        axes.errorbar(asked, achieved, (below, above), color=COLOUR, marker="o", capsize=3)
        axes.set(title=name, xlabel="goal, in points a round", ylabel="achieved against itself without a goal")
    save(figure, path)


def _stamp(agent: Any, request: tuple[Any, ...]) -> str:
    """A digest of the request and all networks of the player, those for other decisions included."""
    networks = sorted(each.manifest.digest for each in {agent.network, *agent.others.values()})
    return hashlib.sha256(json.dumps([VERSION, request, networks]).encode()).hexdigest()
