"""`reports/tournament.html`: a tournament's ladder, cross table and plots on one self-contained page."""

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
from tichu_models.arena.tournament import PlayedTournament, values_of
from tichu_models.whole_files import write_whole
from tichu_pipeline.html import pages
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import stamped_page, stored_stamp
from tichu_pipeline.tournaments.entrants import LADDER
from tichu_pipeline.tournaments.facts import TIMES, cell, cross_cells, deals_of, ladder, who_answers
from tichu_pipeline.tournaments.files import read, stored_left_out
from tichu_pipeline.tournaments.running import tournament_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Bumped by hand when the figures of an unchanged tournament would differ; tests/golden/evaluation.json says when.
# Wording and layout of the page are no reason to make it again.
VERSION = 3
BINS = 60
ACROSS = 4  # histograms in a row
LADDER_HEADINGS = (
    *("agent", "rating", "points a round", "Tichu made", "grand Tichu made"),
    *("double victories", "bombs", "time, p50", "p99"),
)


def write_page(paths: DataPaths, name: str, force: bool = False) -> Made:
    """Writes the page of a tournament, unless it is up to date."""
    started = time.perf_counter()
    target, stamp = page_path(paths), page_stamp(paths, name)
    played = read(tournament_path(paths, name))
    reused = not force and stored_stamp(target) == stamp
    if not reused:
        write_whole(target, stamped_page(stamp, _html(name, played)))
    return Made(
        path=target,
        stamp=stamp,
        rows=len(played.request.agents),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `evaluation`."""
    page = page_path(survey.paths)
    if not page.is_file():
        return missing("evaluation", "the page has not been made yet")
    reasons = survey.not_fresh("tournament")
    if not reasons and not is_up_to_date(survey.paths, LADDER):
        reasons.append("the tournament has been played again since")
    return judged("evaluation", page.name, page.stat().st_size, reasons)


def page_path(paths: DataPaths) -> Path:
    """The file of the page."""
    return paths.reports / "tournament.html"


def page_stamp(paths: DataPaths, name: str) -> str:
    """The stamp that an up-to-date page of a tournament has."""
    path = tournament_path(paths, name)
    shown = f"page {VERSION} {name} {stored_stamp(path)} {stored_left_out(path)}"
    return hashlib.sha256(shown.encode()).hexdigest()


def is_up_to_date(paths: DataPaths, name: str) -> bool:
    """Whether the page shows the stored tournament of this name."""
    return stored_stamp(page_path(paths)) == page_stamp(paths, name)


def _html(name: str, played: PlayedTournament) -> str:
    """The page of a tournament."""
    facts = summary(played)
    request = played.request
    about = (
        f"{len(request.agents)} agents, up to {deals_of(facts)} for each pairing, seed {request.seed}. Every deal is "
        "played twice, with the teams' seats swapped, so that good cards help neither. Intervals (±) hold 95 %."
    )
    on_the_ladder = (
        "The best agent first. The rating is OpenSkill's, with twice its standard deviation; points are the mean by "
        f"which the agent's team wins a round. {TIMES}"
    )
    on_the_cross_table = (
        "Points by which the agent of the row wins a round against the agent of the column. The columns have the "
        "numbers of the rows."
    )
    on_luck = (
        "Points a round without the luck of the cards, as this network estimates it, and the share of the variance "
        "that this luck explains."
    )
    parts = [
        f"<p>{html.escape(about)}</p>",
        *(
            f"<p class='stale'>Left out: {_code(entry['run'])}, {html.escape(entry['why'])}</p>"
            for entry in facts["left_out"]
        ),
        pages.section("Ladder", html.escape(on_the_ladder)),
        pages.table(LADDER_HEADINGS, _ladder(facts)),
        *_deciders(facts),
        pages.section("Each against each", on_the_cross_table),
        pages.table(("", *(str(number + 1) for number in range(len(facts["ratings"])))), _cross(facts)),
        _picture(_margins(facts), "Points a round by which the first agent of each pairing wins, with 95 % intervals"),
        _picture(_ratings(facts), "Ratings with twice their standard deviation"),
        _picture(_spread(played), "Points a round of single deals, for the first agent of each pairing"),
    ]
    if request.whole_games:
        on_games = "Whole games to 1,000 points, for the first agent of each pairing; a draw counts as half a win."
        parts += [
            pages.section("Games", on_games),
            pages.table(("pairing", "won", "lost", "drawn", "share won"), _games(facts)),
        ]
    if request.control:
        headings = ("pairing", "points without luck", "explained variance of deals", "of single rounds")
        heading = f"Luck by {_code(request.control)}"
        parts += [pages.section(heading, on_luck), pages.table(headings, _controlled(facts))]
    if facts["forfeits"]:
        on_forfeits = "Rounds lost by an illegal answer, a crash or a late answer; the first fifty are listed."
        shown = "".join(
            f"<li>{html.escape(entry['reason'])}: {html.escape(entry['what'])}</li>" for entry in facts["forfeits"][:50]
        )
        heading = f"Forfeits: {len(facts['forfeits']):,}"
        parts.append(f"{pages.section(heading, on_forfeits)}<ul class='stale'>{shown}</ul>")
    return pages.page(f"Tournament {name}", "".join(parts))


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _ladder(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for number, line in enumerate(ladder(facts), start=1):
        yield (
            f"{number} {_code(line.name)}",
            line.rating,
            line.points,
            *(f"{made:,} of {called:,}" for made, called in (line.tichu, line.grand)),
            f"{line.double_victories:,}",
            f"{line.bombs:,}",
            line.p50,
            line.p99,
        )


def _deciders(facts: dict[str, Any]) -> Iterable[str]:
    """The section on which run answers which decisions."""
    if facts["decisions"]:
        rows = [(_code(entry["name"]), html.escape(who_answers(entry["answered_by"]))) for entry in facts["decisions"]]
        yield pages.section("Who decides", "Which run answers which kind of decision of an agent with networks.")
        yield pages.table(("agent", "decisions"), rows, as_text=[1])


def _cross(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for number, (name, cells) in enumerate(cross_cells(facts), start=1):
        yield f"{number} {_code(name)}", *cells


def _games(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    for pairing in facts["pairings"]:
        low, high = pairing["win_interval"]
        counts = (f"{pairing[f'games_{result}']:,}" for result in ("won", "lost", "drawn"))
        yield (_names(pairing), *counts, f"{pairing['win_rate']:.1%} [{low:.1%}, {high:.1%}]")


def _controlled(facts: dict[str, Any]) -> Iterable[Sequence[str]]:
    """The rows of the table of points without luck."""
    for pairing in facts["pairings"]:
        yield (
            _names(pairing),
            cell(pairing["controlled_points_per_round"], pairing["controlled_interval"]),
            *(f"{pairing[name]:.1%}" for name in ("variance_explained", "variance_explained_of_rounds")),
        )


def _names(pairing: dict[str, Any]) -> str:
    return f"{_code(pairing['a'])} : {_code(pairing['b'])}"


def _picture(figure: Figure, caption: str) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110, metadata={"Software": None})
    source = f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
    return f"<p>{html.escape(caption)}:</p><img alt='{html.escape(caption)}' src='{source}'>"


def _margins(facts: dict[str, Any]) -> Figure:
    """A plot of the points of each pairing."""
    labels = [f"{pairing['a']} : {pairing['b']}" for pairing in facts["pairings"]]
    middles = [pairing["points_per_round"] for pairing in facts["pairings"]]
    return _with_intervals(labels, middles, [pairing["interval"] for pairing in facts["pairings"]], "points a round", 0)


def _ratings(facts: dict[str, Any]) -> Figure:
    """A plot of the ratings."""
    from openskill.models import PlackettLuce

    rated = facts["ratings"]
    bounds = [[entry["mu"] - 2 * entry["sigma"], entry["mu"] + 2 * entry["sigma"]] for entry in rated]
    names, middles = [entry["name"] for entry in rated], [entry["mu"] for entry in rated]
    return _with_intervals(names, middles, bounds, "rating", PlackettLuce().mu)


def _with_intervals(
    labels: Sequence[str], middles: Sequence[float], bounds: Sequence[Sequence[float]], unit: str, even: float
) -> Figure:
    """A plot of values with intervals, one below the other; `even` is marked by a line."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR

    figure = Figure(figsize=(10, 1 + 0.25 * len(labels)), layout="constrained")
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


def _spread(played: PlayedTournament) -> Figure:
    """Histograms of the points of single deals, for each pairing."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import COLOUR

    pairings = range(len(played.request.pairings))
    columns = min(ACROSS, len(pairings))
    lines = -(-len(pairings) // columns)
    figure = Figure(figsize=(10, 1.3 * lines + 0.5), layout="constrained")
    grid = figure.subplots(lines, columns, sharex=True, squeeze=False)
    for pairing, axes in zip(pairings, grid.flat, strict=False):
        values = values_of(played.results[played.results["pairing"] == pairing])
        axes.hist(values, bins=BINS, color=COLOUR)
        axes.set_title("\n: ".join(played.request.names(pairing)), fontsize=7)
        axes.tick_params(labelsize=7)
    for axes in grid.flat[len(pairings) :]:
        axes.set_visible(False)
    figure.supxlabel("points a round of a deal, both tables together", fontsize=9)
    return figure
