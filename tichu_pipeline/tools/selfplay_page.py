"""`python -m tichu_pipeline.tools.selfplay_page`: writes docs/selfplay.md from what self-play left in a data folder.

Facts are collected in docs/selfplay.json: the arms that `selfplay_study` has judged, the figures of `selfplay_figures`,
stored tournaments named `selfplay_..`, what `tichu exploit` has found, and the curves of runs and arms. What the data
folder does not have stays as it is there, so that the study can be made in parts. Page and pictures are drawn from
these facts; nothing in them is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tichu_models.arena.summary import summary
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import CALIBRATION, GAMES, MANIFEST, METRICS, TRIAL
from tichu_models.runs.journal import rows_of
from tichu_models.whole_files import whole_file, write_whole
from tichu_pipeline.exploit.best_response import results
from tichu_pipeline.selfplay.runs import OPPONENT
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.tools.search_figures import FILE as SEARCH_FILE
from tichu_pipeline.tools.search_lessons import RECORD as LESSONS
from tichu_pipeline.tools.selfplay_figures import FILE
from tichu_pipeline.tools.selfplay_study import JUDGED, PREFIX, arms
from tichu_pipeline.tools.selfplay_tables import (
    arms_table,
    decisions_table,
    exploited_table,
    goals_tables,
    lessons_table,
    matches_table,
    pairs_table,
    runs_table,
    search_table,
    style_table,
)
from tichu_pipeline.tournaments.files import read

FACTS = "selfplay.json"  # beside the page
CURVE = ("minutes", "rounds", "points_per_round")
ARMS_PICTURE, RUNS_PICTURE = "selfplay_arms.png", "selfplay_runs.png"
COLOURS, LINES = 10, ("-", "--")  # of curves: matplotlib has ten colours
MATCHES = "selfplay_"  # begins the names of tournaments that the page tells of

ABOUT = """\
Players that learned by playing against themselves, from random weights, with no game log and no rule of thumb to
follow. `tichu selfplay RUN` trains one; [training.md](training.md) says how.

In each iteration 2,048 rounds are played by the present networks, which draw their answers. A critic that sees all
hands says what every position was worth; the networks move towards the answers after which a round went better than
that (PPO over the legal answers). Announcements learn what they are worth: the critic's value of the position with the
announcement less that without. So that it knows hands that would never be announced too, a part of the rounds are
twins: the same deal with the same draws is played again, but for one announcement. The difference of their results
also tells how right the networks are. No player sees what the critic sees."""
ARMS_ABOUT = """\
All arms were fixed before any was run, and have the same number of rounds, one seed each. They were judged by {deals:,}
duplicate deals against the heuristic player that none of them trained on. An interval says how sure the deals are, not
what another seed would give: that is 2 to 3 points more."""

RUNS_ABOUT = """\
Points a round over duplicate deals with 95 % intervals; no choice was made by these deals. `champion` ships,
`champion_1`, from which it went on, shipped before. Who wins more from the heuristic player need not win the duel
between them ([Strangers](#strangers)): rules of thumb let more announcements come home than a strong player does."""
STYLE_ABOUT = """\
A pair of players against a pair of heuristic ones. What is published of people at Brettspielwelt (ainze/tichu): they
announce a grand Tichu at 7.8 % of the chances, the strongest tenth at 13.3 %; these pass on 31 % of the plays that they
could beat. A pair has two chances of a grand Tichu a round."""

MATCHES_ABOUT = """\
Duels over duplicate deals, in points a round; `policy_net` and `candidate_policy_net` learned from 10,000 generated
games with preset `laptop`. Each line is `tichu tournament` with these two, these deals and this seed. Times are those
of a decision, the median and the 99 % quantile, on one core and in batches; forced answers are among them."""

GOALS_ABOUT = """\
A GCPolicyRLNet plays to win by as many points as it is asked for, or for what the score of a game demands. What it
achieves is measured against itself without a goal (`tichu calibrate RUN`); in whole games from a score one pair knows
it, and the other plays for points alone (`tichu calibrate RUN --score 700:900`)."""

SEARCH_ABOUT = """\
A searching player or a pair of them against a pair of `champion:fast`, which is also a single one's partner
(`python -m tichu_pipeline.tools.search_figures`). It supposes 128 deals at most, `deals=2048` half a second's worth,
and fewer where more would hardly change the choice; with `early=false` all of them. Times are those of a play with a
choice which is asked for alone, the median and the 90 % quantile, CPU time of one core. `open=true` sees all hands:
what it wins more is what hidden cards cost."""

LESSONS_ABOUT = """\
A run plays, a search looks for plays that are surely better, and what holds on other deals too is a lesson
(`python -m tichu_pipeline.tools.search_lessons`). The pupil has learned to prefer these plays, held to what it was
elsewhere by the leash, the weight of its divergence. Followed are lessons whose better play it now scores higher than
its old one; those held out were not learned. Others are plays at which nothing better was found. The search makes these
points at the table; where a pupil makes none of them, what is better in a position does not carry over to others."""

EXPLOITED_ABOUT = """\
Each player was frozen, and others were trained against it alone (`tichu exploit`): from its own networks, if it has
some, and from others. The best of them was chosen on some deals and judged on the deals of this table. What it wins is
a lower bound: somebody else may win more. A player whom nobody can beat would lose nothing. Minutes are those of the
clock, on cores that other work shared."""


def collect(paths: DataPaths, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts with those of a data folder added."""
    found = json.loads((paths.root / FILE).read_text()) if (paths.root / FILE).exists() else {"runs": {}}
    runs = dict(facts.get("runs", {}))
    for name, run in found["runs"].items():
        runs[name] = {"curve": [], **runs.get(name, {}), **run, **_origin(paths, name)}
    arms_found = dict(facts.get("arms", {}))
    for name in arms():
        folder = paths.runs / f"{PREFIX}{name}"
        if (folder / JUDGED).exists():
            arms_found[name] = {**json.loads((folder / JUDGED).read_text()), **_course(folder)}
    return {
        "runs": runs,
        "partners": _together(facts, found, "partners"),
        "duels": _together(facts, found, "duels"),
        "matches": {**facts.get("matches", {}), **matches_of(paths)},
        "goals": {**facts.get("goals", {}), **goals_of(paths)},
        "lessons": {**facts.get("lessons", {}), **lessons_of(paths)},
        "search": {**facts.get("search", {}), **json_object(paths.root / SEARCH_FILE)},
        "arms": arms_found,
        "exploited": {**facts.get("exploited", {}), **{each["agent"]: each for each in results(paths)}},
    }


def _together(facts: Mapping[str, Any], found: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Figures of pairs of runs; those that were found take the place of older ones."""
    pairs = [*facts.get(key, []), *found.get(key, [])]
    return list({tuple(pair["runs"]): pair for pair in pairs}.values())


def matches_of(paths: DataPaths) -> dict[str, dict[str, Any]]:
    """The duels of a data folder, by the names of their tournaments."""
    found = {}
    for path in sorted(paths.tournaments.glob(f"{MATCHES}*.parquet")):
        played = summary(read(path))
        (pairing,), times = played["pairings"], {each["name"]: each for each in played["times"]}
        a, b = pairing["a"], pairing["b"]
        found[path.stem.removeprefix(MATCHES)] = {
            **{key: pairing[key] for key in ("a", "b", "deals", "points_per_round", "interval", "forfeits")},
            "seed": played["seed"],
            "seconds": {name: [times[name]["p50"], times[name]["p99"]] for name in (a, b)},
        }
    return found


def goals_of(paths: DataPaths) -> dict[str, dict[str, Any]]:
    """What runs that learned goals achieve with them, and the whole games that they have played, by run."""
    found = {}
    for folder in sorted(paths.runs.glob("*")):
        calibration, games = json_object(folder / CALIBRATION), json_object(folder / GAMES)
        if games:
            told = {key: calibration[key] for key in ("seed", "deals", "goals", "rho", "slope") if key in calibration}
            trial = json_object(folder / TRIAL)
            begun = [f"tichu selfplay {folder.name}", *([f"--from {trial['start']}"] if trial.get("start") else [])]
            command = " ".join([*begun, *(f"--set {setting}" for setting in trial.get("settings", []))])
            found[folder.name] = {"calibration": told, "games": games, "command": command}
    return found


def lessons_of(paths: DataPaths) -> dict[str, dict[str, Any]]:
    """What runs have learned from search, by run."""
    files = sorted(paths.runs.glob(f"*/{LESSONS}"))
    return {path.parent.name: found for path in files if (found := json_object(path))}


def _origin(paths: DataPaths, name: str) -> dict[str, Any]:
    """Seed and curve of a run that the data folder has."""
    folder = paths.runs / name
    if not (folder / MANIFEST).exists():
        return {}
    return {"seed": manifests.read(folder / MANIFEST).seed, **_course(folder)}


def _course(folder: Path) -> dict[str, Any]:
    """How a run went: a row for each evaluation."""
    rows = rows_of(folder / METRICS)
    return {"curve": [{of: round(float(row[of]), 2) for of in CURVE} for row in rows if row["opponent"] == OPPONENT]}


def draw_curves(curves: Mapping[str, Sequence[Mapping[str, float]]], path: Path, of: str) -> None:
    """Points a round against the heuristic player by what `of` counts, one line for each run."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    for i, (name, rows) in enumerate(curves.items()):
        points, style = [row["points_per_round"] for row in rows], LINES[i // COLOURS % len(LINES)]
        axes.plot([row[of] for row in rows], points, style, color=f"C{i % COLOURS}", label=name, linewidth=1)
    axes.set_xlabel(of)
    axes.set_ylabel("points a round against heuristic")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    pyplot.close(figure)


def page(facts: Mapping[str, Any], pictures: Path) -> str:
    """The whole page as Markdown; the pictures are written into a folder."""
    parts = ["# Self-play", "Made by `python -m tichu_pipeline.tools.selfplay_page`; do not edit it by hand.", ABOUT]
    runs, found = facts["runs"], {name: facts["arms"][name] for name in arms() if name in facts["arms"]}
    if runs:
        curves = {name: run["curve"] for name, run in runs.items() if run["curve"]}
        picture = []
        if curves:
            draw_curves(curves, pictures / RUNS_PICTURE, "minutes")
            picture = [f"![Points a round by minutes]({RUNS_PICTURE})"]
        parts += [
            "## What they are worth",
            RUNS_ABOUT,
            runs_table(runs),
            *picture,
            "## What each decision adds",
            "The player against itself with rules of thumb for one kind of decision, all else equal.",
            decisions_table(runs),
            "## How they play",
            STYLE_ABOUT,
            style_table(runs),
        ]
        if facts["partners"]:
            parts += [
                "## Strangers",
                "What it costs to have a partner from another run, in points a round against the heuristic player.",
                pairs_table(facts["partners"], "cost", "Cost of a stranger as partner"),
                "The first run against the second.",
                pairs_table(facts["duels"], "points", "Points a round"),
            ]
    if facts["matches"]:
        parts += ["## Against other players", MATCHES_ABOUT, matches_table(facts["matches"])]
    if facts["goals"]:
        parts += ["## Goals", GOALS_ABOUT]
        for name, each in facts["goals"].items():
            parts += goals_tables(name, each)
    if facts["search"]:
        parts += ["## What the search adds", SEARCH_ABOUT, search_table(facts["search"])]
    if facts["lessons"]:
        parts += ["## What can be learned from it", LESSONS_ABOUT, lessons_table(facts["lessons"])]
    if facts["exploited"]:
        parts += ["## How exploitable", EXPLOITED_ABOUT, exploited_table(list(facts["exploited"].values()))]
    if found:
        draw_curves({name: arm["curve"] for name, arm in found.items()}, pictures / ARMS_PICTURE, "rounds")
        deals = next(iter(found.values()))["deals"]
        parts += ["## What matters", ARMS_ABOUT.format(deals=deals), arms_table(found), f"![Curves]({ARMS_PICTURE})"]
    return "\n\n".join(parts) + "\n"


def main(
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    out: Annotated[Path, typer.Option(help="The page.", metavar="FILE")] = Path("docs/selfplay.md"),
) -> None:
    """Writes the page about self-play, and its pictures beside it."""
    kept = out.with_name(FACTS)
    facts = collect(DataPaths(data), json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {})
    write_whole(kept, json.dumps(facts, indent=1) + "\n")
    text = page(facts, out.parent)
    write_whole(out, text)
    typer.echo(f"{out}: {len(text):,} characters")


if __name__ == "__main__":
    typer.run(main)
