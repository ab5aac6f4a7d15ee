"""Pictures: a sparkline for Dagster's pages, and plots for files and the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tichu_models.whole_files import whole_file
from tichu_pipeline.distribution import Distribution

WIDTH, HEIGHT = 120, 24
POINTS = 40  # of a sparkline; with more, the page of an asset would not show it inline
BARS = 60  # of a histogram
PROBABILITIES = 400  # points of a Q-Q plot
KINDS = ("histogram", "qq")
COLOUR, ACCENT = "#2b6f77", "#c2553a"


def sparkline(values: Sequence[float]) -> str:
    """A small line chart as Markdown, for the metadata of an asset."""
    shown = [float(np.mean(part)) for part in np.array_split(np.asarray(values, dtype=float), min(POINTS, len(values)))]
    low, span = min(shown), (max(shown) - min(shown)) or 1.0
    step = WIDTH / max(len(shown) - 1, 1)
    points = " ".join(f"{i * step:.0f},{HEIGHT - (v - low) / span * HEIGHT:.0f}" for i, v in enumerate(shown))
    line = f"<polyline points='{points}' fill='none' stroke='teal'/>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}'>{line}</svg>"
    return f"![{min(values):,.0f} .. {max(values):,.0f}](data:image/svg+xml,{quote(svg, safe=',=:/')})"


def draw_histogram(axes: Axes, distribution: Distribution, name: str, clip: Sequence[float] | None = None) -> None:
    """Draws the shares of the values, and dashed lines at the bounds of `clip`."""
    values, counts = distribution.values, distribution.counts
    step = int(np.min(np.diff(values))) if len(values) > 1 else 1
    # A whole number of steps, so that every bar holds equally many values.
    width = step * int(np.ceil((values[-1] - values[0] + 1) / step / BARS))
    bins = np.arange(values[0] - step / 2, values[-1] + width + step, width)
    axes.hist(values, bins=bins.tolist(), weights=counts / counts.sum(), color=COLOUR, edgecolor="white", linewidth=0.3)
    for bound in clip or ():
        axes.axvline(bound, color=ACCENT, linestyle="--", linewidth=1)
    axes.set(title=f"{name}: n = {distribution.n:,}", xlabel=name, ylabel="share")


def draw_qq(axes: Axes, distribution: Distribution, name: str) -> None:
    """Draws the quantiles against those of a normal distribution with the same mean and standard deviation."""
    from scipy.stats import norm

    q = (np.arange(PROBABILITIES) + 0.5) / PROBABILITIES
    normal = distribution.mean + distribution.sd * norm.ppf(q)
    axes.plot(normal, [distribution.quantile(p) for p in q], ".", color=COLOUR, markersize=3)
    axes.plot(normal[[0, -1]], normal[[0, -1]], color=ACCENT, linewidth=1)
    axes.set(title=f"{name}: Q-Q", xlabel="normal", ylabel=name)


def draw_heat_map(
    axes: Axes, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str], numbers: bool = False
) -> None:
    """Draws a cell for each element; larger values are darker."""
    axes.imshow(matrix, cmap="GnBu", aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=60 if max(map(len, columns)) > 3 else 0)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(False)
    if numbers:
        for (row, column), value in np.ndenumerate(matrix):
            if np.isfinite(value):
                axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=8)


def write_figures(folder: Path, distribution: Distribution, name: str, clip: Sequence[float]) -> list[Path]:
    """Writes a histogram and a Q-Q plot as files; returns their paths."""
    paths = []
    for kind in KINDS:
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        if kind == "histogram":
            draw_histogram(axes, distribution, name, clip)
        else:
            draw_qq(axes, distribution, name)
        paths.append(folder / f"{name}_{kind}.png")
        save(figure, paths[-1])
    return paths


def save(figure: Figure, path: Path) -> None:
    """Writes a figure as a PNG file, whole or not at all."""
    with whole_file(path) as temporary:
        figure.savefig(temporary, format="png", dpi=120, metadata={"Software": None})
