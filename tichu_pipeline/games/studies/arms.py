"""How Chameleon Chess is best learned: encodings, hidden sizes, lambda, rates, activations and line-ups, arm by arm.

chameleon_arms.toml has the arms. Each is a run arm_<name>, which is trained once and goes on where it was; an arm that
is not chosen is left out of the facts, so that they can be filled in parts.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from tichu_models.options import OptionError, expected
from tichu_models.runs.files import FIGURES, METRICS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths

PREFIX = "arm_"
ALL = "all"
OPPONENTS = ("random", "maxn:depth=1", "maxn:depth=2")


def arms() -> dict[str, dict[str, Any]]:
    """The settings of every arm, those of `base` included, and what each is about."""
    text = (resources.files("tichu_pipeline.games.studies") / "chameleon_arms.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: {**tables["base"], **table} for name, table in tables.items()}


def find(paths: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Trains the chosen arms, and gathers all that are finished with this size."""
    known = arms()
    chosen = list(known) if size["arms"] == ALL else size["arms"].split(",")
    for name in chosen:
        if name not in known:
            raise OptionError(f"no arm is called '{name}'; {expected(name, list(known))}")
    return {"arms": [_trained(paths, name, known[name], size) for name in chosen]}


def _trained(paths: DataPaths, name: str, arm: Mapping[str, Any], size: Mapping[str, Any]) -> dict[str, Any]:
    settings = {key: value for key, value in arm.items() if key != "about"}
    settings |= {"iterations": size["iterations"], "iteration_games": size["games"], "evaluations": size["evaluations"]}
    settings |= {"evaluation_games": size["judged"], "opponents": list(OPPONENTS)}
    texts = tuple(f"{key}={json.dumps(value)}" for key, value in settings.items())
    request = GameRunRequest("chameleon", "td", f"{PREFIX}{name}", "laptop", texts)
    made = train_run(paths, request, replace=True)
    curve = [
        {"games": int(row["games"]), "opponent": row["opponent"], "result": float(row["result"])}
        for row in rows_of(made.path / METRICS)
    ]
    assert (made.path / FIGURES).exists()
    results = made.figures["results"]
    return {"name": name, "about": arm["about"], "games": made.rows, "results": results, "curve": curve}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """A row for each arm."""
    rows = []
    for arm in facts["arms"]:
        cells = [
            f"{each['result']:.1%} ({100 * each['low']:.1f} .. {100 * each['high']:.1f})" for each in arm["results"]
        ]
        rows.append((arm["name"], arm["about"], f"{arm['games']:,}", *cells))
    played = facts["arms"][0]["results"][0]["played"] if facts["arms"] else 0
    about = (
        f"One seat against the others of the same agent, over {played} games each with 95 % intervals; by chance it "
        "would have 25 % of the games of four, 33 % of three and 50 % of two."
    )
    return [Table(about, ("arm", "what is changed", "games learned from", *OPPONENTS), rows)]


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
