"""Stamps: a digest of what a file was made from, stored in the file. While it stays the same, nothing is made anew.

This module writes and reads stamps in every kind of file that stages make. Each stage decides what its stamp is a
digest of: a VERSION, settings, the stamps of its inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.records.stored import STAMP

KEY = "stamp"  # in a JSON object, an HDF5 file's attributes, the database's table `about`
PAGE_LINE = "<!-- tichu.stamp {} -->\n"
IN_PAGE_LINE = re.compile(PAGE_LINE.format("(.+)"))


def parquet_stamp(stamp: str) -> dict[bytes, bytes]:
    """The stamp as metadata of a Parquet file."""
    return {STAMP: stamp.encode()}


def stamped_page(stamp: str, html: str) -> str:
    """A page with its stamp as the first line."""
    return PAGE_LINE.format(stamp) + html


def stored_stamp(path: Path, key: str = KEY) -> str | None:
    """The stamp in a file; None if there is no such file, or no stamp in it."""
    return READERS[path.suffix](path, key)


def parquet_metadata(path: Path) -> dict[bytes, bytes]:
    """The metadata of a Parquet file; empty if there is no such file, or it is not Parquet."""
    try:
        return pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowException):
        return {}


def json_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty if there is no such file, or it holds something else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _in_parquet(path: Path, _: str) -> str | None:
    return parquet_metadata(path).get(STAMP, b"").decode() or None


def _in_json(path: Path, key: str) -> str | None:
    return json_object(path).get(key)


def _in_page(path: Path, _: str) -> str | None:
    try:
        with path.open(encoding="utf-8") as lines:
            match = IN_PAGE_LINE.fullmatch(lines.readline())
    except (OSError, UnicodeDecodeError):
        return None
    return match[1] if match else None


def _in_hdf5(path: Path, key: str) -> str | None:
    import h5py

    try:
        with h5py.File(path) as file:
            return str(file.attrs[key])
    except (OSError, KeyError):
        return None


def _in_database(path: Path, key: str) -> str | None:
    import duckdb

    if not path.is_file():
        return None
    try:
        with duckdb.connect(path, read_only=True) as connection:
            row = connection.execute(f"SELECT {key} FROM about").fetchone()
    except duckdb.Error:  # it is damaged, or made by another program
        return None
    return None if row is None else str(row[0])


READERS: Mapping[str, Callable[[Path, str], str | None]] = {
    ".parquet": _in_parquet,
    ".json": _in_json,
    ".html": _in_page,
    ".h5": _in_hdf5,
    ".duckdb": _in_database,
}
