"""Runs of self-play: what is requested, whether a folder holds it, whether it is fresh. Works without torch.

`train` trains a run. It lies in `runs/<name>/` as every run does; `tichu_models.runs.files` lists its files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tichu_models.agents.names import CHAMPION, FAST
from tichu_models.agents.registry import champion_folder
from tichu_models.observation.specs import SpecError, spec
from tichu_models.options import OptionError
from tichu_models.rl.settings import DEFAULT_PRESET, SelfplaySettings, settings_of
from tichu_models.runs.files import CURVES, MANIFEST, METRICS, WEIGHTS
from tichu_models.runs.journal import rows_of
from tichu_models.runs.manifest import SpecStamp
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.run_folders import RunError, check_name
from tichu_pipeline.training.runs import FINISHED, TRAINED_AGAINST, Run, find_run, run_of, runs

if TYPE_CHECKING:
    from tichu_models.rl.opponents import Opponent

# Bumped by hand when the same settings would make another player; tests/golden/selfplay_runs.json says when of the
# rounds that are played. A run notes it in its trial.
VERSION = 3
SETTINGS, START = "selfplay", "start"  # keys in a manifest: in `training` and in `data`
OPPONENT = "heuristic"  # whom the figures of a run are against, unless it trained against somebody else
SHIPPED = f"{CHAMPION}:{FAST}"  # as a start: the run that ships with the package, even if there is a run `champion`


@dataclass(frozen=True)
class SelfplayRequest:
    """A request for a run of self-play, as the command and the stage word it."""

    run: str
    preset: str = DEFAULT_PRESET
    settings: Sequence[str] = ()  # key=value
    start: str = ""  # the run whose networks it begins with; by default they are random
    opponent: str = ""  # the player that it trains against; by default itself
    within: float | None = None  # minutes after which a training against an opponent is done; by default its iterations

    def read(self) -> SelfplaySettings:
        """The settings, checked. Raises RunError for the name, OptionError for a setting."""
        check_name(self.run)
        return settings_of(self.preset, self.settings)


@dataclass(frozen=True, kw_only=True)
class SelfplayRun(Made):
    """A run that was trained, or was found finished. Its stamp is the digest of its manifest; its rows are the rounds
    that it has played."""

    name: str
    finished: bool
    figures: Mapping[str, float]  # of the latest evaluation


def start_of(paths: DataPaths, request: SelfplayRequest) -> Run | None:
    """The run that the requested one begins with; None if it begins with random networks. `champion` is the run of this
    name, or the one that ships with the package."""
    if not request.start:
        return None
    is_shipped = request.start == CHAMPION and not (paths.runs / CHAMPION / MANIFEST).exists()
    if is_shipped or request.start == SHIPPED:
        return run_of(champion_folder())
    run = find_run(paths, request.start)
    if request.start == request.run:
        raise RunError(f"{run.folder}: a run cannot begin with its own networks; choose another name for the new one")
    if not (run.folder / WEIGHTS).exists():
        raise RunError(f"{run.folder}: no weights yet; expected those of a run that was trained")
    return run


def opponent_of(paths: DataPaths, request: SelfplayRequest) -> Opponent | None:
    """The player that the requested run trains against; None if that is itself."""
    if not request.opponent:
        return None
    from tichu_models.rl.players_by_name import opponent_from

    return opponent_from(request.opponent, paths.runs, request.within)


def finished(
    folder: Path, settings: SelfplaySettings, start: Run | None, opponent: Opponent | None = None
) -> SelfplayRun | None:
    """The run in a folder, if it is finished and has these settings, this start and this opponent."""
    run = run_of(folder)
    if run.state != FINISHED or difference(run, settings, start, opponent):
        return None
    if not (folder / CURVES).exists():  # killed before they were drawn
        return None
    return made_of(run, run.figures, 0.0, reused=True)


def made_of(run: Run, figures: Mapping[str, float], seconds: float, reused: bool = False) -> SelfplayRun:
    """The run of a folder as what the stage has made."""
    assert run.manifest is not None
    return SelfplayRun(
        path=run.folder,
        stamp=run.manifest.digest,
        rows=int(figures.get("rounds", 0)),
        bytes=size_of(run.folder),
        seconds=seconds,
        reused=reused,
        name=run.name,
        finished=run.state == FINISHED,
        figures=figures,
    )


def latest(folder: Path) -> dict[str, float]:
    """The figures of the latest evaluation of a run; empty if there was none."""
    opponent = run_of(folder).opponent or OPPONENT
    rows = [row for row in rows_of(folder / METRICS) if row["opponent"] == opponent]
    return {name: float(value) for name, value in rows[-1].items() if name != "opponent"} if rows else {}


def size_of(folder: Path) -> int:
    """Bytes of a run with all its networks."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def difference(run: Run, settings: SelfplaySettings, start: Run | None, opponent: Opponent | None = None) -> str:
    """The first difference between a run and one of these settings, this start and this opponent, in a few words; empty
    if there is none."""
    return _other_settings(run, settings) or _other_start(run, start) or _other_opponent(run, opponent)


def _other_settings(run: Run, settings: SelfplaySettings) -> str:
    manifest = run.manifest
    if manifest is None:
        return run.problem
    if run.learned_from_logs or SETTINGS not in manifest.training:
        return f"it is a {manifest.network} that learned by imitation"
    before, now = manifest.training[SETTINGS], settings.plain()
    for name in dict.fromkeys((*now, *before)):
        if name not in before or name not in now:
            return f"{name} is a setting of another version"
        if before[name] != now[name]:
            return f"{name} = {before[name]}, not {now[name]}"
    if run.trial.get("version", VERSION) != VERSION:
        return "made by an older version"
    try:
        is_same = manifest.spec == SpecStamp.of(spec(manifest.spec.name))
    except SpecError as error:
        return str(error)
    return "" if is_same else f"{manifest.spec.name} has changed since"


def _other_start(run: Run, start: Run | None) -> str:
    assert run.manifest is not None
    stored, now = run.manifest.data.get(START, ""), start.manifest.digest if start and start.manifest else ""
    if stored == now:
        return ""
    began = run.trial.get("start", "another run") if stored else "random networks"
    if start and began == start.name:
        return f"{began}, with which it began, has changed since"
    return f"it began with {began}, not with {start.name if start else 'random networks'}"


def _other_opponent(run: Run, opponent: Opponent | None) -> str:
    assert run.manifest is not None
    if run.opponent != (name := opponent.name if opponent else ""):
        before, now = (f"against {each}" if each else "against itself" for each in (run.opponent, name))
        return f"it trained {before}, not {now}"
    if opponent is None:
        return ""
    if (minutes := run.manifest.training[TRAINED_AGAINST].get("minutes")) != opponent.minutes:
        before, now = (
            "all its iterations" if each is None else f"{each:g} minutes" for each in (minutes, opponent.minutes)
        )
        return f"it trained for {before}, not for {now}"
    is_same = run.manifest.data.get(TRAINED_AGAINST) == opponent.digest
    return "" if is_same else f"{opponent.name}, against whom it trained, has changed since"


def stale_because(run: Run) -> str:
    """Why a run would be trained again with its own settings; empty if it would not. The run that it began with may be
    gone."""
    assert run.manifest is not None
    try:
        settings = SelfplaySettings.read(run.manifest.training.get(SETTINGS, {}), "its settings")
    except OptionError as error:
        return str(error)
    start = run_of(run.folder.with_name(name)) if (name := run.trial.get("start", "")) else None
    return _other_settings(run, settings) or (_other_start(run, start) if start and start.manifest else "")


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `selfplay_runs`."""
    listed = [run for run in runs(survey.paths) if not run.learned_from_logs and not run.opponent]
    if not listed:
        return missing("selfplay_runs", "no player has learned from self-play yet; tichu selfplay RUN trains one")
    there = [run for run in listed if run.state == FINISHED]
    reasons = [f"{run.name} is {run.state}" for run in listed if run.state != FINISHED]
    reasons += [f"{run.name}: {why}" for run in there if (why := stale_because(run))]
    size = sum(size_of(run.folder) for run in listed)
    return judged("selfplay_runs", f"{len(there)} trained players", size, reasons)


def evaluation_line(figures: Mapping[str, float | str]) -> str:
    """An evaluation in one line."""
    low, high = (f"{float(figures[name]):+.1f}" for name in ("low", "high"))
    line = (
        f"{float(figures['points_per_round']):+.1f} points a round against {figures.get('opponent', OPPONENT)} "
        f"({low} .. {high}) after {int(figures['rounds']):,} rounds"
    )
    for call in ("small", "grand"):
        if f"{call}_a_round" in figures:
            made = float(figures[f"{call}_made"])
            line += f", {call} Tichu {float(figures[f'{call}_a_round']):.2f} a round, {made:.0%} made"
    return line
