"""Extracts members from a block of a zip archive, and checks their local headers against the directory.

It works on arrays of many members. `inflate` reads the block, `zip_directory` the directory, and `deflated` inflates.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from tichu_pipeline.brettspielwelt.archives.zip_directory import ENCRYPTED, STORED

LOCAL = np.dtype(
    [
        ("signature", "<u4"),
        ("needed", "<u2"),
        ("flags", "<u2"),
        ("method", "<u2"),
        ("time", "<u4"),
        ("crc", "<u4"),
        ("compressed", "<u4"),
        ("size", "<u4"),
        ("name_length", "<u2"),
        ("extra_length", "<u2"),
    ]
)
_LOCAL_SIGNATURE = 0x04034B50
_HAS_DESCRIPTOR = 1 << 3  # checksum and sizes are not in the local header
_IN_ZIP64 = 0xFFFFFFFF
HEADER_REST = 0xFFFF + 256  # bytes of the longest extra field and name of a local header

FINE, _OUTSIDE, _ELSEWHERE, _ENCRYPTED, _CONTRADICTED, _CUT, _NOT_INFLATED, _WRONG_CHECKSUM = range(8)
REASONS = (
    "",
    "the file ends before it",
    "another member, or none, lies where the directory says that it is",
    "its local header says that it is encrypted",
    "its local header disagrees with the directory",
    "the file ends within it",
    "it does not inflate to the size announced",
    "its checksum is wrong",
)


class DamagedMember(ValueError):
    """A member contradicts the directory. The message says how."""


def extract(
    block: npt.NDArray[np.uint8],
    at: npt.NDArray[np.int64],
    names: npt.NDArray[np.bytes_],
    rows: npt.NDArray[np.void],
    out: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
) -> npt.NDArray[np.uint8]:
    """Unpacks the members with local headers at these places of the block; returns a status for each, see REASONS.

    The local header must agree with the directory: otherwise another member's content could be taken.
    """
    from tichu_pipeline.brettspielwelt.archives.deflated import unpack  # imports Numba, which listing does not need

    if len(block) < LOCAL.itemsize:
        return np.full(len(at), _OUTSIDE, np.uint8)
    outside = at > len(block) - LOCAL.itemsize
    headers = block[np.where(outside, 0, at)[:, None] + np.arange(LOCAL.itemsize)].view(LOCAL)[:, 0]
    data_at = at + LOCAL.itemsize + headers["name_length"] + headers["extra_length"]
    compressed, sizes = rows["compressed"].astype(np.int64), rows["size"].astype(np.int64)
    elsewhere = headers["signature"] != _LOCAL_SIGNATURE
    elsewhere |= names != _local_names(block, at, names, headers)
    contradicted = (headers["size"] != sizes) & (headers["size"] != _IN_ZIP64) | (headers["crc"] != rows["crc"])
    contradicted &= headers["flags"] & _HAS_DESCRIPTOR == 0
    contradicted |= headers["method"] != rows["method"]
    contradicted |= (headers["method"] == STORED) & (compressed != sizes)
    status = np.select(
        [
            outside,
            elsewhere,
            headers["flags"] & ENCRYPTED != 0,
            contradicted,
            data_at + compressed > len(block),
        ],
        [_OUTSIDE, _ELSEWHERE, _ENCRYPTED, _CONTRADICTED, _CUT],
        FINE,
    ).astype(np.uint8)
    fine = np.flatnonzero(status == FINE)
    unpacked = unpack(
        block,
        data_at[fine],
        compressed[fine],
        rows["method"][fine] == STORED,
        rows["crc"][fine],
        out,
        starts[fine],
        sizes[fine],
    )
    status[fine] = np.array([FINE, _NOT_INFLATED, _WRONG_CHECKSUM], np.uint8)[unpacked]
    return status


def _local_names(
    block: npt.NDArray[np.uint8],
    at: npt.NDArray[np.int64],
    names: npt.NDArray[np.bytes_],
    headers: npt.NDArray[np.void],
) -> npt.NDArray[np.bytes_]:
    """The names in the local headers; empty where the length differs from that of the expected name."""
    lengths = np.strings.str_len(names)
    width = np.arange(names.itemsize)
    where = np.minimum(at[:, None] + LOCAL.itemsize + width, len(block) - 1)
    shown = (width < lengths[:, None]) & (lengths == headers["name_length"])[:, None]
    return np.ascontiguousarray(np.where(shown, block[where], np.uint8(0))).view(names.dtype)[:, 0]


def archive_entry(path: Path, name: bytes, row: npt.NDArray[np.void], limit: int) -> bytes:
    """The content of a single member that is not a log. `row` is its MEMBER."""
    if max(row["compressed"][0], row["size"][0]) > limit:
        raise DamagedMember(f"it has more than {limit:,} bytes")
    with path.open("rb") as file:
        file.seek(int(row["offset"][0]))
        block = np.frombuffer(file.read(LOCAL.itemsize + HEADER_REST + int(row["compressed"][0])), np.uint8)
    out, start = np.empty(row["size"][0], np.uint8), np.zeros(1, np.int64)
    status = extract(block, start, np.array([name]), row, out, start)
    if status[0] != FINE:
        raise DamagedMember(REASONS[status[0]])
    return out.tobytes()
