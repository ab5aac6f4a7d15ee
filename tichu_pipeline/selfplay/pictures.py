"""The learning curves of a run of self-play, as a picture in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tichu_models.runs.files import CURVES, ITERATIONS, MANIFEST, METRICS
from tichu_models.runs.journal import FIRST, rows_of
from tichu_models.runs.manifest import read
from tichu_pipeline.selfplay.runs import OPPONENT, SETTINGS
from tichu_pipeline.training.runs import run_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Table = Mapping[str, np.ndarray]  # columns by name
FEW = 20  # a line of fewer points has markers
POINTS = 150  # of a line: a run has thousands of iterations, each with its noise
# Phases of a round whose results the critic explains, by turns.
PHASES = {"before": "before the play", "early": "turns 0 to 19", "middle": "turns 20 to 39", "late": "from turn 40"}
CALLS = {"grand": "grand Tichu", "small": "small Tichu"}


def draw_curves(folder: Path) -> Path:
    """Plots points a round over minutes and rounds, and by rounds what shows how a run learns: calls, entropy,
    divergence, and what the critic explains."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    opponent = run_of(folder).opponent or OPPONENT
    evaluations = _table(row for row in rows_of(folder / METRICS) if row["opponent"] == opponent)
    iterations = _table(rows_of(folder / ITERATIONS))
    settings = read(folder / MANIFEST).training[SETTINGS]
    rounds = settings["rounds"] * iterations.get(FIRST, np.zeros(0))
    figure = Figure(figsize=(15, 7.5), layout="constrained")
    (points, by_rounds, calls), (entropy, divergence, explained) = figure.subplots(2, 3)
    _draw_points(points, evaluations, "minutes")
    _draw_points(by_rounds, evaluations, "rounds")
    points.set(title=f"{folder.name}: points a round against {opponent}", xlabel="minutes")
    by_rounds.set(title=f"points a round against {opponent}", xlabel="rounds")
    _draw_calls(calls, evaluations)
    _draw_lines(entropy, rounds, iterations, _columns(iterations, ".entropy"))
    entropy.set(title="entropy, by decision", xlabel="rounds", ylabel="nats", ylim=(0, None))
    _draw_lines(divergence, rounds, iterations, _columns(iterations, ".kl"))
    divergence.set(title="KL of an iteration, by decision", xlabel="rounds", yscale="log")
    phases = {f"explained.{phase}": name for phase, name in PHASES.items()}
    phases = {column: name for column, name in phases.items() if iterations.get(column, np.zeros(1)).any()}
    _draw_lines(explained, rounds, iterations, phases)
    explained.set(title="results explained by the critic", xlabel="rounds", ylabel="share of the variance")
    path = folder / CURVES
    save(figure, path)
    return path


def _table(rows: Iterable[Mapping[str, str]]) -> Table:
    """The columns of numbers."""
    listed = list(rows)
    names = [name for name in listed[0] if name != "opponent"] if listed else []
    return {name: np.array([float(row[name]) for row in listed]) for name in names}


def _columns(table: Table, suffix: str) -> dict[str, str]:
    """The columns of decisions that end so, and the kind of decision of each."""
    return {name: name.removesuffix(suffix) for name in table if name.endswith(suffix)}


def _draw_points(axes: Axes, evaluations: Table, along: str) -> None:
    """Points a round with their interval, over minutes or rounds."""
    from tichu_pipeline.plots import ACCENT, COLOUR

    axes.axhline(0, color=ACCENT, linewidth=1)
    if evaluations:
        x = evaluations[along]
        axes.fill_between(x, evaluations["low"], evaluations["high"], color=COLOUR, alpha=0.25, linewidth=0)
        axes.plot(x, evaluations["points_per_round"], color=COLOUR, marker="." if len(x) < FEW else "")
        axes.set_xlim(0)


def _draw_calls(axes: Axes, evaluations: Table) -> None:
    """How often the player announces, and how often it then succeeds."""
    from tichu_pipeline.plots import ACCENT, COLOUR

    shares = axes.twinx()
    for (call, name), colour in zip(CALLS.items(), (ACCENT, COLOUR), strict=True):
        if f"{call}_a_round" in evaluations:
            x = evaluations["rounds"]
            marker = "." if len(x) < FEW else ""
            axes.plot(x, evaluations[f"{call}_a_round"], color=colour, marker=marker, label=f"{name}, a round")
            made = np.where(evaluations[f"{call}_a_round"] > 0, evaluations[f"{call}_made"], np.nan)
            shares.plot(x, made, color=colour, marker=marker, linestyle=":", label="share that was made")
    axes.set(title="calls of the team", xlabel="rounds", ylabel="a round", ylim=(0, None))
    shares.set(ylabel="share that was made (dotted)", ylim=(0, 1))
    if evaluations:
        axes.legend(loc="lower right")  # the shares are at the top


def _draw_lines(axes: Axes, x: np.ndarray, table: Table, columns: Mapping[str, str]) -> None:
    """A line for each column, of means over as many iterations as make it readable."""
    parts = np.array_split(np.arange(len(x)), min(POINTS, len(x))) if len(x) else []
    for name, label in columns.items():
        axes.plot(_means(x, parts), _means(table[name], parts), label=label, marker="." if len(x) < FEW else "")
    if columns:
        axes.legend(fontsize="small", ncols=2)


def _means(values: np.ndarray, parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([values[part].mean() for part in parts])
