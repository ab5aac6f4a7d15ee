"""Writes a month's Parquet file chunk by chunk. The file appears when it is whole, or never.

All tables are encoded alike. Their columns are in `rounds.tables`; which months are written is decided in
`rounds.ingest`.

Three settings make writing faster than parsing, and bound the memory. Numbers are split into their bytes: the upper
bytes are mostly zero and compress to nearly nothing, while a dictionary would look up every value. A column of a row
group is one page, except for the histories, since compression is set up anew for each page. Arrow's memory is released
after each row group, since the peak is reached when two threads write their largest groups at the same time.
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
ROWS_A_PAGE, PAGE_BYTES = 1 << 20, 2 << 20  # more rows than a group has; encoding needs several times a page
ZSTD_LEVEL = 1
REPEATED = ["player_names.list.element"]  # columns of strings that repeat: a dictionary pays
SKIPPED_BY = ["game_id", "rule_break", "year", "month"]  # columns with statistics, by which readers skip row groups


class MonthlyFile:
    """One table's file of a month. It is removed unless `publish` is called."""

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
        except BaseException:  # the disk is full, say; __exit__ will not be called
            self.temporary.unlink(missing_ok=True)
            raise
        return self

    def add(self, table: pa.Table) -> None:
        """Adds rows, and writes a row group when there are enough."""
        self._waiting.append(table)
        self._rows += len(table)
        if self._rows >= ROWS_A_GROUP:
            self._flush()

    def describe(self, facts: dict[str, Any]) -> None:
        """Stores the month's summary in the file's metadata."""
        self._writer.add_key_value_metadata({SUMMARY: json.dumps(facts)})

    def close(self, stamp: str) -> int:
        """Writes the last rows and the stamp; returns the file's size."""
        self._flush()
        self._writer.add_key_value_metadata(parquet_stamp(stamp))
        self._writer.close()
        return self.temporary.stat().st_size

    def publish(self) -> None:
        """Renames the file to its final name. It replaces an older one."""
        self.temporary.replace(self.path)

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=max(self._rows, 1))
            pa.default_memory_pool().release_unused()
        self._waiting, self._rows = [], 0

    def __exit__(self, *_: object) -> None:
        try:
            self._writer.close()
        finally:  # if writing has failed, closing fails again: the disk is full, say
            self.temporary.unlink(missing_ok=True)


def _encodings(schema: pa.Schema) -> Iterator[tuple[str, str]]:
    """The path and the encoding of each column of numbers or bytes."""
    for field in schema:
        path, kind = field.name, field.type
        while pa.types.is_nested(kind):
            path, kind = f"{path}.list.element", kind.value_type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            yield path, "BYTE_STREAM_SPLIT"
        elif pa.types.is_binary(kind):
            yield path, "DELTA_LENGTH_BYTE_ARRAY"


def stored_facts(path: Path) -> dict[str, Any] | None:
    """The summary that `describe` has stored in a file; None if there is none."""
    facts = parquet_metadata(path).get(SUMMARY)
    return None if facts is None else json.loads(facts)
