"""Plots in the folder of a run: learning curves, and the reliability of predicted probabilities."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tichu_models.runs.files import CURVES, METRICS
from tichu_pipeline.training.figure_names import name_of

if TYPE_CHECKING:
    from tichu_models.learning.metrics.yes_no import Reliability

Curve = list[tuple[int, float]]
FEW = 20  # a line of fewer points has markers
SHOWN_FIGURES = (
    "val_top1_not_forced",
    "val_r2",
    "val_value_r2",
    "val_called_auc",
    "val_auc",
    "val_right_top1",
    "val_top1",
)


def curves_of(folder: Path) -> dict[str, Curve]:
    """(step, value) of each figure in the journal of a run."""
    curves: dict[str, Curve] = defaultdict(list)
    with (folder / METRICS).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves[row["name"]].append((int(row["step"]), float(row["value"])))
    return curves


def draw_curves(folder: Path, drop_forced: bool) -> Path:
    """Plots the losses by step, and the main figure beside them. `drop_forced` says that the training samples have no
    forced decisions; the validation samples always have them."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR, save

    curves = curves_of(folder)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    trained_on = "training, without forced decisions" if drop_forced else "training"
    for name, label, colour in (("train_loss", trained_on, COLOUR), ("val_loss", "validation", ACCENT)):
        if name in curves:
            marker = "." if "val" in name or len(curves[name]) < FEW else ""
            left.plot(*zip(*curves[name], strict=True), color=colour, label=label, marker=marker)
    left.set(title=f"{folder.name}: loss", xlabel="step", yscale="log")
    left.legend()
    judged = next((name for name in SHOWN_FIGURES if name in curves), "val_loss")
    if judged in curves:
        right.plot(*zip(*curves[judged], strict=True), color=COLOUR, marker=".")
    right.set(title=f"validation: {name_of(judged)}", xlabel="step")
    path = folder / CURVES
    save(figure, path)
    return path


def draw_reliability(path: Path, parts: dict[str, Reliability], title: str) -> Path:
    """Plots the share of yes over the mean predicted probability. The area of a dot is its number of decisions."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR, save

    figure = Figure(figsize=(4.5 * len(parts), 4.2), layout="constrained")
    for axes, (name, part) in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts.items(), strict=True):
        size = 10 + 300 * part.samples / part.samples.max()
        axes.plot([0, 1], [0, 1], color=ACCENT, linewidth=1)
        axes.scatter(part.predicted, part.observed, s=size, color=COLOUR, alpha=0.7)
        axes.set(title=f"{title}: {name}", xlabel="probability", ylabel="share", xlim=(0, 1), ylim=(0, 1))
    save(figure, path)
    return path
