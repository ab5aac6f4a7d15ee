"""The learning curve of a run of a game, as a picture in its folder."""

from __future__ import annotations

from pathlib import Path

from tichu_models.games.learning.evaluation import match_options
from tichu_models.games.learning.manifest import read_manifest
from tichu_models.games.learning.trainer import ALONE
from tichu_models.games.registry import game
from tichu_models.runs.files import CURVES, ITERATIONS, METRICS
from tichu_models.runs.journal import rows_of


def draw_curves(folder: Path) -> Path:
    """Plots the results of each evaluation over games, with intervals, and how long games are while it learns."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    evaluations = [row for row in rows_of(folder / METRICS) if "opponent" in row]
    iterations = rows_of(folder / ITERATIONS)
    opponents = list(dict.fromkeys(row["opponent"] for row in evaluations))
    learned = [name for name in (iterations[0] if iterations else {}) if _is_shown(name)]
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    results, learning = figure.subplots(1, 2)
    for opponent in opponents:
        rows = [row for row in evaluations if row["opponent"] == opponent]
        games, middle, low, high = ([float(row[name]) for row in rows] for name in ("games", "result", "low", "high"))
        (line,) = results.plot(games, middle, marker=".", label=f"against {opponent}" if opponent != ALONE else "alone")
        results.fill_between(games, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    results.set(title=f"{folder.parent.name}: {folder.name}", xlabel="games learned from")
    if opponents and opponents != [ALONE]:
        results.axhline(_by_chance(folder), color="gray", linewidth=0.8, linestyle=":")
        results.set(ylabel="share of games", ylim=(0, 1))
    else:
        results.set(ylabel="points")
    if opponents:
        results.legend()
    for name in learned[:1]:
        x = [float(row["games"]) for row in iterations]
        learning.plot(x, [float(row[name]) for row in iterations])
        learning.set(title=f"while it learns: {name}", xlabel="games learned from", ylabel=name)
    path = folder / CURVES
    save(figure, path)
    return path


def _by_chance(folder: Path) -> float:
    """The share of games that a side wins if all are equally good."""
    manifest = read_manifest(folder)
    of = game(manifest.game)
    return 1 / len(of.sides(match_options(of, manifest.settings["rules"])))


def _is_shown(name: str) -> bool:
    """Whether a column of an iteration is what a method reports, and no number of games or seconds."""
    return name not in ("iteration", "games") and not name.startswith("seconds.")
