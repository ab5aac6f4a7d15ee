"""Studies of learning for equally many minutes: runs that differ in their settings, judged against the same opponents.

Minutes are those of the clock on the wall in which a run learns, so that nothing else should run beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_pipeline.games.studies.arms import Arms
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

OPPONENTS = ("random", "rules")


def arms_of(game: str, file: str) -> Arms:
    """The arms of such a study."""
    return Arms(game, file, OPPONENTS, ("minutes", "games"))


def timed_study(about: str, beside: str, arms: Arms, sizes: Mapping[str, Mapping[str, Any]]) -> Study:
    """The study; `beside` are words to put after "minutes of learning"."""

    def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
        settings = {"minutes": size["minutes"], "evaluations": size["evaluations"], "evaluation_games": size["judged"]}
        return {"minutes": size["minutes"], **arms.find(paths, size["arms"], size["preset"], settings)}

    def tables(facts: Mapping[str, Any]) -> list[Table]:
        told = (
            f"After {facts['minutes']:g} minutes of learning{beside}: shares of {arms.played(facts)} games against "
            "each opponent, with 95 % intervals."
        )
        return [arms.table(told, facts)]

    return Study(about, sizes, find, tables, draw)


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
