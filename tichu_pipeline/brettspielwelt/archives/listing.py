"""Lists the logs in zip archives from their directories, and collects what a walk through the raw folder finds.

A member that is unsafe, too large or not a log is left out and reported as a problem. `scan` walks through the folder.
Contents are not read, except for index pages on demand.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tichu_pipeline.brettspielwelt.archives.index_pages import INDEX, PAGE_LIMIT, listed_games
from tichu_pipeline.brettspielwelt.archives.inflate import file_content
from tichu_pipeline.brettspielwelt.archives.members import MEMBER, Kind, LogSource, Problem, printable, problems_of
from tichu_pipeline.brettspielwelt.archives.zip_directory import (
    DEFLATED,
    ENCRYPTED,
    STORED,
    DamagedZip,
    Entries,
    read_entries,
)
from tichu_pipeline.brettspielwelt.archives.zip_members import DamagedMember, archive_entry

MAC_FOLDER = "__MACOSX"  # the folder of resource forks in zips made by macOS
_ID_DIGITS = 18  # an id stays below 2**63
GAME_FILE = re.compile(rf"([1-9][0-9]{{0,{_ID_DIGITS - 1}}})\.tch")

_MONTH = re.compile(r"20[0-9]{2}(?:0[1-9]|1[0-2])")
_STORED_MORE = 1 << 10  # bytes that deflate may add to a log that does not shrink

OTHER_ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zst")

NOT_A_LOG = ("its name is no game id", "name it ID.tch, the id in plain digits as the portal has it")
UNSAFE = ("its name leads out of the archive, is far too long, or is none", "pack the archive anew with plain names")
_ENCRYPTED = ("it is encrypted", "pack the archive without a password")
_UNSUPPORTED = ("it is compressed in another way than deflate", "pack the archive with deflate")
_CONTRADICTORY = ("its sizes and offset in the directory contradict each other", "fetch the archive again")
_NESTED = ("it is an archive in an archive, which is not opened", "unpack it beside the other archives")
SPECIAL = ("it is a link, pipe or device", "put the file itself there; what a link points to is not followed")


def too_large(limit: int) -> tuple[str, str]:
    """Reason and remedy for a log above the limit of bytes."""
    return f"it has more than {limit:,} bytes, far more than a log", "delete it, or fetch it again"


def month_of(names: list[str]) -> int:
    """YYYYMM from the last name that is a month; 0 if none is."""
    return next((int(name) for name in reversed(names) if _MONTH.fullmatch(name)), 0)


@dataclass(frozen=True)
class IndexPage:
    """A month's index page that has not been read yet: a file, or a member of an archive."""

    month: int
    source: LogSource
    name: bytes
    row: npt.NDArray[np.void] | None  # a MEMBER; None for a file


@dataclass
class Listing:
    """The logs, index pages and problems found so far."""

    limit: int  # bytes of the largest log allowed
    sources: list[LogSource] = field(default_factory=list)
    folders: dict[bytes, int] = field(default_factory=lambda: {b"": 0})  # name inside an archive -> number
    rows: bytearray = field(default_factory=bytearray)  # MEMBERs as bytes, which grow in place as no array does
    pages: list[IndexPage] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, kind: Kind, file: str, member: str, reason: str, remedy: str) -> None:
        self.problems.append(Problem(kind, file, member, reason, remedy))

    def unreadable(self, file: str, member: str, error: OSError) -> None:
        reason = f"it cannot be read ({error.strerror or error})"
        self.problem("unreadable", file, member, reason, "see that it is a regular file you may read")


def list_archive(listing: Listing, path: Path, label: str) -> None:
    """Adds the logs of a zip archive."""
    source = LogSource(path, label, archive=True)
    number = len(listing.sources)
    listing.sources.append(source)
    try:
        with path.open("rb") as file:
            mtime_ns = os.fstat(file.fileno()).st_mtime_ns
            for entries in read_entries(file):
                rows = _rows(listing, source, entries)
                rows["source"] = number
                rows["mtime_ns"] = mtime_ns
                listing.rows += rows.tobytes()
    except OSError as error:
        listing.unreadable(label, "", error)
    except DamagedZip as error:
        listing.problem("unreadable", label, "", str(error), "fetch it again, or repair it with zip -FF")


def _rows(listing: Listing, source: LogSource, entries: Entries) -> npt.NDArray[np.void]:
    """The rows of a block's logs. Each check runs over all members at once."""
    names = entries.names
    unsafe = _unsafe(entries)
    heads, slashes, tails = np.strings.rpartition(names, b"/")
    hidden = np.strings.startswith(tails, b".") | (np.strings.find(heads, MAC_FOLDER.encode()) >= 0)
    ignored = unsafe | hidden
    for index in np.flatnonzero((tails == INDEX.encode()) & ~ignored).tolist():
        _note_page(listing, source, entries, index)
    logs = np.strings.endswith(np.strings.lower(tails), b".tch") & ~ignored
    nested = np.zeros(len(names), dtype=bool)
    for suffix in (".zip", *OTHER_ARCHIVES):
        nested |= np.strings.endswith(np.strings.lower(tails), suffix.encode())
    _report(listing, source, names[nested & ~ignored], "unreadable", *_NESTED)
    stems = np.strings.slice(tails, None, -4)
    numbered = np.strings.isdigit(stems) & (np.strings.str_len(stems) <= _ID_DIGITS)
    numbered &= ~np.strings.startswith(stems, b"0") & np.strings.endswith(tails, b".tch")
    kind = entries.modes & 0o170000
    sizes, compressed = entries.sizes, entries.compressed
    stored = entries.methods == STORED
    known = stored | (entries.methods == DEFLATED)
    wrong = (sizes < 0) | (compressed < 0) | (entries.offsets < 0) | (stored & (sizes != compressed))
    large = (sizes > listing.limit) | (compressed > listing.limit + _STORED_MORE)
    checks: list[tuple[Kind, npt.NDArray[np.bool_], str, str]] = [
        ("not a log", ~numbered, *NOT_A_LOG),
        ("special file", (kind != 0) & (kind != stat.S_IFREG), *SPECIAL),
        ("encrypted", entries.flags & ENCRYPTED != 0, *_ENCRYPTED),
        ("unsupported", ~known, *_UNSUPPORTED),
        ("damaged", wrong, *_CONTRADICTORY),
        ("too large", large, *too_large(listing.limit)),
    ]
    _report(listing, source, names[unsafe], "unsafe name", *UNSAFE)
    for name, failed, reason, remedy in checks:
        _report(listing, source, names[logs & failed], name, reason, remedy)
        logs &= ~failed
    rows = _fields(entries, logs)
    rows["game_id"] = stems[logs].astype(np.int64)
    rows["folder"], rows["month"] = _folders(listing, source, np.strings.add(heads, slashes)[logs])
    return rows


def _fields(entries: Entries, chosen: npt.NDArray[np.bool_] | list[int]) -> npt.NDArray[np.void]:
    """Rows of MEMBER with the fields that are in the directory."""
    rows = np.zeros(len(entries.names[chosen]), MEMBER)
    for column, values in (
        ("offset", entries.offsets),
        ("crc", entries.crcs),
        ("compressed", entries.compressed),
        ("size", entries.sizes),
        ("method", entries.methods),
    ):
        rows[column] = values[chosen]
    return rows


def _unsafe(entries: Entries) -> npt.NDArray[np.bool_]:
    """Which names are absolute, contain `..`, or were cut (by a NUL, or for their length). Only suspicious ones are
    checked one by one."""
    names = entries.names
    unsafe = np.strings.str_len(names) != entries.name_lengths
    odd = np.strings.startswith(names, b"/") | (np.strings.find(names, b"..") >= 0)
    odd |= (np.strings.find(names, b"\\") >= 0) | (np.strings.find(names, b":") >= 0)
    for index in np.flatnonzero(odd).tolist():
        parts = names[index].replace(b"\\", b"/").split(b"/")
        unsafe[index] |= b".." in parts or b"" in parts[:1] or b":" in parts[0] or b"\\" in names[index]
    return unsafe


def _folders(
    listing: Listing, source: LogSource, folders: npt.NDArray[np.bytes_]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The number and the month of each folder."""
    names, which = np.unique(folders, return_inverse=True)
    numbers = [listing.folders.setdefault(name, len(listing.folders)) for name in names.tolist()]
    months = [_month_inside(source, name) for name in names.tolist()]
    return np.array(numbers, np.int32)[which], np.array(months, np.int32)[which]


def _month_inside(source: LogSource, name: bytes) -> int:
    """The month of a folder or member of an archive: from its own path, else from the archive's name."""
    return month_of([source.path.stem, *name.decode(errors="replace").split("/")])


def _note_page(listing: Listing, source: LogSource, entries: Entries, index: int) -> None:
    """Adds an index page, if its month is known and it can be read."""
    name = bytes(entries.names[index])
    month = _month_inside(source, name)
    large = max(entries.sizes[index], entries.compressed[index]) > PAGE_LIMIT
    missing = min(entries.offsets[index], entries.sizes[index], entries.compressed[index]) < 0
    if month and not large and not missing:
        listing.pages.append(IndexPage(month, source, name, _fields(entries, [index])))


def _report(
    listing: Listing, source: LogSource, names: npt.NDArray[np.bytes_], kind: Kind, reason: str, remedy: str
) -> None:
    """Adds the same problem of many members."""
    if len(names):
        members = [printable(name) for name in names.tolist()]
        listing.problems += problems_of(kind, source.label, members, reason, remedy)


def read_pages(listing: Listing) -> Iterator[tuple[int, list[int]]]:
    """Reads the index pages; yields each one's month and games. A broken page is reported as a problem."""
    for page in listing.pages:
        name = page.name.decode(errors="replace")
        try:
            if page.row is None:
                content = file_content(page.source.path / name, PAGE_LIMIT)
            else:
                content = archive_entry(page.source.path, page.name, page.row, PAGE_LIMIT)
        except OSError as error:
            listing.unreadable(page.source.label, name, error)
        except DamagedMember as error:
            listing.problem("damaged", page.source.label, name, str(error), "fetch the page again")
        else:
            yield page.month, listed_games(content)
