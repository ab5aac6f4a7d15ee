"""`tichu year`: what a player's decisions of a year cost, from stored reviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import DataOption, JsonOption, fail
from tichu_pipeline.review.texts import Language


def year(
    player: Annotated[str, typer.Argument(help="The player's name in the logs.")],
    number: Annotated[
        int | None,
        typer.Option("--year", help="The year.", show_default="the last that was judged", metavar="YYYY"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a page that stands alone, to look at in a browser.", metavar="FILE.html"),
    ] = None,
    lang: Annotated[Language, typer.Option(help="The language of the page.")] = Language.EN,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Tells what a player's decisions of a year cost: by kind, partner and month, beside what other players lose.

    The job `judge` of the web UI has judged them; nothing is judged here.

    Example: tichu year Roe --year 2024 --out roe.html
    """
    from rich.console import Console

    from tichu_models.whole_files import write_whole
    from tichu_pipeline.review.lost import Reviews
    from tichu_pipeline.review.year import YearError, last_year, year_record
    from tichu_pipeline.review.year_page import page
    from tichu_pipeline.review.year_terminal import show_year
    from tichu_pipeline.storage.folders import DataPaths

    reviews = Reviews(DataPaths(data))
    try:
        record = year_record(reviews, player, last_year(reviews, player) if number is None else number)
    except YearError as error:
        fail(str(error))
    if out is not None:
        write_whole(out, page(record, lang))
    if as_json:
        typer.echo(json.dumps(record))
        return
    show_year(record, Console())
    if out is not None:
        typer.echo(f"The page: {out}")
