"""Where each log lies: one row a log, the archive or folder that holds it, and what was wrong with others.

Plain data that every thread and process may share. `archives` fills it in, `catalogue` sorts it by month,
`inflate` reads what it lists.
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

# `folder` points into `Members.folders`; a file on disk has offset 0 and is as large stored as inflated.
MEMBER = np.dtype(
    [
        ("game_id", np.int64),
        ("offset", np.int64),  # of the local header in the archive
        ("mtime_ns", np.int64),  # of the file: the archive, or the log itself
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
    "unsafe name",  # absolute, or climbing with ..
    "special file",  # a link, pipe or device: never followed
    "not a log",  # a .tch whose name is no game id
    "encrypted",
    "unsupported",  # neither stored nor deflated
    "too large",
    "damaged",  # not what the archive's directory says, or a directory that contradicts itself
    "month unknown",
    "superseded",  # the same game lies elsewhere, later and different
    "changed",  # since it was listed
]


@dataclass(frozen=True)
class Problem:
    """Something in the raw folder that is left out, or that replaced something else."""

    kind: Kind
    file: str  # archive or folder, relative to the raw folder
    member: str  # the log in it; empty when the whole file is meant
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}{': ' * bool(self.member)}{self.member}: {self.reason}; {self.remedy}"


@dataclass(frozen=True)
class LogSource:
    """An archive, or a folder that holds logs itself."""

    path: Path
    label: str  # the path relative to the raw folder, as messages and tables print it
    archive: bool


NAMED = 100  # problems of one kind in one file that are told by name; a broken archive may have a million


# Control characters of file names, which could rule the terminal of whoever reads a message.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], "\ufffd")


def printable(name: str | bytes) -> str:
    """A name from a folder, an archive or a log as it may be printed and stored, whatever its bytes."""
    return os.fsencode(name).decode(errors="replace").translate(_CONTROLS)


def problems_of(kind: Kind, file: str, members: Sequence[str], reason: str, remedy: str) -> list[Problem]:
    """The same problem of many members: the first hundred each by its name, the others by their number."""
    listed = [Problem(kind, file, member, reason, remedy) for member in members[:NAMED]]
    if len(members) > NAMED:
        listed.append(Problem(kind, file, f"({len(members) - NAMED} more)", reason, remedy))
    return listed


@dataclass(frozen=True)
class Members:
    """Rows of MEMBER and what they point to. A slice of it is as good as the whole, and as cheap as a
    view."""

    rows: npt.NDArray[np.void]
    sources: tuple[LogSource, ...]
    folders: tuple[bytes, ...]  # of the member names inside archives: empty, or with a slash at the end

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | npt.NDArray[np.bool_]) -> Members:
        return Members(self.rows[part], self.sources, self.folders)

    @property
    def game_ids(self) -> npt.NDArray[np.int64]:
        return self.rows["game_id"]

    @property
    def bytes(self) -> int:
        """Bytes of all these logs, inflated."""
        return int(self.rows["size"].sum(dtype=np.int64))

    def file(self, index: int) -> str:
        """The archive or folder that holds the log, relative to the raw folder."""
        return self.sources[self.rows["source"][index]].label

    def member(self, index: int) -> str:
        """The log's name inside that archive or folder."""
        row = self.rows[index]
        return f"{printable(self.folders[row['folder']])}{row['game_id']}.tch"
