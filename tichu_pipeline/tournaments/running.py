"""Plays a requested tournament with several workers, and stores it; a stored one is not played again.

Built-in players do not need the interpreter's lock and are played by threads, others by processes. The results are the
same. An agent with a network uses the other runs of the data folder for other decisions, so the stamp of a tournament
depends on all runs; that of a tournament with the champion depends on its networks as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from multiprocessing import parent_process
from pathlib import Path

from tichu_models.agents.luck import Luck
from tichu_models.agents.names import CHAMPION
from tichu_models.agents.registry import agent_from
from tichu_models.arena.tournament import PlayedTournament, TournamentRequest, is_plain, play
from tichu_models.players.base import Agent
from tichu_models.players.builtin import BuiltinAgent
from tichu_models.players.crowd import TRUTH_FILE
from tichu_models.runs import files
from tichu_models.runs.files import MANIFEST, WEIGHTS
from tichu_models.runs.folders import of_critic
from tichu_models.runs.manifest import CheckpointError
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.storage.workers import Processes, Workers, threads
from tichu_pipeline.tournaments.entrants import LADDER, entrants
from tichu_pipeline.tournaments.files import TournamentFileError, read, write
from tichu_pipeline.tournaments.logs import game_logs

# Bumped by hand when the same request would be played otherwise; tests/golden/tournament.json says when.
VERSION = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
RUN = re.compile(r"[a-z_]+:[^,=]+(,|$)")  # an agent that plays with a run


class BadNameError(ValueError):
    """A tournament whose name cannot be that of a file."""


class ControlError(ValueError):
    """A run that cannot be used as a control variate."""


@dataclass(frozen=True)
class FromRegistry:
    """Makes agents by name, in this process or in a worker."""

    runs: Path | None

    def __call__(self, name: str) -> Agent:
        if parent_process():  # a worker process, which has one core
            os.environ.setdefault("OMP_NUM_THREADS", "1")
        return agent_from(name, self.runs)


@dataclass(frozen=True, kw_only=True)
class Tournament(Made):
    """A stored tournament; its rows are rounds."""

    played: PlayedTournament


def run(
    paths: DataPaths,
    name: str,
    request: TournamentRequest,
    workers: Workers | None = None,
    force: bool = False,
    logs: Path | None = None,
    done: Callable[[int], None] = lambda deals: None,
    left_out: tuple[tuple[str, str], ...] = (),
) -> Tournament:
    """Plays a tournament and stores it, unless it is stored. With `logs`, it is always played, and its games are
    written to that folder. `left_out` has the runs that could not play, with the reasons."""
    started = time.perf_counter()
    path = tournament_path(paths, name)
    stamp = stamp_of(request, paths)
    if not force and not logs and stored_stamp(path) == stamp:
        played = read(path)
        if played.left_out != left_out:
            played = replace(played, left_out=left_out)
            write(path, played, stamp)
        return _made(played, path, stamp, started, reused=True)
    make, control = FromRegistry(paths.runs), _control(request, paths)
    with (
        workers or _usual_workers(request, make) as pool,
        game_logs(logs / f"{name}.zip", request, stamp) if logs else nullcontext() as archive,
    ):
        played = play(request, make, pool.map, pool.count, archive, done, control)
    played = replace(played, left_out=left_out)
    write(path, played, stamp)
    return _made(played, path, stamp, started, reused=False)


def _made(played: PlayedTournament, path: Path, stamp: str, started: float, reused: bool) -> Tournament:
    return Tournament(
        path=path,
        stamp=stamp,
        rows=len(played.results),
        bytes=path.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
        played=played,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `tournament`, which plays the ladder. It is stale if other agents could play now."""
    paths = survey.paths
    path = tournament_path(paths, LADDER)
    if not path.is_file():
        return missing("tournament", "the ladder has not been played yet")
    try:
        played = read(path)
    except TournamentFileError as error:
        return judged("tournament", "", path.stat().st_size, [str(error)])
    able = entrants(paths)
    new = [agent for agent in able.agents if agent not in played.request.agents]
    reasons = [f"new agents: {', '.join(new)}"] if new else []
    reasons += [f"{run} cannot play: {why}" for run, why in able.left_out if (run, why) not in played.left_out]
    if not reasons and stamp_of(played.request, paths) != stored_stamp(path):
        reasons.append("a network, the crowd's corpus or the version of the stage has changed since")
    there = f"{len(played.request.agents)} agents, {len(played.results):,} rounds"
    return judged("tournament", there, path.stat().st_size, reasons or survey.stale("training_runs", "selfplay_runs"))


def tournament_path(paths: DataPaths, name: str) -> Path:
    """The file of a tournament."""
    if not NAME.fullmatch(name):
        raise BadNameError(f"name '{name}': expected letters, digits, '.', '_' and '-'")
    return paths.tournaments / f"{name}.parquet"


def stamp_of(request: TournamentRequest, paths: DataPaths) -> str:
    """The stamp of a tournament: a digest of the request, the runs and the corpus that its agents use."""
    digest = hashlib.sha256(f"tournament {VERSION} {json.dumps(asdict(request))}".encode())
    if any(agent.startswith("crowd") for agent in request.agents):
        digest.update(
            hashlib.sha256((paths.root / TRUTH_FILE).read_bytes()).digest()
            if (paths.root / TRUTH_FILE).exists()
            else b""
        )
    champions = [agent for agent in request.agents if agent.partition(":")[0] == CHAMPION]
    if request.control or any(RUN.match(agent) for agent in request.agents if agent not in champions):
        digest.update(digests_of_runs(paths.runs))
    if champions:
        digest.update(digests_of_runs(files.CHAMPION.parent, CHAMPION))
    return digest.hexdigest()


def digests_of_runs(folder: Path, runs: str = "*") -> bytes:
    """The names and digests of all networks of runs, those in subfolders included, without critics."""
    found = [
        file
        for name in (MANIFEST, WEIGHTS)
        for depth in (runs, f"{runs}/*")
        for file in folder.glob(f"{depth}/{name}")
        if file.parent != of_critic(file.parents[1])
    ]
    lines = [
        f"{file.parent.relative_to(folder).as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}\n"
        for file in sorted(found)
    ]
    return "".join(lines).encode()


def _control(request: TournamentRequest, paths: DataPaths) -> Luck | None:
    """The control variate, if one is requested. A run that cannot be one is refused before anything is played."""
    if request.control is None:
        return None
    try:
        return Luck(paths.runs / request.control).checked()
    except CheckpointError as error:
        raise ControlError(f"control '{request.control}': {error}") from None


def _usual_workers(request: TournamentRequest, make: FromRegistry) -> Workers:
    """Threads if all agents are built in, else a process for each core."""
    agents = [make(name) for name in request.agents]
    if all(isinstance(agent, BuiltinAgent) and is_plain(agent) for agent in agents):
        return threads()
    return Processes(os.cpu_count() or 1)
