"""The stage `game_matches`: agents of a game against each other, `board_games/<game>/matches.json`.

matches.toml says who plays whom, and by which rules. Agents that need a run wait for it: matches of runs that are not
there, or that have learned another board, are left out.
"""

from __future__ import annotations

import re
import time
import tomllib
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from tichu_models.games.agents import agent_of
from tichu_models.games.champions import AGENTS as CHAMPIONS
from tichu_models.games.champions import CHAMPION, RECORD, folder_of, shipped_folder
from tichu_models.games.learning.evaluation import match_options
from tichu_models.games.learning.manifest import read_manifest
from tichu_models.games.learning.methods import NAMES
from tichu_models.games.learning.run import misfit
from tichu_models.games.match import match
from tichu_models.games.registry import MODULES, game
from tichu_models.runs.files import FIGURES, MANIFEST
from tichu_pipeline.games.facts import REQUEST, Facts, kept, stamp_of, write
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.stamps import KEY, json_object

# Bumped by hand when the same matches would have other results; tests/golden/game_matches.json says when.
VERSION = 3
STAGE, FILE = "game_matches", "matches.json"
RUN = re.compile(rf"(?:^|=)({'|'.join(NAMES)}):([^,]+)")  # in the text of an agent
OPENING = 4  # random actions, the same for all ways to seat the agents


class Planned(NamedTuple):
    """A match that shall be played."""

    agents: tuple[str, ...]
    rules: str = ""  # key=value,key=value


@dataclass(frozen=True)
class MatchesRequest:
    """Which matches shall be played."""

    game: str
    matches: tuple[Planned, ...]
    games: int  # of each
    seed: int = 1


def planned(paths: DataPaths, name: str, preset: str) -> MatchesRequest | None:
    """The matches of a preset whose runs are there; None if there are none for this game."""
    table = _tables().get(name, {}).get(preset)
    if table is None:
        return None
    wanted = [Planned(tuple(each["agents"]), each.get("rules", "")) for each in table["matches"]]
    return MatchesRequest(name, tuple(each for each in wanted if _can_be_played(paths, name, each)), table["games"])


def has_some(name: str) -> bool:
    """Whether there are matches of a game."""
    return name in _tables()


def stored(paths: DataPaths, name: str) -> list[dict[str, Any]]:
    """The results of a game's matches, as they are stored."""
    return json_object(path_of(paths, name)).get("results", [])


def _tables() -> dict[str, Any]:
    text = (resources.files("tichu_pipeline.games") / "matches.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def folders_of(paths: DataPaths, name: str, agent: str) -> list[Path]:
    """The folders of the runs that an agent plays with or judges positions by."""
    if agent == CHAMPION:
        return [shipped_folder(name)]
    found = RUN.findall(re.sub(r"\s", "", agent))
    return [folder for _, run in found if (folder := folder_of(paths.board_games, name, run))]


def path_of(paths: DataPaths, name: str) -> Path:
    """The file of a game."""
    return paths.board_games / name / FILE


def stamp(paths: DataPaths, request: MatchesRequest) -> str:
    """The stamp of the results: of the request, of the runs that play, and of what the champion is."""
    agents = sorted({agent for planned in request.matches for agent in planned.agents})
    folders = [folder for agent in agents for folder in folders_of(paths, request.game, agent)]
    runs = [read_manifest(folder).digest if (folder / MANIFEST).exists() else "" for folder in folders]
    champion = [CHAMPIONS.get(request.game, "")] if CHAMPION in agents else []
    return stamp_of(STAGE, VERSION, asdict(request), *runs, *champion)


def play(paths: DataPaths, request: MatchesRequest) -> Facts:
    """Plays the matches, unless their results are there."""
    path, now = path_of(paths, request.game), stamp(paths, request)
    if (there := kept(path, now)) is not None:
        return there
    began, of, played = time.perf_counter(), game(request.game), []
    for planned in request.matches:
        options = match_options(of, planned.rules)
        agents = [agent_of(of, name, paths.board_games, options) for name in planned.agents]
        result = match(of, options, agents, request.games, request.seed, OPENING)
        played.append({"rules": planned.rules, **result})
    rows = request.games * len(request.matches)
    return write(path, now, asdict(request), {"results": played}, rows, began)


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `game_matches`."""
    there = {name: path for name in MODULES if (path := path_of(survey.paths, name)).is_file()}
    if not there:
        return missing(STAGE, "no match has been stored yet; the job games plays some")
    reasons = [name for name, path in there.items() if not _is_fresh(survey.paths, path)]
    return judged(
        STAGE,
        f"matches of {len(there)} games",
        sum(path.stat().st_size for path in there.values()),
        [f"{name}: its runs or the version have changed since" for name in reasons],
    )


def _is_fresh(paths: DataPaths, path: Path) -> bool:
    facts = json_object(path)
    wanted = facts.get(REQUEST, {})
    try:
        matches = tuple(Planned(tuple(agents), rules) for agents, rules in wanted.get("matches", ()))
        request = MatchesRequest(**{**wanted, "matches": matches})
    except (TypeError, ValueError):  # as an older version has written it
        return False
    return facts.get(KEY) == stamp(paths, request)


def _can_be_played(paths: DataPaths, name: str, planned: Planned) -> bool:
    of = game(name)
    options = match_options(of, planned.rules)
    folders = [folder for agent in planned.agents for folder in folders_of(paths, name, agent)]
    return all(
        ((folder / FIGURES).exists() or (folder / RECORD).exists()) and not misfit(of, read_manifest(folder), options)
        for folder in folders
    )
