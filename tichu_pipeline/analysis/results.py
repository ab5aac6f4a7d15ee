"""Results of SQL as a person or a program wants them: a table on the terminal, CSV, JSON, Parquet.

They come as batches of Arrow and are written as they come. How they are asked for is `reading`.
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

FORMATS = ("table", "csv", "json", "parquet")
ROWS_SHOWN = 200  # on the terminal; the other formats write all


def write_table(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """For people: the first rows, numbers to the right."""
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
    # A pipe has no width: nothing is cut off for it.
    console = Console(file=out, markup=False, highlight=False, width=None if out.isatty() else 10_000)
    console.print(table)
    if hidden:
        console.print(f"{hidden:,} rows more: --format csv, json or parquet writes them all")


def write_csv(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """With a line of names; NULL is empty, a list is JSON, bytes are hexadecimal."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(batches.schema.names)
    for row in _rows(batches):
        writer.writerow(
            [json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value for value in row]
        )


def write_json(batches: pa.RecordBatchReader, out: TextIO) -> None:
    """A list with an object a row."""
    names, separator = batches.schema.names, "["
    for row in _rows(batches):
        out.write(separator + json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
        separator = ",\n "
    out.write("[]\n" if separator == "[" else "]\n")


def write_parquet(batches: pa.RecordBatchReader, out: BinaryIO) -> None:
    """As it is."""
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
    """A value that JSON knows; sums of whole numbers come as decimals without a fraction."""
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
