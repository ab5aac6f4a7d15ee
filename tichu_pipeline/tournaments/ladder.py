"""The ladder of a tournament as Markdown, and its place in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.html.markdown import table
from tichu_pipeline.tournaments.facts import BATCHES, TIME, deals_of, ladder, who_answers

BEGIN, END = "<!-- ladder: written by `tichu ladder --readme` -->", "<!-- end of the ladder -->"
HEADINGS = ("Agent", "Rating", "Points a round against all others", "Tichu made / called", f"{TIME.capitalize()} (p50)")


class PlaceError(Exception):
    """A file without the lines that mark the place of the ladder."""


def markdown(facts: dict[str, Any]) -> str:
    """The ladder as a table with notes, best agent first."""
    rows = []
    for line in ladder(facts):
        made, called = map(sum, zip(line.tichu, line.grand, strict=True))
        rows.append((f"`{line.name}`", line.rating, line.points, f"{made:,} / {called:,}", line.p50))
    lines = ["", f"{deals_of(facts)} for each pairing, seed {facts['seed']}; 95 % intervals. {BATCHES}"]
    lines += [f"`{entry['run']}` is left out: {entry['why']}." for entry in facts["left_out"]]
    for entry in facts["decisions"]:
        if by_rule := {kind: run for kind, run in entry["answered_by"].items() if run is None}:
            lines.append(f"`{entry['name']}`: {who_answers(by_rule)}.")
    return "\n".join([table(HEADINGS, rows), *lines])


def insert(path: Path, text: str) -> None:
    """Writes the ladder between its marks in a file, in place of an older one."""
    content = path.read_text(encoding="utf-8")
    before, begin, rest = content.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PlaceError(f"{path}: no place for the ladder; expected a line '{BEGIN}' and below it a line '{END}'")
    write_whole(path, f"{before}{BEGIN}\n{text}\n{END}{after}")
