"""Reads the contents of logs, many at once into one buffer, checked. Nothing is ever unpacked to disk.

`split` cuts the members of a month into chunks, and `inflate` reads a chunk. It releases the interpreter lock while it
reads and inflates, so that threads scale. A damaged member is left out and listed in the chunk's problems.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tichu_pipeline.brettspielwelt.archives.members import LogSource, Members, Problem
from tichu_pipeline.brettspielwelt.archives.zip_members import FINE, HEADER_REST, LOCAL, REASONS, extract

CHUNK_BYTES = 32 << 20  # inflated, or stored if that is more; large enough that the cost of Python is small
CHUNK_GAMES = 2_000
OVERHANG = 32  # line feeds after each log
BUFFER_BYTES = CHUNK_BYTES + CHUNK_GAMES * OVERHANG

_MISSED = np.uint8(255)  # a status besides those of `extract`
_LINE_FEED = 10
_GAP = 1 << 14  # bytes between two members; reading so many is cheaper than skipping them

_READ_AGAIN = "run the command again once the file is no longer being written"
_FETCH_AGAIN = "delete or replace the archive's member, or fetch the archive again"


@dataclass(frozen=True)
class Chunk:
    """Logs in one buffer: the log of `game_ids[i]` is `data[starts[i]:ends[i]]`.

    OVERHANG line feeds follow each log, so that a parser may look ahead without checking for the end. The order is that
    of the members. Logs that could not be read are left out, and `problems` says why.
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    game_ids: npt.NDArray[np.int64]
    problems: tuple[Problem, ...]
    damaged: npt.NDArray[np.int64]  # games whose logs contradict their archive; reading again will not help
    missed: npt.NDArray[np.int64]  # games whose logs could not be read this time: the file was changed, or failed

    def __len__(self) -> int:
        return len(self.game_ids)

    def log(self, index: int) -> bytes:
        """The bytes of one log."""
        return self.data[self.starts[index] : self.ends[index]].tobytes()


def mapped_zeros(length: int, kind: npt.DTypeLike) -> np.ndarray:
    """Zeros in memory mapped from the system. Unlike NumPy's, it costs nothing where it is not written to, and is
    returned to the system when it is freed."""
    kind = np.dtype(kind)
    return np.frombuffer(mmap(-1, max(length * kind.itemsize, 1), MAP_PRIVATE | MAP_ANONYMOUS), kind, length)


def split(members: Members) -> Iterator[Members]:
    """The members in chunks of at most CHUNK_GAMES and CHUNK_BYTES, so that memory stays bounded."""
    largest = np.maximum(members.rows["size"], members.rows["compressed"])
    total = np.cumsum(largest, dtype=np.int64)
    start = 0
    while start < len(members):
        before = total[start] - largest[start]
        fits = int(np.searchsorted(total, before + CHUNK_BYTES, side="right"))
        end = min(max(fits, start + 1), start + CHUNK_GAMES)
        yield members[start:end]
        start = end


def read(members: Members) -> Iterator[Chunk]:
    """All these logs, chunk by chunk. Each chunk overwrites the data of the one before."""
    buffer = np.empty(BUFFER_BYTES, np.uint8)
    for part in split(members):
        yield inflate(part, buffer)


def chunk_of(log: bytes, game_id: int = 0) -> Chunk:
    """A chunk of one log."""
    data = np.frombuffer(bytearray(log) + bytes([_LINE_FEED]) * OVERHANG, np.uint8)
    none = np.zeros(0, np.int64)
    return Chunk(data, np.zeros(1, np.int64), np.array([len(log)]), np.array([game_id]), (), none, none)


def damaged_games(members: Members) -> set[int]:
    """The games whose logs are damaged. Reads all of them."""
    return {game for part in split(members) for game in inflate(part).damaged.tolist()}


def any_readable(members: Members, games: Sequence[int]) -> bool:
    """Whether one of these games' logs can be read."""
    return any(len(inflate(part)) for part in split(members[np.isin(members.game_ids, games)]))


def inflate(members: Members, buffer: npt.NDArray[np.uint8] | None = None) -> Chunk:
    """The logs of one chunk.

    A buffer that is used again saves a fifth of the time, the cost of fresh memory pages. BUFFER_BYTES are enough for
    any chunk of `split`. Threads may call this at the same time, each with its own buffer.
    """
    rows = members.rows
    ends = np.cumsum(rows["size"] + OVERHANG, dtype=np.int64) - OVERHANG
    starts = ends - rows["size"]
    if buffer is None or len(buffer) < members.bytes + len(rows) * OVERHANG:
        buffer = np.empty(members.bytes + len(rows) * OVERHANG, np.uint8)
    buffer[ends[:, None] + np.arange(OVERHANG)] = _LINE_FEED
    status = np.full(len(rows), _MISSED)
    problems: list[Problem] = []
    for number in np.unique(rows["source"]).tolist():
        chosen = np.flatnonzero(rows["source"] == number)
        source = members.sources[number]
        read_source = _read_archive if source.archive else _read_folder
        problems += read_source(members, chosen, source, buffer, starts, status)
    good, missed, games = status == FINE, status == _MISSED, rows["game_id"]
    damaged = games[~good & ~missed]
    return Chunk(buffer, starts[good], ends[good], games[good], tuple(problems), damaged, games[missed])


def _read_archive(
    members: Members,
    chosen: npt.NDArray[np.intp],
    source: LogSource,
    buffer: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    status: npt.NDArray[np.uint8],
) -> Iterator[Problem]:
    """Reads the chosen members of an archive into the buffer, and fills in their status. Yields problems."""
    rows = members.rows
    try:
        with source.path.open("rb", buffering=0) as file:
            if os.fstat(file.fileno()).st_mtime_ns != rows["mtime_ns"][chosen[0]]:
                reason = "it was replaced after it was listed"
                yield Problem("changed", source.label, "", reason, _READ_AGAIN)
                return
            for run, start, length in _runs(rows, chosen):
                block = np.frombuffer(os.pread(file.fileno(), length, start), np.uint8)
                where, names = rows["offset"][run] - start, _names(members, run)
                status[run] = extract(block, where, names, rows[run], buffer, starts[run])
                for index in run[status[run] != FINE].tolist():
                    name, reason = members.member(index), REASONS[status[index]]
                    yield Problem("damaged", source.label, name, reason, _FETCH_AGAIN)
    except OSError as error:
        yield _unreadable(source, "", error)


def _read_folder(
    members: Members,
    chosen: npt.NDArray[np.intp],
    source: LogSource,
    buffer: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    status: npt.NDArray[np.uint8],
) -> Iterator[Problem]:
    """Does the same for files in a folder."""
    for index in chosen.tolist():
        row, name = members.rows[index], members.member(index)
        try:
            content = file_content(source.path / name, int(row["size"]))
        except OSError as error:
            yield _unreadable(source, name, error)
            continue
        if len(content) != row["size"] or zlib.crc32(content) != row["crc"]:
            yield Problem("changed", source.label, name, "it changed after it was listed", _READ_AGAIN)
            continue
        buffer[starts[index] : starts[index] + len(content)] = np.frombuffer(content, np.uint8)
        status[index] = FINE


def _runs(rows: npt.NDArray[np.void], chosen: npt.NDArray[np.intp]) -> Iterator[tuple[npt.NDArray[np.intp], int, int]]:
    """Groups the rows into runs that are read at once; yields each run's rows, start in the file, and length."""
    order = chosen[np.argsort(rows["offset"][chosen], kind="stable")]
    starts = rows["offset"][order]
    ends = starts + rows["compressed"][order] + LOCAL.itemsize
    bounds = np.flatnonzero(starts[1:] > ends[:-1] + _GAP) + 1
    for run in np.split(np.arange(len(order)), bounds):
        start = int(starts[run[0]])
        yield order[run], start, int(ends[run].max()) + HEADER_REST - start


def _names(members: Members, indices: npt.NDArray[np.intp]) -> npt.NDArray[np.bytes_]:
    """The names of members inside their archive."""
    folders = np.array(members.folders, np.bytes_)[members.rows["folder"][indices]]
    return np.strings.add(np.strings.add(folders, members.game_ids[indices].astype("S20")), b".tch")


def file_content(path: Path, limit: int) -> bytes:
    """The content of a regular file, at most one byte more than the limit. OSError for links, pipes and devices."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("it is not a regular file")
        return opened.read(limit + 1)


def _unreadable(source: LogSource, member: str, error: OSError) -> Problem:
    reason = f"it cannot be read ({error.strerror or error})"
    return Problem("unreadable", source.label, member, reason, "make it a readable, regular file again")
