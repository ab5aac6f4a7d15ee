"""Where the logs of a generated corpus lie: their months and ids, and the yearly zips that hold them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tichu_models.whole_files import whole_file

GAMES_A_MONTH_ON_THE_PORTAL = 10_800  # so that ids rise with time as on the portal
FIRST_YEAR = 2007


@dataclass(frozen=True)
class Calendar:
    """Games spread evenly over months."""

    months: list[str]
    games: int
    gaps: np.ndarray  # the number of missing ids before each game

    def month(self, game: int) -> str:
        """The month of a game."""
        return self.months[self._place(game)]

    def game_id(self, game: int) -> int:
        """The id of a game. Ids rise with time, with some gaps."""
        month = self._place(game)
        year, number = (int(part) for part in self.months[month].split("-"))
        first = -(-month * self.games // len(self.months))
        fullest = -(-self.games // len(self.months)) + int(self.gaps[-1])
        place = game - first + int(self.gaps[game] - self.gaps[first]) + 1
        return ((year - FIRST_YEAR) * 12 + number - 1) * max(GAMES_A_MONTH_ON_THE_PORTAL, fullest) + place

    def paths(self, out: Path) -> dict[str, Path]:
        """The zip of each year, in a folder."""
        return {year: out / f"{year}.zip" for year in sorted({month[:4] for month in self.months})}

    def _place(self, game: int) -> int:
        return game * len(self.months) // self.games


@contextmanager
def yearly_zip(path: Path) -> Iterator[Callable[[str, int, bytes], None]]:
    """Yields a function that adds a month's game to a yearly zip. Each month gets an index page at the end."""
    listed: dict[str, list[int]] = {}
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:

        def store(month: str, name: str, content: bytes) -> None:
            year, number = month.split("-")
            entry = zipfile.ZipInfo(f"{year}{number}/{name}", date_time=(int(year), int(number), 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)

        def add(month: str, game_id: int, content: bytes) -> None:
            listed.setdefault(month, []).append(game_id)
            store(month, f"{game_id}.tch", content)

        yield add
        for month, games in listed.items():
            links = "".join(f'<a href="{game_id}.tch">{game_id}.tch</a><br>\n' for game_id in games)
            store(month, "index.html", f"<html><body>\n{links}</body></html>\n".encode())
