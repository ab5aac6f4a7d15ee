"""Months of game logs from the portal into OUT/YYYY/YYYYMM.zip: what is listed there and not yet here.

Asks for a month's index page, then for each game on it that no archive or folder below OUT holds undamaged. A
game that the portal does not give is told and asked for again by the next run; a month that fails does not stop
the others. How requests are sent is `portal`'s business, how games are kept `month_archive`'s.
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

_GIVE_UP = 10  # games in a row without an answer: the portal is down, and the month is left for the next run
_ABSENT = {404, 410}  # statuses that say that there is no such page
_ROUND_MARK = b"----------"  # part of every header line of a log
# What the portal says of an index page's age -> how it is asked whether the page is newer.
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


@dataclass(frozen=True)
class Failure:
    """A game that could not be fetched, or with game_id None a month that could not be finished."""

    month: str
    game_id: int | None
    reason: str
    absent: bool = False  # the portal answers, and has no such month (yet)

    def __str__(self) -> str:
        return f"{self.month}{f', game {self.game_id}' if self.game_id else ''}: {self.reason}"


@dataclass(frozen=True)
class DownloadSummary:
    """What a download did."""

    months: int
    listed: int  # games on the index pages
    present: int  # of these, here already
    fetched: int
    bytes: int  # of the fetched logs, not compressed
    failed: tuple[Failure, ...]
    seconds: float

    @property
    def complete(self) -> bool:
        """Everything listed is here. If not, the same command tries what is missing again."""
        return not self.failed


class NoSuchMonthError(PortalError):
    """The portal answers, and not with an index page of the month."""


class PortalDownError(TransientError):
    """The portal did not give what it lists."""


@dataclass
class _Tally:
    """Counts as in Summary, while they grow."""

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
    attempts: int = 5,  # at each page
    backoff: float = 1.0,  # seconds before the second attempt, doubled each time
    progress: DownloadProgress | None = None,
) -> DownloadSummary:
    """Fetches the months first..last, written 2025-01. May be interrupted at any time and run again;
    Ctrl-C is passed on after the games fetched so far are in their archive."""
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
                here = np.setdiff1d(catalogue.members.game_ids, list(damaged_games(catalogue.month(month))))
                _download_month(portal, MonthArchive(out, month), here, tally, shown)
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
    portal: Portal, archive: MonthArchive, here: npt.NDArray[np.int64], tally: _Tally, shown: DownloadProgress
) -> None:
    """Whatever goes wrong here is told as the month's failure; only an interrupt is passed on."""
    listed, present, fetched, failed = tally.listed, tally.present, tally.fetched, len(tally.failed)
    try:
        archive.check()
        try:
            games = np.array(listed_games(_index_page(portal, archive)), np.int64)
            waiting = np.array(sorted(archive.waiting()), np.int64)
            wanted = games[~np.isin(games, here) & ~np.isin(games, waiting)].tolist()
            tally.listed += len(games)
            tally.present += len(games) - len(wanted)
            shown.begin(archive.month, len(games), len(games) - len(wanted))
            _fetch_games(portal, archive, wanted, tally, shown)
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
    """The month's index page: the stored one if the portal says that it is still the same."""
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
    told = {name: answer.headers[name] for name in _CONDITIONS if name in answer.headers}
    told["url"] = portal.base_url
    if (page, validators) != (answer.body, told):
        archive.store_page(answer.body, told)
    return answer.body


def _fetch_games(
    portal: Portal, archive: MonthArchive, wanted: list[int], tally: _Tally, shown: DownloadProgress
) -> None:
    silent = 0
    for game_id in wanted:
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
    """Why an answer is no game's log; nothing if it is one. Empty logs are real: 0.6% of the portal's are."""
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
