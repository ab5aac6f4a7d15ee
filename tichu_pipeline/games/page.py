"""`reports/games.html`: the games beside Tichu, what was counted, learned, played and studied."""

from __future__ import annotations

import hashlib
import html
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tichu_models.games.registry import MODULES
from tichu_models.runs.files import CURVES
from tichu_pipeline.games import matches, rules
from tichu_pipeline.games.runs import figures, result_line, runs
from tichu_pipeline.games.studies.study import path_of, picture_of, studies_of, study_of
from tichu_pipeline.html import pages
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import json_object

STAGE = "games_report"


def page_path(paths: DataPaths) -> Path:
    """The file of the page."""
    return paths.reports / "games.html"


def write(paths: DataPaths) -> Made:
    """Writes the page. It is cheap, so it is always made; `reused` says that the file has not changed."""
    began, target = time.perf_counter(), page_path(paths)
    parts = [part for name in MODULES for part in _game(paths, name, target)]
    content = pages.page("Games beside Tichu", "".join(parts) or "<p>Nothing has been made yet.</p>")
    reused = not pages.write(target, content)
    return Made(
        path=target,
        stamp=hashlib.sha256(content.encode()).hexdigest(),
        rows=len(parts),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - began,
        reused=reused,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the page. It is stale if something that it shows is newer."""
    page = page_path(survey.paths)
    if not page.is_file():
        return missing(STAGE, "the page has not been made yet")
    made = page.stat().st_mtime
    newer = [path for path in survey.paths.board_games.glob("**/*.json") if path.stat().st_mtime > made]
    reasons = [f"{path.relative_to(survey.paths.board_games)} has been made again since" for path in sorted(newer)[:3]]
    return judged(STAGE, page.name, page.stat().st_size, reasons)


def _game(paths: DataPaths, name: str, target: Path) -> Iterator[str]:
    """The parts about one game; none if nothing has been made."""
    counted, played = json_object(rules.path_of(paths, name)), json_object(matches.path_of(paths, name))
    learned = [folder for folder in runs(paths) if folder.parent.name == name]
    if counted:
        about = f"{html.escape(counted['title'])}. The rules, and where they deviate from the published ones: "
        yield pages.section(html.escape(name), f"{about}<code>tichu games rules {html.escape(name)}</code>.")
        yield from _counts(counted)
    if learned:
        yield pages.section(f"{html.escape(name)}: what was learned", "Every run with its last evaluation.")
        yield pages.table(("run", "games", "minutes", "results"), [_run(folder) for folder in learned], as_text=(3,))
        yield from (
            pages.picture(folder / CURVES, target, folder.name) for folder in learned if (folder / CURVES).exists()
        )
    if played:
        yield pages.section(
            f"{html.escape(name)}: matches",
            "Every way to seat the agents equally often; shares of games with 95 % intervals.",
        )
        for result in played["results"]:
            yield _match(result)
    yield from _studies(paths, name, target)


def _studies(paths: DataPaths, name: str, target: Path) -> Iterator[str]:
    """The studies of a game that have been made."""
    for each in studies_of(name):
        path = path_of(paths, each)
        if not (facts := json_object(path)):
            continue
        study = study_of(each)
        yield pages.section(html.escape(study.about), f"<code>tichu games experiment {each}</code>")
        for table in study.tables(facts):
            yield f"<p>{html.escape(table.about)}</p>"
            yield pages.table(table.headings, [[html.escape(cell) for cell in row] for row in table.rows])
        if picture_of(path).exists():
            yield pages.picture(picture_of(path), target, each)


def _counts(counted: Mapping[str, Any]) -> Iterator[str]:
    if perft := counted["perft"]:
        depth = max(map(len, perft.values()))
        rows = [(players, *(f"{count:,}" for count in counts)) for players, counts in perft.items()]
        yield pages.table(("sequences of actions", *map(str, range(1, depth + 1))), rows)
    sizes = counted["complexity"]
    exact = [(name.replace("_", " "), f"{value:,}") for name, value in sizes.items() if isinstance(value, int)]
    if exact:
        yield pages.table(("exactly", ""), exact)
    rows = [
        (str(each["players"]), f"{each['branching']:.2f}", f"{each['length']:.1f}", f"10^{each['power']:.1f}")
        for each in sizes.get("random_games", [])
    ]
    yield pages.table(("players", "legal actions", "length of random games", "games"), rows)


def _run(folder: Path) -> tuple[str, ...]:
    facts = figures(folder)
    results = "; ".join(result_line(each) for each in facts.get("results", [])) or "unfinished"
    games, minutes = facts.get("games", 0), facts.get("minutes", 0.0)
    return html.escape(folder.name), f"{games:,}", f"{minutes:.1f}", html.escape(results)


def _match(result: Mapping[str, Any]) -> str:
    rows = [
        (
            f"<code>{html.escape(agent['name'])}</code>",
            str(agent["seats"]),
            f"{agent['wins']}",
            f"{agent['share']:.1%}",
            f"{agent['interval'][0]:.1%} .. {agent['interval'][1]:.1%}",
            f"{agent['score_mean']:.1f}",
        )
        for agent in sorted(result["agents"], key=lambda each: -each["share"])
    ]
    rules = f", {result['rules']}" if result.get("rules") else ""
    return pages.table((f"{result['games']} games{rules}", "seats", "wins", "share", "95 %", "score"), rows)
