"""The ladder of a tournament's agents as Markdown, and the place for it in a README."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.tournaments.terminal import TIME, cell, duration, side_sums, who_answers

BEGIN, END = "<!-- ladder: written by `tichu ladder --readme` -->", "<!-- end of the ladder -->"


class PlaceError(Exception):
    """A file without a place for the ladder."""


def markdown(facts: dict[str, Any]) -> str:
    """The agents, best first."""
    times = {entry["name"]: entry for entry in facts["times"]}
    deals = max(pairing["deals"] for pairing in facts["pairings"])
    unit = "pairs of games" if facts["whole_games"] else "duplicate deals"
    lines = [
        f"| Agent | Rating | Points a round against all others | Tichu made / called | {TIME.capitalize()} (p50) |",
        "|---|---|---|---|---|",
    ]
    for rating in facts["ratings"]:
        done = side_sums(facts, rating["name"])
        made, called = (done[f"tichu_{how}"] + done[f"grand_{how}"] for how in ("made", "called"))
        lines.append(
            f"| `{rating['name']}` | {rating['mu']:.0f} ± {2 * rating['sigma']:.0f} "
            f"| {cell(rating['points_per_round'], rating['interval'])} | {made:,} / {called:,} "
            f"| {duration(times[rating['name']]['p50'])} |"
        )
    lines += ["", f"{deals:,} {unit} for each pairing, seed {facts['seed']}; 95 % intervals."]
    lines += [f"`{entry['run']}` is left out: {entry['why']}." for entry in facts["left_out"]]
    for entry in facts["decisions"]:
        if by_rule := {kind: run for kind, run in entry["answered_by"].items() if run is None}:
            lines.append(f"`{entry['name']}`: {who_answers(by_rule)}.")
    return "\n".join(lines)


def insert(path: Path, text: str) -> None:
    """Puts the ladder into its place in a file, in the place of an older one."""
    content = path.read_text(encoding="utf-8")
    before, begin, rest = content.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PlaceError(f"{path}: no place for the ladder; expected a line '{BEGIN}' and behind it a line '{END}'")
    write_whole(path, f"{before}{BEGIN}\n{text}\n{END}{after}")
