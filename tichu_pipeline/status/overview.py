"""`reports/index.html`: the page that links to all others, with the state of every stage, main figures and provenance.

It shows what is in the data folder, whether Dagster or a command made it. What has not been made is listed as missing.
"""

from __future__ import annotations

import hashlib
import html
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from rich.filesize import decimal

from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import PlayedTournament
from tichu_models.observation import features_page as docs
from tichu_models.runs.files import CURVES, RELIABILITY
from tichu_models.runs.manifest import RunManifest
from tichu_pipeline.analysis import notebook
from tichu_pipeline.games import page as games
from tichu_pipeline.html import pages
from tichu_pipeline.rounds.manifest import manifest
from tichu_pipeline.scaling import fit as scaling
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import json_object, stored_stamp
from tichu_pipeline.tournaments import page as tournament
from tichu_pipeline.tournaments.entrants import LADDER
from tichu_pipeline.tournaments.files import TournamentFileError, read
from tichu_pipeline.tournaments.ladder import markdown
from tichu_pipeline.tournaments.running import tournament_path
from tichu_pipeline.training import comparison
from tichu_pipeline.training.runs import FINISHED, Run, figures_line, points_lines, runs

# Bumped by hand when the same data folder would give other figures; tests/golden/overview.json says when.
# Wording and layout of the page are no reason.
VERSION = 2
PACKAGES = ("dagster", "polars", "duckdb", "pyarrow", "numpy", "numba", "torch", "lightning", "h5py")
FEATURES = "features.html"


def write(paths: DataPaths) -> Made:
    """Writes the page. It is cheap, so it is always made; `reused` says that the file has not changed."""
    started = time.perf_counter()
    target = page_path(paths)
    standings = [standing for standing in status(paths) if standing.stage != "overview"]
    pages.write(paths.reports / FEATURES, _features())
    content = pages.page("Tichu: what this data folder holds", "".join(_parts(paths, target, standings)))
    reused = not pages.write(target, content)
    return Made(
        path=target,
        stamp=_digest(content),
        rows=len(standings),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `overview`. It is stale if a page that it links to is newer."""
    paths = survey.paths
    page = page_path(paths)
    if not page.is_file():
        return missing("overview", "the page has not been made yet")
    shown = {
        "analysis_report": notebook.page_path(paths),
        "scaling": paths.scaling,
        "model_comparison": paths.reports / comparison.TABLE,
        "evaluation": tournament.page_path(paths),
        "games_report": games.page_path(paths),
    }
    made = page.stat().st_mtime
    newer = [name for name, path in shown.items() if path.is_file() and path.stat().st_mtime > made]
    reasons = [f"{name} has been made again since" for name in newer] or survey.stale(*shown)
    return judged("overview", page.name, page.stat().st_size, reasons)


def page_path(paths: DataPaths) -> Path:
    """The file of the overview."""
    return paths.reports / "index.html"


def _parts(paths: DataPaths, target: Path, standings: Sequence[Standing]) -> Iterator[str]:
    """The sections of the page."""
    links = {
        "analysis_report": notebook.page_path(paths),
        "scaling": paths.scaling,
        "features": paths.reports / FEATURES,
        "model_comparison": paths.reports / comparison.PAGE,
        "evaluation": tournament.page_path(paths),
        "games_report": games.page_path(paths),
    }
    yield pages.section(
        "Stages",
        "What each stage has made, and whether it was made from the inputs as they are now: "
        "<em>fresh</em>, <em>stale</em> or <em>missing</em>. The name of a stage links to its report.",
    )
    yield pages.table(
        ("stage", "state", "contents", "size", "why"),
        [_row(standing, links.get(standing.stage), target) for standing in standings],
        as_text=(1, 2, 4),
    )
    yield from _networks(paths, target)
    yield from _ladder(paths)
    yield from _years(paths, target)
    yield from _pictures(paths, target)
    yield pages.section(
        "Provenance",
        "The versions, seeds and stamps behind these results. The same ones give the same results again.",
    )
    yield pages.table(("", ""), [(_text(name), _code(value)) for name, value in provenance(paths)], as_text=(1,))


def _row(standing: Standing, page: Path | None, target: Path) -> Sequence[str]:
    """A stage as a row of the table of stages."""
    name = pages.link(page, target, standing.stage) if page and page.is_file() else _text(standing.stage)
    state = f"<span class='{standing.state}'>{standing.state}</span>"
    size = decimal(standing.bytes) if standing.bytes else ""
    return name, state, _text(standing.there), size, _text("; ".join(standing.reasons))


def _networks(paths: DataPaths, target: Path) -> Iterator[str]:
    rows = [_trained(run, run.manifest, target) for run in runs(paths) if run.state == FINISHED and run.manifest]
    if not rows:
        return
    yield pages.section(
        "Networks",
        "The finished runs. Networks that learned from logs have the figures of their best weights on validation "
        "games, those that learned from self-play the points by which they win. The name of a run links to its "
        "learning curves.",
    )
    yield pages.table(
        ("run", "network and what it reads", "parameters", "trained for", "figures"), rows, as_text=(1, 4)
    )


def _trained(run: Run, manifest: RunManifest, target: Path) -> Sequence[str]:
    """A finished run as a row of the table of networks."""
    curves = run.folder / CURVES
    return (
        pages.link(curves, target, run.name) if curves.exists() else _text(run.name),
        f"{_text(manifest.network)} <code>{_text(manifest.spec.name)}</code>",
        f"{run.trial.get('parameters', 0):,}",
        f"{run.trial.get('seconds', 0):,.0f} s",
        _text(
            figures_line(manifest.network, run.figures, ())
            if run.learned_from_logs
            else ", ".join(points_lines(run.figures, run.opponent))
        ),
    )


def _ladder(paths: DataPaths) -> Iterator[str]:
    path = tournament_path(paths, LADDER)
    if not path.is_file():
        return
    try:
        facts = summary(read(path))
    except TournamentFileError as error:
        yield f"<h2>Ladder</h2><p class='stale'>{_text(str(error))}</p>"
        return
    yield pages.section(
        "Ladder",
        "All players, the best first. Every two of them played the same deals. The rating is OpenSkill's; points are "
        "the mean by which the player's team wins a round.",
    )
    yield pages.of_markdown(markdown(facts))


def _years(paths: DataPaths, target: Path) -> Iterator[str]:
    pages_of_years = sorted((paths.reports / "years").glob("*.html"))
    if pages_of_years:
        yield pages.section("Players' years", "What the decisions of declared players cost, a page a year and player.")
        yield f"<p>{', '.join(pages.link(page, target, page.stem) for page in pages_of_years)}</p>"


def _pictures(paths: DataPaths, target: Path) -> Iterator[str]:
    listed = runs(paths)
    curves = {run.name: run.folder / CURVES for run in listed if (run.folder / CURVES).exists()}
    taught = {run.name for run in listed if not run.learned_from_logs}
    folders = {
        "Learning curves": (
            "Loss by training step, and the figure by which the network is judged.",
            [path for name, path in curves.items() if name not in taught],
        ),
        "Self-play": (
            "Points a round against rules of thumb, with 95 % intervals; calls; and how the networks learn.",
            [path for name, path in curves.items() if name in taught],
        ),
        "Reliability of calls": (
            "How often a call came true, by its predicted probability. On the line both are equal.",
            sorted(paths.runs.glob(f"*/{RELIABILITY}")),
        ),
        "Distributions that are scaled": (
            "Values of each variable in the training games. Dashed lines show where they are clipped.",
            sorted(scaling.plot_folder(paths).glob("*_histogram.png")),
        ),
    }
    for heading, (about, files) in folders.items():
        if files:
            shown = [
                pages.picture(path, target, path.parent.name if path.name in (CURVES, RELIABILITY) else path.stem)
                for path in files
            ]
            yield pages.section(heading, about) + "".join(shown)


def provenance(paths: DataPaths) -> list[tuple[str, str]]:
    """Versions of the code and its libraries, and stamps and seeds of the data, by name."""
    facts = [("git commit", _commit()), ("Python", platform.python_version())]
    facts += [(name, version(name)) for name in PACKAGES]
    facts += [("stamp of the rounds", manifest(paths).stamp)]
    for name, path in (("constants", paths.scaling), ("database", paths.database)):
        facts += [(f"stamp of the {name}", stamp)] if (stamp := stored_stamp(path)) else []
    generated = json_object(paths.raw / "demo.json").get("order") or {}
    facts += [("seed of the generated logs", str(generated["seed"]))] if "seed" in generated else []
    for run in runs(paths):
        if run.manifest:
            facts.append((f"run {run.name}", f"seed {run.manifest.seed}, {_digest(run.manifest.text())}"))
    for path in sorted(paths.features.glob("*.h5")):
        if stamp := stored_stamp(path):
            facts.append((f"data set {path.stem}", f"stamp {stamp}"))
    for path in sorted(paths.tournaments.glob("[!.]*.parquet")):
        if played := _tournament(path):
            facts.append((f"tournament {path.stem}", f"seed {played.request.seed}, stamp {stored_stamp(path)}"))
    return facts


def _tournament(path: Path) -> PlayedTournament | None:
    try:
        return read(path)
    except TournamentFileError:
        return None


def _commit() -> str:
    """The commit of the code, with a plus if it has been changed since; `unknown` outside a repository."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return described.stdout.strip()


def _features() -> str:
    title, _, text = docs.page().partition("\n")
    return pages.page(title.removeprefix("# "), pages.of_markdown(text))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _text(value: str) -> str:
    return html.escape(value)


def _code(value: str) -> str:
    return f"<code>{html.escape(value)}</code>"
