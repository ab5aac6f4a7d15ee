"""`python -m tichu_pipeline.tools.chameleon_page`: docs/chameleon.md, from the studies of a data folder.

Studies that have not been made are left out, so that the page can be filled in parts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.games.facts import REQUEST
from tichu_pipeline.games.studies.study import STUDIES, path_of, study_of
from tichu_pipeline.html import markdown
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import json_object

HEAD = """# Chameleon Chess: studies

What [games.md](games.md) describes, measured. `tichu games experiment` lists the studies, `tichu games experiment ID
--preset laptop` makes one; the sizes of those on this page stand below each. `python -m
tichu_pipeline.tools.chameleon_page` makes the page of what a data folder holds.
"""


def page(paths: DataPaths) -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for name in STUDIES:
        facts = json_object(path_of(paths, name))
        if not facts:
            continue
        study = study_of(name)
        parts.append(f"## {study.about}\n")
        parts += [
            f"{_folded(each.about)}\n\n{markdown.table(each.headings, each.rows)}\n" for each in study.tables(facts)
        ]
        sizes = " ".join(f"--set {key}={json.dumps(value).strip(chr(34))}" for key, value in facts[REQUEST].items())
        parts.append(f"```\ntichu games experiment {name} --preset laptop {sizes}".rstrip() + "\n```\n")
    return "\n".join(parts)


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
    out: Annotated[Path, typer.Option(help="The page.", metavar="FILE")] = Path("docs/chameleon.md"),
) -> None:
    """Writes the page."""
    out.write_text(page(DataPaths(data)), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
