"""`python -m tichu_pipeline.tools.review_picture`: makes the picture of a review's page for the documentation.

The game is a generated one, the referee the champion. The picture is taken with headless Chromium.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.tools.screenshot import CHECKOUT, look

MONTH = "2024-01"
SEED = 3
WIDTH, HEIGHT, COLOURS = 1200, 1190, 128


def main(out: Annotated[Path, typer.Option(help="The picture.")] = CHECKOUT / "docs" / "review.png") -> None:
    """Takes the picture."""
    from PIL import Image
    from typer.testing import CliRunner

    from tichu_pipeline.cli import app

    with TemporaryDirectory() as scratch:
        generate(Path(scratch, "raw"), 1, [MONTH], seed=SEED)
        page = Path(scratch, "review.html")
        done = CliRunner().invoke(app, ["review", str(Path(scratch, "raw")), "--out", str(page)])
        if not page.exists():
            raise SystemExit(done.output)
        look(page.as_uri(), f"--screenshot={out}", width=WIDTH, height=HEIGHT)
    with Image.open(out) as opened:
        opened.convert("RGB").quantize(COLOURS).save(out, optimize=True)


if __name__ == "__main__":
    typer.run(main)
