"""A month's Parquet files in the making: rows come in chunk by chunk, and a file appears when it is whole, or never.

How columns are encoded is told here, once for all tables; what they hold is `tables`, when a month is made `ingest`.

A table is written faster than its rows are parsed only because little is asked of each number: split into its bytes,
whose upper ones are all zero, it leaves nearly nothing to compress, while a dictionary would look up every value. And a
column of a row group is one page but for the histories, since compression is set up anew for each. What Arrow needed
for a row group is given back: two threads that come to their largest groups together set the memory of the stage.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.whole_files import temporary_file
from tichu_pipeline.storage.folders import month_file
from tichu_pipeline.storage.stamps import parquet_metadata, parquet_stamp

SUMMARY = b"tichu.summary"
ROWS_A_GROUP = 32_768
ROWS_A_PAGE, PAGE_BYTES = 1 << 20, 2 << 20  # more rows than a group has; encoding takes several times a page
ZSTD_LEVEL = 1
REPEATED = ["player_names.list.element"]  # strings worth a dictionary
SKIPPED_BY = ["game_id", "rule_break", "year", "month"]  # readers leave out row groups by these: they have statistics


class MonthlyFile:
    """One table's file of a month. Nothing is left of it if it is not published."""

    def __init__(self, folder: Path, month: str, schema: pa.Schema) -> None:
        self.path = month_file(folder, month)
        self.temporary = temporary_file(self.path)
        self._schema = schema
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def __enter__(self) -> MonthlyFile:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._writer = pq.ParquetWriter(
                self.temporary,
                self._schema,
                compression="zstd",
                compression_level=ZSTD_LEVEL,
                max_rows_per_page=ROWS_A_PAGE,
                data_page_size=PAGE_BYTES,
                use_dictionary=REPEATED,
                column_encoding=dict(_encodings(self._schema)),
                write_statistics=SKIPPED_BY,
            )
        except BaseException:  # the disk is full, say: nobody will call __exit__
            self.temporary.unlink(missing_ok=True)
            raise
        return self

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += len(table)
        if self._rows >= ROWS_A_GROUP:
            self._flush()

    def describe(self, facts: dict[str, Any]) -> None:
        """Puts what the month's summary shall say into the file."""
        self._writer.add_key_value_metadata({SUMMARY: json.dumps(facts)})

    def close(self, stamp: str) -> int:
        """Writes the last rows and the stamp; returns the file's size."""
        self._flush()
        self._writer.add_key_value_metadata(parquet_stamp(stamp))
        self._writer.close()
        return self.temporary.stat().st_size

    def publish(self) -> None:
        """Lets the file appear, in the place of an older one."""
        self.temporary.replace(self.path)

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=max(self._rows, 1))
            pa.default_memory_pool().release_unused()
        self._waiting, self._rows = [], 0

    def __exit__(self, *_: object) -> None:
        try:
            self._writer.close()
        finally:  # closing fails again where writing has: the disk is full, say
            self.temporary.unlink(missing_ok=True)


def _encodings(schema: pa.Schema) -> Iterator[tuple[str, str]]:
    """Paths of the columns that hold numbers or bytes, and how they are encoded."""
    for field in schema:
        path, kind = field.name, field.type
        while pa.types.is_nested(kind):
            path, kind = f"{path}.list.element", kind.value_type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            yield path, "BYTE_STREAM_SPLIT"
        elif pa.types.is_binary(kind):
            yield path, "DELTA_LENGTH_BYTE_ARRAY"


def stored_facts(path: Path) -> dict[str, Any] | None:
    """What `describe` has put into a file; None if it says nothing of itself."""
    facts = parquet_metadata(path).get(SUMMARY)
    return None if facts is None else json.loads(facts)
