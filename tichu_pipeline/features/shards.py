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
from tichu_models.observation.specs import Spec, SpecError
from tichu_models.observation.specs import spec as spec_of
from tichu_models.samples.sources import ROUNDS_A_BLOCK, SHARD, RoundsSource, shard_about, shard_columns, to_shard
from tichu_models.whole_files import remove_leftovers, whole_file
from tichu_pipeline.rounds.manifest import stored_month_stamp
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files
from tichu_pipeline.storage.freshness import NAMED_RANGES, Standing, Survey, judged, missing, span
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import parquet_stamp, stored_stamp
from tichu_pipeline.storage.workers import Workers, threads

# Bumped by hand when the shards of unchanged rounds and specs would differ; tests/golden/features.json says when.
VERSION = 2
FEW_VALUES = 0.25  # of the rows: a column of fewer different ones is worth a dictionary


class ShardError(Exception):
    """A month that has no rounds, or a shard that is not up to date."""


@dataclass(frozen=True, kw_only=True)
class Shard(Made):
    """The shard of a month; its rows are samples."""

    month: str


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


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `features`."""
    paths = survey.paths
    folders = sorted(path for path in paths.features.glob("*") if path.is_dir())
    files = [file for folder in folders for file in month_files(folder)]
    if not files:
        return missing("features", "no shards; networks can be trained from rounds without them")
    stale = {path: why for path in files if (why := _stale_because(paths, path))}
    reasons = [f"{path.parent.name} {path.stem}: {why}" for path, why in list(stale.items())[:NAMED_RANGES]]
    reasons += [f"and {len(stale) - NAMED_RANGES} shards more"] if len(stale) > NAMED_RANGES else []
    specs = {path.parent for path in files}
    there = f"{span(sorted({path.stem for path in files}))}, {len(specs)} vector{'' if len(specs) == 1 else 's'}"
    size = sum(path.stat().st_size for path in files)
    months = sorted({path.stem for path in stale})
    return judged("features", there, size, reasons or survey.not_fresh("rounds"), months)


def _stale_because(paths: DataPaths, path: Path) -> str | None:
    """Why a shard would be made anew; None if it would not."""
    try:
        current = is_current(paths, spec_of(path.parent.name), path.stem)
    except (SpecError, ShardError) as error:
        return str(error)
    return None if current else "rounds have changed since, or it is of another version"


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
    reused = not force and stored_stamp(path) == stamp
    if not reused:
        with whole_file(path) as temporary:
            _write(temporary, month_file(paths.rounds, month), spec, stamp)
    return Shard(
        path=path,
        stamp=stamp,
        rows=pq.read_metadata(path).num_rows,
        bytes=path.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
        month=month,
    )


def _write(target: Path, rounds: Path, spec: Spec, stamp: str) -> None:
    source = RoundsSource([rounds], spec)
    about = shard_about(spec)
    facts = json.loads(about[SHARD]) | {"rounds": stored_stamp(rounds) or ""}
    schema = pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in shard_columns(spec).items()],
        metadata=parquet_stamp(stamp) | {SHARD: json.dumps(facts).encode()},
    )
    writer = None
    try:
        for block in source.blocks:
            samples = np.empty((source.room(block), width_of(spec)), dtype=np.int64)
            n = source.fill(block, samples)
            played, _ = source.month(rounds)
            table = to_shard(samples[:n], spec, played.rows["game_id"], played.rows["round_index"]).cast(schema)
            writer = writer or pq.ParquetWriter(target, schema, **compression(table))
            writer.write_table(table, row_group_size=max(n, 1))
        writer = writer or pq.ParquetWriter(target, schema)
    finally:
        if writer:
            writer.close()


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
