"""Shards: the samples of a spec and a month as a Parquet file, `features/<spec>/2024-03.parquet`.

They hold facts only: packed bits, raw points, labels, values, and the game, seat and turn. Scaling, weights, ratings
and filters are applied when shards are loaded, so a new month does not change older shards. The stamp of a shard is a
digest of its rounds and its spec; a shard with the right stamp is not made again. Row groups are the blocks of
`samples.sources`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from tichu_pipeline.storage.freshness import NAMED_RANGES, Standing, Survey, changed, judged, missing, ranges, span
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import parquet_stamp, stored_stamp
from tichu_pipeline.storage.workers import Workers, threads

# Bumped by hand when the shards of unchanged rounds and specs would differ; tests/golden/features.json says when.
VERSION = 2
FEW_VALUES = 0.25  # a column with fewer distinct values, as a share of its rows, is stored with a dictionary


class ShardError(Exception):
    """A month without rounds."""


@dataclass(frozen=True, kw_only=True)
class Shard(Made):
    """The shard of a month; its rows are samples."""

    month: str


def shard_file(paths: DataPaths, spec: Spec, month: str) -> Path:
    """The file of a month's shard."""
    return month_file(paths.features / spec.name, month)


def shard_stamp(paths: DataPaths, spec: Spec, month: str, version: int | None = None) -> str:
    """The stamp that an up-to-date shard carries, made by this version or another."""
    rounds = stored_month_stamp(paths, month)
    if rounds is None:
        raise ShardError(
            f"{month_file(paths.rounds, month)}: the month has no complete rounds; tichu ingest makes them"
        )
    return hashlib.sha256(f"features {version or VERSION} {spec.digest} {ROUNDS_A_BLOCK} {rounds}".encode()).hexdigest()


def is_current(paths: DataPaths, spec: Spec, month: str) -> bool:
    """Whether the month's shard was made from its rounds and its spec as they are now."""
    return stored_stamp(shard_file(paths, spec, month)) == shard_stamp(paths, spec, month)


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `features`."""
    paths = survey.paths
    folders = sorted(path for path in paths.features.glob("*") if path.is_dir())
    files = [file for folder in folders for file in month_files(folder)]
    if not files:
        return missing("features", "no shards have been made; networks can be trained from rounds as well")
    stale = {path: why for path in files if (why := _stale_because(paths, path))}
    reasons = _reasons(stale)
    specs = {path.parent for path in files}
    there = f"{span(sorted({path.stem for path in files}))}, {len(specs)} spec{'' if len(specs) == 1 else 's'}"
    size = sum(path.stat().st_size for path in files)
    months = sorted({path.stem for path in stale})
    return judged("features", there, size, reasons or survey.not_fresh("rounds"), months)


def _stale_because(paths: DataPaths, path: Path) -> str | None:
    """Why a shard would be made again; None if it would not."""
    try:
        spec = spec_of(path.parent.name)
        if is_current(paths, spec, path.stem):
            return None
    except (SpecError, ShardError) as error:
        return str(error)
    stamp_of = partial(shard_stamp, paths, spec, path.stem)
    return changed("rounds or the spec", stored_stamp(path), stamp_of, VERSION)


def _reasons(stale: Mapping[Path, str]) -> list[str]:
    """Why shards are stale: a line for all specs that are so in the same months, for the same reason."""
    months: dict[tuple[str, str], list[str]] = {}
    for path, why in stale.items():
        months.setdefault((path.parent.name, why), []).append(path.stem)
    specs: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for (name, why), of in months.items():
        specs.setdefault((tuple(of), why), []).append(name)
    lines = [f"{', '.join(names)} {ranges(of)}: {why}" for (of, why), names in specs.items()]
    more = sum(len(of) * len(names) for (of, _), names in list(specs.items())[NAMED_RANGES:])
    return lines[:NAMED_RANGES] + ([f"and {more} more shards"] if more else [])


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
    """Makes one shard, unless it is up to date. The file appears when it is complete."""
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
    """Writes the shard of a file of rounds."""
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
    """Options of the Parquet writer for a shard that begins with this table. LZ4 is read twice as fast as zstd; with
    dictionaries and byte stream split it takes only a fifth more space."""
    few = [name for name in table.column_names if len(table[name].unique()) < FEW_VALUES * len(table)]
    words = [field.name for field in table.schema if field.type == pa.int64() and field.name not in few]
    return {
        "compression": "lz4",
        "use_dictionary": few,
        "use_byte_stream_split": words,
        "write_statistics": ["game_id", "kind", "split"],
    }
