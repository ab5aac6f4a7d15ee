"""Stamps in every kind of file that stages make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import h5py
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tichu_pipeline.storage.stamps import KEY, parquet_stamp, stamped_page, stored_stamp

STAMP = "5ea1"


def parquet(path: Path) -> None:
    """A table whose metadata hold the stamp."""
    pq.write_table(pa.table({"a": [1]}).replace_schema_metadata(parquet_stamp(STAMP)), path)


def page(path: Path) -> None:
    """A page behind its stamp."""
    path.write_text(stamped_page(STAMP, "<!doctype html>\n<p>ä"), encoding="utf-8")


def plain(path: Path) -> None:
    """A JSON object."""
    path.write_text(f'{{"{KEY}": "{STAMP}", "more": []}}')


def hdf5(path: Path) -> None:
    """A file with an attribute."""
    with h5py.File(path, "w") as file:
        file.attrs[KEY] = STAMP


def database(path: Path) -> None:
    """A table `about`."""
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE about AS SELECT '{STAMP}' AS {KEY}, 'other' AS tournaments")


KINDS = {".parquet": parquet, ".html": page, ".json": plain, ".h5": hdf5, ".duckdb": database}


@pytest.mark.parametrize(("suffix", "write"), KINDS.items())
def test_a_stamp_is_read_as_it_was_written(tmp_path, suffix, write: Callable[[Path], None]):
    """A stage that is made anew for ever, or never again, because its own stamp is not found in its output."""
    path = tmp_path / f"made{suffix}"
    assert stored_stamp(path) is None
    write(path)
    assert stored_stamp(path) == STAMP
    for foreign in (b"", b"\xff\x00 nothing of ours", b"[1, 2]", b"<!doctype html>"):
        path.write_bytes(foreign)
        assert stored_stamp(path) is None


def test_a_file_may_hold_a_stamp_of_a_part(tmp_path):
    """Tournaments that are played anew, and a database that is built anew for them."""
    database(tmp_path / "made.duckdb")
    assert stored_stamp(tmp_path / "made.duckdb", "tournaments") == "other"
