"""The catalogue of a raw folder: its logs by month, each game once.

It finds the months of logs whose folder and archive do not name one, keeps the latest log of each game, and gives each
month a stamp. `scan` lists the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tichu_pipeline.brettspielwelt.archives.members import Members, Problem, problems_of

_NO_MONTH = "it lies in no folder YYYYMM, its archive is not named YYYYMM.zip, and no index page lists it"
_GIVE_MONTH = "put it into a folder named for its month, or add the month's page as 202403/index.html"


@dataclass(frozen=True)
class Catalogue:
    """All logs below a raw folder by month, each game once, and the problems found while listing them."""

    members: Members  # sorted by month, then game id
    problems: tuple[Problem, ...]

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def _spans(self) -> dict[str, slice]:
        """The rows of each month."""
        months, starts = np.unique(self.members.rows["month"], return_index=True)
        ends = np.append(starts, len(self.members))[1:]
        return {
            f"{month // 100:04d}-{month % 100:02d}": slice(start, end)
            for month, start, end in zip(months.tolist(), starts.tolist(), ends.tolist(), strict=True)
        }

    @property
    def months(self) -> tuple[str, ...]:
        """The months that have logs, as 2024-03, in order of time."""
        return tuple(self._spans)

    def month(self, month: str) -> Members:
        """The logs of a month, sorted by game id; none if the month has no logs."""
        return self.members[self._spans.get(month, slice(0, 0))]

    def stamp(self, month: str) -> str:
        """Digest of the month's logs: their ids, checksums and sizes. It leaves out which archive holds them, so that
        a month moved from a yearly into a monthly archive keeps its stamp."""
        rows = self.month(month).rows
        digest = hashlib.sha256(f"{month} {len(rows)}\n".encode())
        for column, kind in (("game_id", "<i8"), ("crc", "<u4"), ("size", "<u4")):
            digest.update(rows[column].astype(kind).tobytes())
        return digest.hexdigest()


def build_catalogue(members: Members, pages: Iterable[tuple[int, Iterable[int]]], problems: list[Problem]) -> Catalogue:
    """The catalogue of these logs. `pages` (the month and the games of each index page) is read only if the path of
    some log names no month. Problems are appended to `problems`."""
    members = _with_months(members, pages, problems)
    members = _each_game_once(members, problems)
    rows = members.rows
    month, game = rows["month"], rows["game_id"]
    in_order = (month[1:] > month[:-1]) | ((month[1:] == month[:-1]) & (game[1:] > game[:-1]))
    if not np.all(in_order):
        members = _chosen(members, np.lexsort((game, month)))
    return Catalogue(members, tuple(problems))


def _with_months(members: Members, pages: Iterable[tuple[int, Iterable[int]]], problems: list[Problem]) -> Members:
    """Fills in unknown months from other logs of the same game and from index pages. Drops logs of no month."""
    rows = members.rows
    unknown = rows["month"] == 0
    if not np.any(unknown):
        return members
    games, months = [rows["game_id"][~unknown]], [rows["month"][~unknown]]
    for month, listed in pages:
        games.append(np.array(sorted(listed), np.int64))
        months.append(np.full(len(games[-1]), month, np.int32))
    known, month_of = np.concatenate(games), np.concatenate(months)
    order = np.lexsort((month_of, known))
    known, month_of = known[order], month_of[order]
    lost = rows["game_id"][unknown]
    where = np.searchsorted(known, lost)
    hit = np.zeros(len(lost), bool)
    inside = where < len(known)
    hit[inside] = known[where[inside]] == lost[inside]
    rows = rows.copy()
    months_found = np.zeros(len(lost), np.int32)
    months_found[hit] = month_of[where[hit]]
    rows["month"][unknown] = months_found
    members = Members(rows, members.sources, members.folders)
    for source, indices in _by_source(members, np.flatnonzero(rows["month"] == 0)):
        names = [members.member(index) for index in indices]
        problems += problems_of("month unknown", source, names, _NO_MONTH, _GIVE_MONTH)
    return _chosen(members, np.flatnonzero(rows["month"] != 0))


def _each_game_once(members: Members, problems: list[Problem]) -> Members:
    """Keeps one log of each game: the latest by the file's time, then by its name."""
    rows = members.rows
    games = np.sort(rows["game_id"])
    if np.all(games[1:] != games[:-1]):
        return members
    labels = np.array([source.label for source in members.sources], str)
    rank = np.argsort(np.argsort(labels, kind="stable"))
    order = np.lexsort((rank[rows["source"]], rows["mtime_ns"], rows["game_id"]))
    games = rows["game_id"][order]
    last = np.append(games[1:] != games[:-1], True)
    winner_at = order[np.flatnonzero(last)]
    beaten = order[~last]
    winner = winner_at[np.searchsorted(games[last], rows["game_id"][beaten])]
    same = np.all([rows[field][beaten] == rows[field][winner] for field in ("crc", "size", "month")], axis=0)
    by = dict(zip(beaten[~same].tolist(), winner[~same].tolist(), strict=True))
    for source, indices in _by_source(members, np.sort(beaten[~same])):
        later = members.file(by[indices[0]])
        problems += problems_of(
            "superseded",
            source,
            [members.member(index) for index in indices],
            f"another log of this game, or one in another month, is later and is used instead (see {later})",
            "delete the one that is wrong",
        )
    return _chosen(members, np.sort(winner_at))


def _by_source(members: Members, indices: npt.NDArray[np.intp]) -> Iterable[tuple[str, list[int]]]:
    """The label of each source among these rows, and its rows."""
    sources = members.rows["source"][indices]
    for source in np.unique(sources).tolist():
        yield members.sources[source].label, indices[sources == source].tolist()


def _chosen(members: Members, indices: npt.NDArray[np.intp]) -> Members:
    return Members(members.rows[indices], members.sources, members.folders)
