"""`reports/tournament.html`: a tournament's ladder, cross table and pictures on a page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import Played, values_of
from tichu_models.whole_files import whole_file
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.tournaments.files import read, stored_stamp
from tichu_pipeline.tournaments.running import tournament_path
from tichu_pipeline.tournaments.terminal import cell, duration, side_sums

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Bumped by hand when the page of an unchanged tournament would differ.
VERSION = 1
STAMP = "<!-- tichu.stamp {} -->\n"
BINS = 60
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .3rem .8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; font-family: monospace; } tr { border-bottom: 1px solid #ddd; }
img { max-width: 100%; } .bad { color: #a33; }
"""


@dataclass(frozen=True)
class Page:
    """The page of a tournament."""

    path: Path
    stamp: str
    agents: int
    seconds: float
    reused: bool


def write_page(paths: DataPaths, name: str, force: bool = False) -> Page:
    """Brings the page up to date with a tournament."""
    started = time.perf_counter()
    target, stamp = page_path(paths), page_stamp(paths, name)
    played = read(tournament_path(paths, name))
    reused = not force and is_up_to_date(paths, name)
    if not reused:
        with whole_file(target) as temporary:
            temporary.write_text(STAMP.format(stamp) + _html(name, played), encoding="utf-8")
    return Page(target, stamp, len(played.order.agents), time.perf_counter() - started, reused)


def page_path(paths: DataPaths) -> Path:
    return paths.reports / "tournament.html"


def page_stamp(paths: DataPaths, name: str) -> str:
    """What the page depends on."""
    return hashlib.sha256(f"page {VERSION} {name} {stored_stamp(tournament_path(paths, name))}".encode()).hexdigest()


def is_up_to_date(paths: DataPaths, name: str) -> bool:
    """Whether the page shows the tournament that is there."""
    try:
        with page_path(paths).open(encoding="utf-8") as lines:
            return lines.readline() == STAMP.format(page_stamp(paths, name))
    except OSError:
        return False


def _html(name: str, played: Played) -> str:
    facts = summary(played)
    order = played.order
    unit = "pairs of whole games" if order.whole_games else "duplicate deals"
    deals = max(pairing["deals"] for pairing in facts["pairings"])
    about = (
        f"{len(order.agents)} agents, up to {deals:,} {unit} a pairing, seed {order.seed}. Both teams play every deal "
        "from both sides; points are those of a round, intervals hold 95 %. Ratings are OpenSkill's, with twice their "
        "standard deviation."
    )
    parts = [
        f"<h1>Tournament {html.escape(name)}</h1><p>{html.escape(about)}</p>",
        "<h2>Ladder</h2>",
        _table(
            (
                "agent",
                "rating",
                "against all others",
                "tichu",
                "grand tichu",
                "double victories",
                "bombs",
                "p50",
                "p99",
            ),
            _ladder(facts),
        ),
        "<h2>Each against each</h2>",
        _table(("", *(rating["name"] for rating in facts["ratings"])), _cross(facts)),
        _picture(_margins(facts), "points a round of each pairing"),
        _picture(_ratings(facts), "ratings"),
        _picture(_spread(played), "points of the deals"),
    ]
    if order.whole_games:
        parts += ["<h2>Games</h2>", _table(("pairing", "won", "lost", "drawn", "share won"), _games(facts))]
    if facts["forfeits"]:
        told = "".join(
            f"<li>{html.escape(entry['reason'])}: {html.escape(entry['what'])}</li>" for entry in facts["forfeits"][:50]
        )
        parts.append(f"<h2>Forfeits: {len(facts['forfeits']):,}</h2><ul class='bad'>{told}</ul>")
    head = f"<meta charset='utf-8'><title>Tournament {html.escape(name)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _ladder(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    times = {entry["name"]: entry for entry in facts["times"]}
    for rating in facts["ratings"]:
        done = side_sums(facts, rating["name"])
        yield (
            rating["name"],
            f"{rating['mu']:.0f} ± {2 * rating['sigma']:.0f}",
            cell(rating["points_per_round"], rating["interval"]),
            *(f"{done[f'{call}_made']:,} of {done[f'{call}_called']:,}" for call in ("tichu", "grand")),
            f"{done['double_victories']:,}",
            f"{done['bombs']:,}",
            *(duration(times[rating["name"]][share]) for share in ("p50", "p99")),
        )


def _cross(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    cells = {}
    for pairing in facts["pairings"]:
        points, interval = pairing["points_per_round"], pairing["interval"]
        cells[pairing["a"], pairing["b"]], cells[pairing["b"], pairing["a"]] = (
            cell(points, interval),
            cell(-points, interval),
        )
    names = [rating["name"] for rating in facts["ratings"]]
    return ([own, *(cells.get((own, other), "") for other in names)] for own in names)


def _games(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for pairing in facts["pairings"]:
        low, high = pairing["win_interval"]
        counts = (f"{pairing[f'games_{result}']:,}" for result in ("won", "lost", "drawn"))
        yield (f"{pairing['a']} : {pairing['b']}", *counts, f"{pairing['win_rate']:.1%} [{low:.1%}, {high:.1%}]")


def _picture(figure: Figure, what: str) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110, metadata={"Software": None})
    source = f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
    return f"<p><img alt='{html.escape(what)}' src='{source}'></p>"


def _margins(facts: dict[str, Any]) -> Figure:
    labels = [f"{pairing['a']} : {pairing['b']}" for pairing in facts["pairings"]]
    middles = [pairing["points_per_round"] for pairing in facts["pairings"]]
    return _with_intervals(labels, middles, [pairing["interval"] for pairing in facts["pairings"]], "points a round")


def _ratings(facts: dict[str, Any]) -> Figure:
    rated = facts["ratings"]
    bounds = [[entry["mu"] - 2 * entry["sigma"], entry["mu"] + 2 * entry["sigma"]] for entry in rated]
    return _with_intervals([entry["name"] for entry in rated], [entry["mu"] for entry in rated], bounds, "rating")


def _with_intervals(
    labels: Sequence[str], middles: Sequence[float], bounds: Sequence[Sequence[float]], unit: str
) -> Figure:
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR

    figure = Figure(figsize=(8, 1.2 + 0.35 * len(labels)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(labels))
    low, high = np.transpose(bounds)
    axes.hlines(places, low, high, color=COLOUR, linewidth=3)
    axes.plot(middles, places, "o", color=COLOUR)
    axes.axvline(0, color=ACCENT, linewidth=1, linestyle="--")
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    return figure


def _spread(played: Played) -> Figure:
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import COLOUR

    pairings = range(len(played.order.pairings))
    figure = Figure(figsize=(8, 1.5 * len(pairings) + 0.5), layout="constrained")
    grid = figure.subplots(len(pairings), 1, sharex=True, squeeze=False)
    for pairing, axes in zip(pairings, grid[:, 0], strict=True):
        values = values_of(played.results[played.results["pairing"] == pairing])
        axes.hist(values, bins=BINS, color=COLOUR)
        axes.set_title(" : ".join(played.order.names(pairing)), fontsize=9)
    grid[-1, 0].set_xlabel("points a round of a deal, both tables together")
    return figure
