"""Which method learns MADN best in equally many minutes, and which parts of MuZero matter, arm by arm.

madn_arms.toml has the arms. Minutes are those of the clock on the wall in which a run learns, so that nothing else
should run beside. MuZero uses two cores, TD one, and PPO as many threads as torch has.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_pipeline.games.studies.arms import ALL, Arms
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
    about = (
        f"After {facts['minutes']:g} minutes of learning, MuZero with two cores: shares of {ARMS.played(facts)} games "
        "against each opponent, with 95 % intervals."
    )
    return [ARMS.table(about, facts)]


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
