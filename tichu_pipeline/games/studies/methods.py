"""Which method learns MADN best in equally many minutes, and what of MuZero it owes that to, arm by arm.

madn_arms.toml has the arms. Minutes are those of the clock on the wall, so that nothing else should run beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_pipeline.games.studies.runs_of_arms import ALL, Arms, result_of
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

OPPONENTS = ("random", "rules")
ARMS = Arms("madn", "madn_arms.toml", OPPONENTS, ("minutes", "games"))


def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Trains the chosen arms."""
    settings = {"minutes": size["minutes"], "evaluations": size["evaluations"], "evaluation_games": size["judged"]}
    return {"minutes": size["minutes"], **ARMS.find(paths, size["arms"], size["preset"], settings)}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """A row for each arm."""
    rows = [(arm["name"], arm["about"], f"{arm['games']:,}", *map(result_of, arm["results"])) for arm in facts["arms"]]
    played = facts["arms"][0]["results"][0]["played"] if facts["arms"] else 0
    about = f"After {facts['minutes']:g} minutes: shares of {played} games against each opponent, with 95 % intervals."
    return [Table(about, ("arm", "what is changed", "games learned from", *OPPONENTS), rows)]


def draw(facts: Mapping[str, Any], path: Path) -> None:
    """Minutes against the share of games against rules of thumb, a line for each arm."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for arm in facts["arms"]:
        points = [each for each in arm["curve"] if each["opponent"] == OPPONENTS[1]]
        minutes, results = zip(*((each["minutes"], each["result"]) for each in points), strict=True)
        axes.plot(minutes, results, marker=".", label=arm["name"])
    axes.axhline(0.5, color="gray", linewidth=0.8, linestyle=":")
    axes.set(xlabel="minutes", ylabel="share of games against rules", ylim=(0, 1))
    axes.legend(fontsize="small")
    save(figure, path)


STUDY = Study(
    "Which method learns MADN best in equally many minutes",
    {
        "smoke": {"arms": "base,td", "preset": "smoke", "minutes": 0.001, "evaluations": 1, "judged": 4},
        "demo": {"arms": "td,ppo", "preset": "demo", "minutes": 0.05, "evaluations": 1, "judged": 24},
        "laptop": {"arms": ALL, "preset": "laptop", "minutes": 8.0, "evaluations": 4, "judged": 400},
    },
    find,
    tables,
    draw,
)
