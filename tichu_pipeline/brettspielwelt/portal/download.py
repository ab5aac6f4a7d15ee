"""Downloads months of game logs from the portal into OUT/YYYY/YYYYMM.zip.

It fetches a month's index page, then each listed game that is missing or damaged below OUT. A game that fails is
reported, and fetched by the next run. A month that fails does not stop the others. `connection` sends the requests,
`month_archive` stores the games.
"""

from __future__ import annotations

import os
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from tichu_pipeline.brettspielwelt.archives.index_pages import listed_games
from tichu_pipeline.brettspielwelt.archives.inflate import damaged_games
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.portal.connection import PORTAL, Answer, Portal, PortalError
from tichu_pipeline.brettspielwelt.portal.month_archive import MonthArchive
from tichu_pipeline.brettspielwelt.portal.progress import DownloadProgress
from tichu_pipeline.storage.months import parse_months
from tichu_pipeline.storage.os_errors import TransientError

_GIVE_UP = 10  # games in a row without an answer, after which the month is left for the next run
_ABSENT = {404, 410}  # statuses of pages that do not exist
_ROUND_MARK = b"----------"  # part of every header line of a log
# The header of an answer that says how old an index page is -> the header of a request for a newer one only.
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


@dataclass(frozen=True)
class Failure:
    """A game that could not be fetched. If game_id is None, a month that could not be finished."""

    month: str
    game_id: int | None
    reason: str
    absent: bool = False  # the portal answers, but does not have the month (yet)

    def __str__(self) -> str:
        return f"{self.month}{f', game {self.game_id}' if self.game_id else ''}: {self.reason}"


@dataclass(frozen=True)
class DownloadSummary:
    """The result of a download."""

    months: int
    listed: int  # games on the index pages
    present: int  # of these, already on disk
    fetched: int
    bytes: int  # of the fetched logs, uncompressed
    failed: tuple[Failure, ...]
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether everything listed is on disk. If not, another run fetches the rest."""
        return not self.failed


class NoSuchMonthError(PortalError):
    """The portal answers, but has no index page of the month."""


class PortalDownError(TransientError):
    """The portal lists games that could not be fetched."""


@dataclass
class _Tally:
    """The counts of a DownloadSummary, while the download runs."""

    listed: int = 0
    present: int = 0
    fetched: int = 0
    bytes: int = 0
    failed: list[Failure] = field(default_factory=list)


def download(
    first: str,
    last: str,
    out: Path,
    base_url: str | None = None,  # else the environment's TICHU_PORTAL, else the real portal
    rate: float = 5.0,  # requests a second
    timeout: float = 30.0,  # seconds without a byte
    attempts: int = 5,  # for each page
    backoff: float = 1.0,  # seconds before the second attempt, doubled for each further one
    progress: DownloadProgress | None = None,
) -> DownloadSummary:
    """Fetches the months first..last, written as 2025-01. It may be interrupted at any time and run again. On Ctrl-C
    it first puts the games fetched so far into their archive."""
    began = time.monotonic()
    months = parse_months(f"{first}..{last}")
    address = base_url or os.environ.get("TICHU_PORTAL") or PORTAL
    portal = Portal(address, rate, timeout, attempts, backoff)
    out.mkdir(parents=True, exist_ok=True)
    tally = _Tally()
    try:
        with FileLock(out / ".download.lock", timeout=0), progress or DownloadProgress() as shown:
            catalogue = scan(out)
            for month in months:
                on_disk = np.setdiff1d(catalogue.members.game_ids, list(damaged_games(catalogue.month(month))))
                _download_month(portal, MonthArchive(out, month), on_disk, tally, shown)
    except Timeout as error:
        raise BlockingIOError(f"{out}: another download is at work here; wait for its end") from error
    return DownloadSummary(
        len(months),
        tally.listed,
        tally.present,
        tally.fetched,
        tally.bytes,
        tuple(tally.failed),
        time.monotonic() - began,
    )


def _download_month(
    portal: Portal, archive: MonthArchive, on_disk: npt.NDArray[np.int64], tally: _Tally, shown: DownloadProgress
) -> None:
    """Fetches one month. Any error becomes a failure of the month; only an interrupt is passed on."""
    listed, present, fetched, failed = tally.listed, tally.present, tally.fetched, len(tally.failed)
    try:
        archive.check()
        try:
            games = np.array(listed_games(_index_page(portal, archive)), np.int64)
            waiting = np.array(sorted(archive.waiting()), np.int64)
            missing = games[~np.isin(games, on_disk) & ~np.isin(games, waiting)].tolist()
            tally.listed += len(games)
            tally.present += len(games) - len(missing)
            shown.begin(archive.month, len(games), len(games) - len(missing))
            _fetch_games(portal, archive, missing, tally, shown)
        finally:
            archive.fold()
    except (PortalError, OSError, zipfile.BadZipFile) as error:
        tally.failed.append(Failure(archive.month, None, str(error), isinstance(error, NoSuchMonthError)))
        shown.say(str(tally.failed[-1]))
    shown.say(
        f"{archive.month}: {tally.listed - listed:,} games listed, {tally.present - present:,} here before, "
        f"{tally.fetched - fetched:,} fetched, {len(tally.failed) - failed:,} failures"
    )


def _index_page(portal: Portal, archive: MonthArchive) -> bytes:
    """The month's index page; the stored one if the portal says that it has not changed."""
    page, validators = archive.page() or (None, {})
    conditions = {}
    if page is not None and validators.get("url") == portal.base_url:
        conditions = {_CONDITIONS[name]: validators[name] for name in _CONDITIONS if name in validators}
    answer = portal.get(archive.name, conditions)
    if answer.status == 304 and page is not None:
        return page
    if answer.status != 200:
        reason = f"HTTP {answer.status} instead of its index page; does the portal have the month?"
        raise (NoSuchMonthError if answer.status in _ABSENT else PortalError)(reason)
    if not listed_games(answer.body):
        raise NoSuchMonthError("its index page lists no games; does the portal have the month?")
    new_validators = {name: answer.headers[name] for name in _CONDITIONS if name in answer.headers}
    new_validators["url"] = portal.base_url
    if (page, validators) != (answer.body, new_validators):
        archive.store_page(answer.body, new_validators)
    return answer.body


def _fetch_games(
    portal: Portal, archive: MonthArchive, games: list[int], tally: _Tally, shown: DownloadProgress
) -> None:
    """Fetches these games. Raises PortalError after _GIVE_UP games in a row without an answer."""
    silent = 0
    for game_id in games:
        shown.advance()
        try:
            answer = portal.get(f"{game_id}.tch")
        except PortalError as error:
            tally.failed.append(Failure(archive.month, game_id, str(error)))
            silent += 1
            if silent == _GIVE_UP:
                raise PortalError(f"{silent} games in a row without an answer; try again later") from error
            continue
        silent = 0
        if reason := _no_log(answer):
            tally.failed.append(Failure(archive.month, game_id, reason))
            continue
        archive.store_game(game_id, answer.body)
        tally.fetched += 1
        tally.bytes += len(answer.body)


def _no_log(answer: Answer) -> str:
    """Why an answer is not the log of a game; empty if it is one. Empty logs are real: 0.6% of the portal's are."""
    start = answer.body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if answer.status != 200:
        return f"HTTP {answer.status}"
    if start.startswith(b"<"):
        return "an HTML page instead of a log"
    if not start and not answer.measured:
        return "an empty answer that may have been cut off"
    if start and _ROUND_MARK not in answer.body:
        return "something else instead of a log"
    return ""
