"""`python -m tichu_pipeline.tools.chameleon_page`: docs/chameleon.md, from the studies of a data folder.

Facts are kept in docs/chameleon.json, with those of `chameleon_duel`: what the data folder does not have stays as it is
there, so that the page can be filled in parts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.statistics import wilson
from tichu_models.whole_files import write_whole
from tichu_pipeline.games.facts import REQUEST
from tichu_pipeline.games.studies.study import path_of, studies_of, study_of
from tichu_pipeline.html import markdown
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import json_object

FACTS, PAGE = "chameleon.json", "chameleon.md"
STUDIED, DUELS = "studies", "duels"
DUELS_ABOUT = """\
Two seats against two: MaxNIS with the same time a move, by what judges the positions at its end. `td:champion` is the
network that ships (without a run of this name in the data folder), `moves` the evaluation of the thesis, pawns and a
hundredth of the moves, `roles` the default. `python -m tichu_pipeline.tools.chameleon_duel` plays it, part by part; a
game is over when all that live are of one agent. A move counts if there was a choice, and its time is that of the clock
on the wall."""
HEAD = """# Chameleon Chess: studies

What [games.md](games.md) describes, measured. `tichu games experiment` lists the studies, `tichu games experiment ID
--preset laptop` makes one; the sizes of those on this page stand below each. `python -m
tichu_pipeline.tools.chameleon_page` adds what a data folder holds to `chameleon.json`, and makes the page of that.
"""


def collect(paths: DataPaths, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts with the studies of a data folder."""
    found = {name: json_object(path_of(paths, name)) for name in studies_of("chameleon")}
    return {**facts, STUDIED: {**facts.get(STUDIED, {}), **{name: each for name, each in found.items() if each}}}


def page(facts: Mapping[str, Any]) -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for name in studies_of("chameleon"):
        if name not in facts.get(STUDIED, {}):
            continue
        study, found = study_of(name), facts[STUDIED][name]
        parts.append(f"## {study.about}\n")
        parts += [
            f"{_folded(each.about)}\n\n{markdown.table(each.headings, each.rows)}\n" for each in study.tables(found)
        ]
        sizes = " ".join(f"--set {key}={json.dumps(value).strip(chr(34))}" for key, value in found[REQUEST].items())
        parts.append(f"```\ntichu games experiment {name} --preset laptop {sizes}".rstrip() + "\n```\n")
    if duels := {name: duel for name, duel in facts.get(DUELS, {}).items() if duel["games"]}:
        parts += [f"## Networks and evaluations, in the same time\n\n{_folded(DUELS_ABOUT)}\n", _duels(duels)]
    return "\n".join(parts)


def summary(duel: Mapping[str, Any]) -> dict[str, Any]:
    """The network's share of the games with its interval, moves, the slowest of them, and both median depths."""
    games: Sequence[Mapping[str, Any]] = duel["games"]
    share = sum(each["share"] for each in games)
    depths = [Counter[int]() for _ in range(2)]
    for each in games:
        for counter, found in zip(depths, each["depths"], strict=True):
            counter.update({int(depth): count for depth, count in found.items()})
    return {
        "games": len(games),
        "share": share / len(games),
        "interval": wilson(share, len(games)),
        "moves": sum(counter.total() for counter in depths),
        "slowest": max(each["slowest"] for each in games),
        "depths": [float(np.median(list(counter.elements()))) for counter in depths],
    }


def _duels(duels: Mapping[str, Mapping[str, Any]]) -> str:
    """The table of the duels."""
    rows = []
    for duel in duels.values():
        found, names = summary(duel), [f"`{each}`" for each in duel["evaluations"]]
        low, high = found["interval"]
        mine, other = found["depths"]
        rows.append(
            (
                *(*names, f"{duel['seconds']:g} s", f"{found['share']:.1%}", f"{100 * low:.1f} .. {100 * high:.1f}%"),
                *(f"{found['games']}", f"{mine:g} : {other:g}", f"{found['moves']:,}", f"{found['slowest']:.3f} s"),
            )
        )
    headings = ("Judges", "Against", "A move", "Share", "95%", "Games", "Depths, median", "Moves", "The slowest")
    return markdown.table(headings, rows) + "\n"


def write_page(docs: Path, facts: Mapping[str, Any]) -> None:
    """Writes the page and its facts."""
    write_whole(docs / FACTS, json.dumps(facts) + "\n")
    write_whole(docs / PAGE, page(facts))


def _folded(text: str, width: int = 118) -> str:
    """A paragraph in lines."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def main(
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    docs: Annotated[Path, typer.Option(help="Where page and facts are.", metavar="DIR")] = Path("docs"),
) -> None:
    """Writes the page."""
    write_page(docs, collect(DataPaths(data), json_object(docs / FACTS)))


if __name__ == "__main__":
    typer.run(main)
