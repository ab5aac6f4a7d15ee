"""Does TD overtake the search? A run against MaxN of depths 1, 2, .., and its network as the evaluation of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tichu_models.games.agents import agent_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.learning.methods import run_folder
from tichu_models.games.match import match
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.runs.files import WEIGHTS
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

SEED = 7


def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """The matches that the size asks for."""
    run = size["run"]
    if not (run_folder(paths.board_games, "chameleon", run) / WEIGHTS).exists():
        raise OptionError(f"no run {run} of chameleon; tichu games train chameleon {run} makes it")
    learned, leaf = f"td:{run}", f"evaluation=td:{run}"
    alone = [(learned, f"maxn:depth={depth}", size["games"], 3) for depth in range(1, size["depth"] + 1)]
    inside = [
        (f"maxnis:depth={depth},{leaf}", f"maxnis:depth={depth}", size["games"], 1)
        for depth in range(1, size["depth"] + 1)
    ]
    if size["timed"]:
        budget = f"seconds={size['seconds']:g}"
        inside.append((f"maxnis:{budget},{leaf}", f"maxnis:{budget}", size["timed"], 1))
    return {
        "run": run,
        "alone": [_played(paths, *each) for each in alone],
        "inside": [_played(paths, *each) for each in inside],
    }


def _played(paths: DataPaths, first: str, second: str, games: int, others: int) -> dict[str, Any]:
    """A match of one agent against one or more seats of another."""
    of = game("chameleon")
    agents = [agent_of(of, text, paths.board_games) for text in (first, *[second] * others)]
    found: Any = match(of, match_options(of), agents, games, SEED, OPENING)
    mine = found["agents"][0]
    return {"first": first, "second": second, "games": games, "share": mine["share"], "interval": mine["interval"]}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """Alone, and inside the search."""
    found = []
    for key, about in (
        (
            "alone",
            "One seat of the network, which looks at its own moves alone, against three; level is 25 %.",
        ),
        (
            "inside",
            "Two seats against two: searches that the network judges, against the roles; level is 50 %.",
        ),
    ):
        rows = [
            (
                each["first"],
                each["second"],
                f"{each['share']:.1%}",
                f"{100 * each['interval'][0]:.1f} .. {100 * each['interval'][1]:.1f}",
                str(each["games"]),
            )
            for each in facts[key]
        ]
        found.append(Table(about, ("agent", "against", "share of games", "95 %", "games"), rows))
    return found


STUDY = Study(
    "Whether TD overtakes MaxN, alone and as the evaluation inside the search",
    {
        "smoke": {"run": "td", "depth": 1, "games": 4, "timed": 0, "seconds": 0.01},
        "demo": {"run": "td", "depth": 2, "games": 24, "timed": 0, "seconds": 0.01},
        "laptop": {"run": "td", "depth": 3, "games": 480, "timed": 480, "seconds": 1.0},
    },
    find,
    tables,
)
