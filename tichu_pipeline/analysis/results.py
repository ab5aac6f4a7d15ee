"""Writes results of SQL: as a table on the terminal, CSV, JSON or Parquet.

Results come from `reading` as batches of Arrow, and are written batch by batch.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, BinaryIO, TextIO

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

ROWS_SHOWN = 200  # in a table; the other formats write all rows


def write_table(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """Writes the first rows as a table for people, with numbers aligned to the right."""
    columns = list(batches.schema)
    table = Table(show_edge=False, pad_edge=False)
    for column in columns:
        numeric = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        table.add_column(column.name, justify="right" if numeric or pa.types.is_decimal(column.type) else "left")
    hidden = 0
    for row in _rows(batches):
        if table.row_count < ROWS_SHOWN:
            table.add_row(*(_shown(value) for value in row))
        else:
            hidden += 1
    # A pipe has no width, so nothing is cut off.
    console = Console(file=out, markup=False, highlight=False, width=None if out.isatty() else 10_000)
    console.print(table)
    if hidden:
        console.print(f"{hidden:,} more rows; --format csv, json or parquet writes all")


def write_csv(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """Writes CSV with a header. NULL is empty, a list is JSON, bytes are hexadecimal."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(batches.schema.names)
    for row in _rows(batches):
        writer.writerow(
            [json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value for value in row]
        )


def write_json(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """Writes a JSON list with an object for each row."""
    names, separator = batches.schema.names, "["
    for row in _rows(batches):
        out.write(separator + json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
        separator = ",\n "
    out.write("[]\n" if separator == "[" else "]\n")


def write_parquet(batches: pa.RecordBatchReader, out: BinaryIO) -> None:
    """Writes Parquet, with the types of the result."""
    with pq.ParquetWriter(out, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


WRITERS: dict[str, Callable[[pa.RecordBatchReader, Any], None]] = {
    "table": write_table,
    "csv": write_csv,
    "json": write_json,
    "parquet": write_parquet,
}


def _rows(batches: pa.RecordBatchReader) -> Iterator[list[Any]]:
    for batch in batches:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield [_plain(value) for value in row]


def _plain(value: Any) -> Any:
    """A value that JSON can hold. Decimals without a fraction become integers, since they are sums of integers."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case float():
            return value if math.isfinite(value) else None
        case bytes():
            return value.hex()
        case list():
            return [_plain(entry) for entry in value]
        case dict():
            return {name: _plain(entry) for name, entry in value.items()}
        case None | bool() | int() | str():
            return value
    return str(value)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) < 1e9 else f"{value:.6g}"
    return "" if value is None else str(value)
