"""What a month's logs are, told by a digest: an unchanged stamp means that nothing needs to be done again.

Reads the directories of the archives only, never a log: reading and checking logs is the work of ingest.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_LOG = re.compile(r"(?:(?P<folder>[0-9]{6})/)?(?P<file>[0-9]+\.tch)")


class Member(NamedTuple):
    """A log as the directory of its archive lists it; the name is `YYYYMM/ID.tch`."""

    name: str
    crc: int
    size: int


@dataclass(frozen=True)
class MonthStamp:
    """The logs of one month: how many, how many bytes when inflated, and the digest that names them all."""

    files: int
    bytes: int
    digest: str


def month_stamp(members: Iterable[Member]) -> MonthStamp:
    """The stamp of these logs. Their order does not matter, nor does a log that lies in two archives."""
    listing = sorted(set(members))
    digest = hashlib.sha256(json.dumps(listing).encode()).hexdigest()
    return MonthStamp(len(listing), sum(member.size for member in listing), digest)


def month_stamps(raw: Path, months: Sequence[str]) -> dict[str, MonthStamp]:
    """The stamp of each month, from `raw/YYYY.zip` and `raw/YYYY/YYYYMM.zip`, each opened once."""
    stamps = {}
    for year in sorted({month[:4] for month in months}):
        logs = _logs_of_year(raw, year)
        for month in months:
            if month.startswith(year):
                stamps[month] = month_stamp(logs.get(month.replace("-", ""), ()))
    return stamps


def _logs_of_year(raw: Path, year: str) -> dict[str, list[Member]]:
    """The logs of a year by YYYYMM."""
    logs: dict[str, list[Member]] = {}
    for archive in (raw / f"{year}.zip", *sorted((raw / year).glob(f"{year}??.zip"))):
        if archive.is_file():
            for member in _members(archive):
                logs.setdefault(member.name[:6], []).append(member)
    return logs


def _members(archive: Path) -> Iterator[Member]:
    """The logs in an archive. Without a folder its month is the one the archive is named for."""
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
    except zipfile.BadZipFile as error:
        message = f"{archive}: expected a zip archive ({error}); fetch it again or move it away"
        raise ValueError(message) from error
    for entry in entries:
        match = _LOG.fullmatch(entry.filename)
        if match is None:
            continue
        folder = match["folder"] or archive.stem
        if len(folder) != len("YYYYMM"):
            raise ValueError(
                f"{archive}: {entry.filename} tells no month; expected YYYYMM/ID.tch in the archive of a year"
            )
        yield Member(f"{folder}/{match['file']}", entry.CRC, entry.file_size)
