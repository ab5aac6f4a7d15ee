"""The page of a player's year, and the pages that the stage `reviews` makes of its declared players.

Like the page of a review it is one file that asks for nothing. All that it says comes from the record of `year`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.html.inlined import standalone
from tichu_pipeline.review.lost import Reviews
from tichu_pipeline.review.page import inert
from tichu_pipeline.review.texts import Language, texts_in
from tichu_pipeline.review.year import YearError, year_record
from tichu_pipeline.storage.folders import DataPaths

DATA = "year-data"  # the element that the script reads
LONGEST = 40  # characters of a name in the name of a file

Record = dict[str, Any]


def write_years(paths: DataPaths, players: Iterable[str], months: Iterable[str], lang: Language) -> list[Path]:
    """Writes a page for each of the players and each year of the months, if decisions have been judged in it."""
    reviews = Reviews(paths)
    written: list[Path] = []
    for year in sorted({int(month[:4]) for month in months}):
        for player in players:
            try:
                record = year_record(reviews, player, year)
            except YearError:
                continue  # who did not sit in any of the games
            written.append(page_path(paths, player, year))
            write_whole(written[-1], page(record, lang))
    return written


def page_path(paths: DataPaths, player: str, year: int) -> Path:
    """The file of a page. Names are anything; those that are no good for a file get a number in addition."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", player)[:LONGEST]
    number = "" if plain == player else f"-{zlib.crc32(player.encode()):08x}"
    return paths.reports / "years" / f"{year}-{plain}{number}.html"


def page(record: Record, lang: Language) -> str:
    """The page of a year as HTML."""
    texts = texts_in(lang)
    data = {DATA: {"texts": texts, "year": page_data(record)}}
    title = f"{inert(record['player'])}: {record['year']}"
    return standalone(title, lang.value, "year", ["review.css"], data, without=texts["noscript"])


def page_data(record: Record) -> Record:
    """The record with names in which no character does anything."""
    partners = [
        {**each, "partner": each["partner"] if each["partner"] is None else inert(each["partner"])}
        for each in record["by_partner"]
    ]
    costliest = [
        {**each, "partner": inert(each["partner"]), "players": [inert(name) for name in each["players"]]}
        for each in record["costliest"]
    ]
    own = {"player": inert(record["player"]), "by_partner": partners, "costliest": costliest}
    return {**record, **own}
