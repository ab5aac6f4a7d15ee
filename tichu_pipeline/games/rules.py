"""The stage `game_rules`: what can be counted of a game's rules, `board_games/<game>/rules.json`.

Sequences of actions from the beginning (perft), where they are known from elsewhere and can be compared, and figures of
random games.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tichu_models.algorithms.counting import count_sequences
from tichu_models.games.registry import MODULES, game
from tichu_pipeline.games.facts import REQUEST, Facts, kept, stamp_of, write
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.stamps import KEY, json_object

# Bumped by hand when the same request would count something else; tests/golden/game_rules.json says when.
VERSION = 1
STAGE, FILE = "game_rules", "rules.json"
# Sequences of 1, 2, .. actions by players, as they were published or counted by another implementation.
KNOWN: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "chameleon": {
        "RY": (13, 169, 3496, 71470, 1576357, 34376304),
        "RG": (13, 130, 2112, 27722, 440761, 6172329),
        "RB": (10, 130, 1736, 27494, 387766, 6038082),
        "RGY": (13, 169, 2197, 44620, 898653),
        "RGYB": (13, 169, 2197, 28561, 570778),
    }
}
# (depth, random games) of each preset.
SIZES = {"smoke": (3, 60), "demo": (4, 6_000), "laptop": (5, 60_000)}


@dataclass(frozen=True)
class RulesRequest:
    """What shall be counted."""

    game: str
    depth: int = 4
    games: int = 6_000
    seed: int = 1

    @classmethod
    def of(cls, name: str, preset: str) -> RulesRequest:
        """The request of a preset."""
        return cls(name, *SIZES[preset])

    @property
    def stamp(self) -> str:
        """The stamp of its file."""
        return stamp_of(STAGE, VERSION, asdict(self))


def path_of(paths: DataPaths, name: str) -> Path:
    """The file of a game."""
    return paths.board_games / name / FILE


def counted(paths: DataPaths, name: str) -> dict[str, Any]:
    """What was counted of a game; empty if nothing was."""
    return json_object(path_of(paths, name))


def count(paths: DataPaths, request: RulesRequest) -> Facts:
    """Counts what is requested, unless that is there."""
    path = path_of(paths, request.game)
    if (there := kept(path, request.stamp)) is not None:
        return there
    began, of = time.perf_counter(), game(request.game)
    facts = {
        "title": of.rules.strip().splitlines()[0],
        "perft": perft_of(request.game, request.depth),
        "complexity": of.complexity(of, request.games, request.seed),
    }
    return write(path, request.stamp, asdict(request), facts, request.games, began)


def perft_of(name: str, depth: int) -> dict[str, list[int]]:
    """Sequences of actions by players, of games with known counts."""
    of = game(name)
    beginnings = {players: of.new(of.read_options({"players": players})) for players in KNOWN.get(name, {})}
    return {players: count_sequences(of, state, depth) for players, state in beginnings.items()}


def wrong_counts(name: str, perft: Mapping[str, list[int]]) -> list[str]:
    """Counts that differ from those that are known."""
    return [
        f"{players} depth {ply}: {found}, not {known}"
        for players, counted in perft.items()
        for ply, (found, known) in enumerate(zip(counted, KNOWN.get(name, {}).get(players, ()), strict=False), start=1)
        if found != known
    ]


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `game_rules`."""
    there = {name: path for name in MODULES if (path := path_of(survey.paths, name)).is_file()}
    if not there:
        return missing(STAGE, "nothing has been counted yet; the job games does it")
    reasons = [
        f"{name}: made by an older version"
        for name, path in there.items()
        if json_object(path).get(KEY) != RulesRequest(**json_object(path).get(REQUEST, {"game": name})).stamp
    ]
    return judged(STAGE, f"rules of {len(there)} games", sum(p.stat().st_size for p in there.values()), reasons)
