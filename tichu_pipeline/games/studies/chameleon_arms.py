"""How Chameleon Chess is best learned: encodings, hidden sizes, lambda, rates, activations and line-ups, arm by arm.

chameleon_arms.toml has the arms.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_pipeline.games.studies.arms import ALL, Arms
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

OPPONENTS = ("random", "maxn:depth=1", "maxn:depth=2")
ARMS = Arms("chameleon", "chameleon_arms.toml", OPPONENTS, ("games",))


def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Trains the chosen arms."""
    settings = {"iterations": size["iterations"], "iteration_games": size["games"], "evaluations": size["evaluations"]}
    return ARMS.find(paths, size["arms"], "laptop", {**settings, "evaluation_games": size["judged"]})


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """A row for each arm."""
    about = (
        f"One seat against the others of the same agent, over {ARMS.played(facts)} games each with 95 % intervals; by "
        "chance it would have 25 % of the games of four, 33 % of three and 50 % of two."
    )
    return [ARMS.table(about, facts)]


def draw(facts: Mapping[str, Any], path: Path) -> None:
    """Games learned from against wins over MaxN, a line for each arm."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    figure = Figure(figsize=(13, 5), layout="constrained")
    for axes, opponent in zip(figure.subplots(1, 2, sharey=True), OPPONENTS[1:], strict=True):
        for arm in facts["arms"]:
            points = [each for each in arm["curve"] if each["opponent"] == opponent]
            axes.plot(
                [each["games"] for each in points], [each["result"] for each in points], marker=".", label=arm["name"]
            )
        axes.axhline(0.25, color="gray", linewidth=0.8, linestyle=":")
        axes.set(title=f"against three {opponent}", xlabel="games learned from", ylabel="share of games")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize="small")
    save(figure, path)


STUDY = Study(
    "How Chameleon Chess is best learned",
    {
        "smoke": {"arms": "base,thesis-126-32", "iterations": 2, "games": 20, "evaluations": 1, "judged": 4},
        "demo": {"arms": "base,fields", "iterations": 5, "games": 200, "evaluations": 2, "judged": 24},
        "laptop": {"arms": ALL, "iterations": 40, "games": 1000, "evaluations": 4, "judged": 240},
    },
    find,
    tables,
    draw,
)
