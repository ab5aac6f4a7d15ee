"""Shards: the samples of one spec and month as Parquet, `features/<spec>/2024-03.parquet`.

They hold facts only: packed bits, raw points, labels, targets, whose they are. Scaling, weights, ratings and filters
apply when they are loaded, so that a new month leaves them alone. A shard's stamp says of which rounds it was made and
by which version of the spec; equal stamps are skipped. Row groups are the blocks of `samples.sources`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.observation.samples import width_of
from tichu_models.observation.specs import Spec
from tichu_models.samples.sources import (
    ROUNDS_A_BLOCK,
    SHARD,
    STAMP,
    RoundsSource,
    shard_about,
    shard_columns,
    to_shard,
)
from tichu_models.whole_files import remove_leftovers, whole_file
from tichu_pipeline.rounds.ingest import stored_month_stamp
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.monthly_files import stored_stamp
from tichu_pipeline.storage.workers import Workers, threads

# Bumped by hand when the shards of unchanged rounds and specs would differ.
VERSION = 2
FEW_VALUES = 0.25  # of the rows: a column of fewer different ones is worth a dictionary


class ShardError(Exception):
    """A month that has no rounds, or a shard that is not up to date."""


@dataclass(frozen=True)
class Shard:
    """What a shard is."""

    month: str
    path: Path
    samples: int
    bytes: int
    seconds: float
    reused: bool


def shard_file(paths: DataPaths, spec: Spec, month: str) -> Path:
    """Where the shard of a month lies."""
    return month_file(paths.features / spec.name, month)


def shard_stamp(paths: DataPaths, spec: Spec, month: str) -> str:
    """The stamp that an up-to-date shard carries."""
    rounds = stored_month_stamp(paths, month)
    if rounds is None:
        raise ShardError(
            f"{month_file(paths.rounds, month)}: no whole month of rounds; expected tichu ingest to make it"
        )
    return hashlib.sha256(f"features {VERSION} {spec.digest} {ROUNDS_A_BLOCK} {rounds}".encode()).hexdigest()


def is_current(paths: DataPaths, spec: Spec, month: str) -> bool:
    """Whether the month's shard is made of its rounds as they are, by the spec as it is."""
    return stored_stamp(shard_file(paths, spec, month)) == shard_stamp(paths, spec, month)


def make_shards(
    paths: DataPaths,
    spec: Spec,
    months: Sequence[str],
    force: bool = False,
    workers: Workers | None = None,
    done: Callable[[Shard], None] = lambda _: None,
) -> list[Shard]:
    """Brings the shards of these months up to date."""
    remove_leftovers(paths.features / spec.name)
    shards = []
    for shard in (workers or threads()).map(_make, [_Month(paths, spec, month, force) for month in months]):
        shards.append(shard)
        done(shard)
    remove_leftovers(paths.features / spec.name)  # of workers that were killed
    return shards


class _Month(NamedTuple):
    paths: DataPaths
    spec: Spec
    month: str
    force: bool


def _make(month: _Month) -> Shard:
    return make_shard(*month)


def make_shard(paths: DataPaths, spec: Spec, month: str, force: bool = False) -> Shard:
    """Makes one shard, if it is not there already. It appears when it is whole."""
    started = time.perf_counter()
    path, stamp = shard_file(paths, spec, month), shard_stamp(paths, spec, month)
    if not force and stored_stamp(path) == stamp:
        rows = pq.read_metadata(path).num_rows
        return Shard(month, path, rows, path.stat().st_size, time.perf_counter() - started, True)
    with whole_file(path) as temporary:
        samples = _write(temporary, month_file(paths.rounds, month), spec, stamp)
    return Shard(month, path, samples, path.stat().st_size, time.perf_counter() - started, False)


def _write(target: Path, rounds: Path, spec: Spec, stamp: str) -> int:
    source = RoundsSource([rounds], spec)
    about = shard_about(spec)
    facts = json.loads(about[SHARD]) | {"rounds": (pq.read_metadata(rounds).metadata or {}).get(STAMP, b"").decode()}
    schema = pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in shard_columns(spec).items()],
        metadata={STAMP: stamp.encode(), SHARD: json.dumps(facts).encode()},
    )
    written, writer = 0, None
    try:
        for block in source.blocks:
            samples = np.empty((source.room(block), width_of(spec)), dtype=np.int64)
            n = source.fill(block, samples)
            played, _ = source.month(rounds)
            table = to_shard(samples[:n], spec, played.rows["game_id"], played.rows["round_index"]).cast(schema)
            writer = writer or pq.ParquetWriter(target, schema, **compression(table))
            writer.write_table(table, row_group_size=max(n, 1))
            written += n
        writer = writer or pq.ParquetWriter(target, schema)
    finally:
        if writer:
            writer.close()
    return written


def compression(table: pa.Table) -> dict[str, Any]:
    """How a shard is written whose first rows these are. LZ4 is read twice as fast as zstd, and as dictionaries and
    with the bytes of words side by side a sample takes a fifth more."""
    few = [name for name in table.column_names if len(table[name].unique()) < FEW_VALUES * len(table)]
    words = [field.name for field in table.schema if field.type == pa.int64() and field.name not in few]
    return {
        "compression": "lz4",
        "use_dictionary": few,
        "use_byte_stream_split": words,
        "write_statistics": ["game_id", "kind", "split"],
    }
