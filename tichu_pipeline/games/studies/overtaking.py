"""Does TD overtake the search? A run against MaxN of depths 1, 2, .., and its network as the evaluation of a search."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_models.games.agents import agent_of
from tichu_models.games.champions import folder_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.match import match
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.runs.files import METRICS, WEIGHTS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

SEED = 7


def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """The matches that the size asks for."""
    run = size["run"]
    folder = folder_of(paths.board_games, "chameleon", run)
    if folder is None or not (folder / WEIGHTS).exists():
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
        "curve": _curve(folder),
        "alone": [_played(paths, *each) for each in alone],
        "inside": [_played(paths, *each) for each in inside],
    }


def _curve(folder: Path) -> list[dict[str, Any]]:
    """The run's results against each opponent, by the games that it had learned from; none of a run that ships."""
    kept = {"games": int, "opponent": str, "result": float, "low": float, "high": float}
    return [{name: kind(row[name]) for name, kind in kept.items()} for row in rows_of(folder / METRICS)]


def _played(paths: DataPaths, first: str, second: str, games: int, others: int) -> dict[str, Any]:
    """A match of one agent against one or more seats of another."""
    of = game("chameleon")
    agents = [agent_of(of, text, paths.board_games) for text in (first, *[second] * others)]
    found: Any = match(of, match_options(of), agents, games, SEED, OPENING)
    mine = found["agents"][0]
    return {"first": first, "second": second, "games": games, "share": mine["share"], "interval": mine["interval"]}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """While it learned, alone, and inside the search."""
    found = []
    if curve := facts.get("curve"):
        opponents = list(dict.fromkeys(each["opponent"] for each in curve))
        rows = [
            (f"{games:,}", *(f"{each['result']:.1%}" for each in curve if each["games"] == games))
            for games in dict.fromkeys(each["games"] for each in curve)
        ]
        about = "One seat of the network against three, while it learned; level is 25 %."
        found.append(Table(about, ("games learned from", *opponents), rows))
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


def draw(facts: Mapping[str, Any], path: Path) -> None:
    """Games learned from against the share of games, a line for each opponent."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for opponent in dict.fromkeys(each["opponent"] for each in facts["curve"]):
        rows = [each for each in facts["curve"] if each["opponent"] == opponent]
        games, result, low, high = ([each[name] for each in rows] for name in ("games", "result", "low", "high"))
        (line,) = axes.plot(games, result, marker=".", label=f"against {opponent}")
        axes.fill_between(games, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(0.25, color="gray", linewidth=0.8, linestyle=":")
    axes.set(xlabel="games learned from", ylabel="share of games", ylim=(0, 1), title=f"td:{facts['run']}")
    if facts["curve"]:
        axes.legend()
    save(figure, path)


STUDY = Study(
    "Whether TD overtakes MaxN, alone and as the evaluation inside the search",
    {
        "smoke": {"run": "td", "depth": 1, "games": 4, "timed": 0, "seconds": 0.01},
        "demo": {"run": "td", "depth": 2, "games": 24, "timed": 0, "seconds": 0.01},
        "laptop": {"run": "td", "depth": 3, "games": 480, "timed": 480, "seconds": 1.0},
    },
    find,
    tables,
    draw,
    run="run",
)
