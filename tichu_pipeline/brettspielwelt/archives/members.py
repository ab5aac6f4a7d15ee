"""The location of each log, one row a log, and the problems of files that are left out.

Plain data that threads and processes may share. `scan` fills it in, `catalogue` sorts it by month, and `inflate` reads
the logs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

SIZE_LIMIT = 4 << 20  # bytes of one log; a real one has about 20,000

# `source` and `folder` are indices into `Members`. A file on disk has offset 0, and is stored.
MEMBER = np.dtype(
    [
        ("game_id", np.int64),
        ("offset", np.int64),  # of the local header in the archive
        ("mtime_ns", np.int64),  # of the archive, or of a loose log itself
        ("month", np.int32),  # YYYYMM, 0 while unknown
        ("source", np.int32),
        ("folder", np.int32),
        ("crc", np.uint32),
        ("compressed", np.uint32),
        ("size", np.uint32),
        ("method", np.uint16),
    ],
    align=True,
)


Kind = Literal[
    "unreadable",  # an archive or folder, or a loose log
    "unsafe name",  # absolute, or with ..
    "special file",  # a link, pipe or device
    "not a log",  # a .tch whose name is no game id
    "encrypted",
    "unsupported",  # neither stored nor deflated
    "too large",
    "damaged",  # contradicts the archive's directory, or the directory contradicts itself
    "month unknown",
    "superseded",  # a later, different log of the same game exists
    "changed",  # since it was listed
]


@dataclass(frozen=True)
class Problem:
    """Something in the raw folder that is left out or superseded."""

    kind: Kind
    file: str  # the archive or folder, relative to the raw folder
    member: str  # the log in it; empty if the problem is the whole file's
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}{': ' * bool(self.member)}{self.member}: {self.reason}; {self.remedy}"


@dataclass(frozen=True)
class LogSource:
    """An archive, or a folder that holds logs itself."""

    path: Path
    label: str  # the path relative to the raw folder, for messages and tables
    archive: bool


NAMED = 100  # problems of one kind in one file that are listed by name; a broken archive may have a million


# Control characters in file names could control the terminal that shows a message.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], "\ufffd")


def printable(name: str | bytes) -> str:
    """A name from a folder, an archive or a log, safe to print and to store, whatever its bytes."""
    return os.fsencode(name).decode(errors="replace").translate(_CONTROLS)


def problems_of(kind: Kind, file: str, members: Sequence[str], reason: str, remedy: str) -> list[Problem]:
    """One problem of many members: the first NAMED each by name, the rest as a count."""
    listed = [Problem(kind, file, member, reason, remedy) for member in members[:NAMED]]
    if len(members) > NAMED:
        listed.append(Problem(kind, file, f"({len(members) - NAMED} more)", reason, remedy))
    return listed


@dataclass(frozen=True)
class Members:
    """Rows of MEMBER, with the sources and folders that they refer to. A slice is a view and can be used alone."""

    rows: npt.NDArray[np.void]
    sources: tuple[LogSource, ...]
    folders: tuple[bytes, ...]  # paths inside archives: empty, or with a slash at the end

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | npt.NDArray[np.bool_]) -> Members:
        return Members(self.rows[part], self.sources, self.folders)

    @property
    def game_ids(self) -> npt.NDArray[np.int64]:
        return self.rows["game_id"]

    @property
    def bytes(self) -> int:
        """The size of all these logs, inflated."""
        return int(self.rows["size"].sum(dtype=np.int64))

    def file(self, index: int) -> str:
        """The archive or folder that holds the log, relative to the raw folder."""
        return self.sources[self.rows["source"][index]].label

    def member(self, index: int) -> str:
        """The log's name inside that archive or folder."""
        row = self.rows[index]
        return f"{printable(self.folders[row['folder']])}{row['game_id']}.tch"
