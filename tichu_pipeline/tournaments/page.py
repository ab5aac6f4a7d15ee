"""`reports/tournament.html`: a tournament's ladder, cross table and pictures on a page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import Played, values_of
from tichu_models.whole_files import write_whole
from tichu_pipeline.html import pages
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import stamped_page, stored_stamp
from tichu_pipeline.tournaments.entrants import LADDER
from tichu_pipeline.tournaments.files import read, stored_left_out
from tichu_pipeline.tournaments.running import tournament_path
from tichu_pipeline.tournaments.terminal import TIME, TIMES, cell, duration, side_sums, who_answers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Bumped by hand when the figures of an unchanged tournament would differ; tests/golden/evaluation.json says when.
# Wording and layout of the page are no reason to make it anew.
VERSION = 3
BINS = 60


def write_page(paths: DataPaths, name: str, force: bool = False) -> Made:
    """Brings the page up to date with a tournament."""
    started = time.perf_counter()
    target, stamp = page_path(paths), page_stamp(paths, name)
    played = read(tournament_path(paths, name))
    reused = not force and stored_stamp(target) == stamp
    if not reused:
        write_whole(target, stamped_page(stamp, _html(name, played)))
    return Made(
        path=target,
        stamp=stamp,
        rows=len(played.order.agents),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `evaluation`."""
    page = page_path(survey.paths)
    if not page.is_file():
        return missing("evaluation", "not made yet")
    reasons = survey.not_fresh("tournament")
    if not reasons and not is_up_to_date(survey.paths, LADDER):
        reasons.append("the tournament has been played anew since")
    return judged("evaluation", page.name, page.stat().st_size, reasons)


def page_path(paths: DataPaths) -> Path:
    return paths.reports / "tournament.html"


def page_stamp(paths: DataPaths, name: str) -> str:
    """What the page depends on."""
    path = tournament_path(paths, name)
    shown = f"page {VERSION} {name} {stored_stamp(path)} {stored_left_out(path)}"
    return hashlib.sha256(shown.encode()).hexdigest()


def is_up_to_date(paths: DataPaths, name: str) -> bool:
    """Whether the page shows the tournament that is there."""
    return stored_stamp(page_path(paths)) == page_stamp(paths, name)


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
    ladder = (
        "agent",
        "rating",
        "against all others",
        "tichu",
        "grand tichu",
        "double victories",
        "bombs",
        f"{TIME}: p50",
        "p99",
    )
    parts = [
        f"<p>{html.escape(about)}</p>",
        *(
            f"<p class='stale'>Left out: {_code(entry['run'])}, {html.escape(entry['why'])}</p>"
            for entry in facts["left_out"]
        ),
        "<h2>Ladder</h2>",
        pages.table(ladder, _ladder(facts)),
        f"<p>{html.escape(TIMES)}.</p>",
        *_deciders(facts),
        "<h2>Each against each</h2>",
        pages.table(("", *(rating["name"] for rating in facts["ratings"])), _cross(facts)),
        _picture(_margins(facts), "points a round of each pairing"),
        _picture(_ratings(facts), "ratings"),
        _picture(_spread(played), "points a round of the deals of each pairing"),
    ]
    if order.whole_games:
        parts += ["<h2>Games</h2>", pages.table(("pairing", "won", "lost", "drawn", "share won"), _games(facts))]
    if order.control:
        headings = ("pairing", "without luck", "variance of deals explained", "of single rounds")
        parts += [f"<h2>Luck by {_code(order.control)}</h2>", pages.table(headings, _controlled(facts))]
    if facts["forfeits"]:
        told = "".join(
            f"<li>{html.escape(entry['reason'])}: {html.escape(entry['what'])}</li>" for entry in facts["forfeits"][:50]
        )
        parts.append(f"<h2>Forfeits: {len(facts['forfeits']):,}</h2><ul class='stale'>{told}</ul>")
    return pages.page(f"Tournament {name}", "".join(parts))


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _ladder(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    times = {entry["name"]: entry for entry in facts["times"]}
    for rating in facts["ratings"]:
        done = side_sums(facts, rating["name"])
        yield (
            _code(rating["name"]),
            f"{rating['mu']:.0f} ± {2 * rating['sigma']:.0f}",
            cell(rating["points_per_round"], rating["interval"]),
            *(f"{done[f'{call}_made']:,} of {done[f'{call}_called']:,}" for call in ("tichu", "grand")),
            f"{done['double_victories']:,}",
            f"{done['bombs']:,}",
            *(duration(times[rating["name"]][share]) for share in ("p50", "p99")),
        )


def _deciders(facts: dict[str, Any]) -> Iterable[str]:
    """Who answers what of the agents with networks."""
    if facts["decisions"]:
        rows = [(_code(entry["name"]), html.escape(who_answers(entry["answered_by"]))) for entry in facts["decisions"]]
        yield f"<h2>Who decides</h2>{pages.table(('agent', 'decisions'), rows, as_text=[1])}"


def _cross(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    cells = {}
    for pairing in facts["pairings"]:
        points, interval = pairing["points_per_round"], pairing["interval"]
        cells[pairing["a"], pairing["b"]], cells[pairing["b"], pairing["a"]] = (
            cell(points, interval),
            cell(-points, interval),
        )
    names = [rating["name"] for rating in facts["ratings"]]
    return ([_code(own), *(cells.get((own, other), "") for other in names)] for own in names)


def _games(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for pairing in facts["pairings"]:
        low, high = pairing["win_interval"]
        counts = (f"{pairing[f'games_{result}']:,}" for result in ("won", "lost", "drawn"))
        yield (_names(pairing), *counts, f"{pairing['win_rate']:.1%} [{low:.1%}, {high:.1%}]")


def _controlled(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for pairing in facts["pairings"]:
        yield (
            _names(pairing),
            cell(pairing["controlled_points_per_round"], pairing["controlled_interval"]),
            *(f"{pairing[name]:.1%}" for name in ("variance_explained", "variance_explained_of_rounds")),
        )


def _names(pairing: dict[str, Any]) -> str:
    return f"{_code(pairing['a'])} : {_code(pairing['b'])}"


def _picture(figure: Figure, what: str) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110, metadata={"Software": None})
    source = f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
    return f"<p><img alt='{html.escape(what)}' src='{source}'></p>"


def _margins(facts: dict[str, Any]) -> Figure:
    labels = [f"{pairing['a']} : {pairing['b']}" for pairing in facts["pairings"]]
    middles = [pairing["points_per_round"] for pairing in facts["pairings"]]
    return _with_intervals(labels, middles, [pairing["interval"] for pairing in facts["pairings"]], "points a round", 0)


def _ratings(facts: dict[str, Any]) -> Figure:
    from openskill.models import PlackettLuce

    rated = facts["ratings"]
    bounds = [[entry["mu"] - 2 * entry["sigma"], entry["mu"] + 2 * entry["sigma"]] for entry in rated]
    names, middles = [entry["name"] for entry in rated], [entry["mu"] for entry in rated]
    return _with_intervals(names, middles, bounds, "rating", PlackettLuce().mu)


def _with_intervals(
    labels: Sequence[str], middles: Sequence[float], bounds: Sequence[Sequence[float]], unit: str, even: float
) -> Figure:
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR

    figure = Figure(figsize=(8, 1.2 + 0.35 * len(labels)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(labels))
    low, high = np.transpose(bounds)
    axes.hlines(places, low, high, color=COLOUR, linewidth=3)
    axes.plot(middles, places, "o", color=COLOUR)
    axes.axvline(even, color=ACCENT, linewidth=1, linestyle="--")
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
