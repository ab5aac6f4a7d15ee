"""The groups of a data set: the request, drawing the samples of each group, and writing them.

Balanced by sampling, all classes have equally many samples, as far as they have enough. Balanced by weights, samples
are drawn at random, and those of frequent classes have smaller weights, with a mean of 1. `dataset` writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tichu_models.observation.samples import as_records, width_of
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.unpack import Unpacker
from tichu_models.records.split import SPLITS
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.samples.classes import CLASS_NAMES, classes_of
from tichu_models.samples.sources import ShardSource
from tichu_pipeline.features.filters import Filters

BALANCES = ("none", "sampling", "weights")
PART_OF_TRAIN = {"train": 1.0, "validation": 0.125, "test": 0.125, "players": 0.125}  # 80 : 10 : 10, as the splits
CHUNK_ROWS = 1024
ROWS_AT_ONCE = 32 * CHUNK_ROWS


@dataclass(frozen=True)
class DatasetRequest:
    """What a data set is to contain."""

    spec: str = "play-375"
    months: str | None = None  # as 2024-01..2024-06; by default all that have shards
    size: int = 200_000  # samples of the group train; each other group has an eighth as many
    balance: str = "sampling"
    drop_forced: bool = True
    sample_rate: float = 1.0
    seed: int = 0
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True)
class Picked:
    """The samples of a group by block and row, and the number of candidates in each class."""

    blocks: np.ndarray
    rows: np.ndarray
    counts: np.ndarray


def choose(source: ShardSource, request: DatasetRequest, seats: dict[str, np.ndarray]) -> list[Picked]:
    """Picks the samples of each group, in a random order that depends on the seed only."""
    blocks: list[list[np.ndarray]] = [[] for _ in SPLITS]
    rows: list[list[np.ndarray]] = [[] for _ in SPLITS]
    classes: list[list[np.ndarray]] = [[] for _ in SPLITS]
    for number, block in enumerate(source.blocks):
        samples = np.empty((source.room(block), width_of(source.spec)), dtype=np.int64)
        records = as_records(samples[: source.fill(block, samples)], source.spec)
        keep = np.ones(len(records), dtype=bool)
        if request.drop_forced:
            keep &= records["forced"] == 0
        if block.month in seats:
            keep &= seats[block.month][records["round"], records["seat"]] != 0
        if request.sample_rate < 1:
            keep &= np.random.default_rng([request.seed, number]).random(len(keep)) < request.sample_rate
        kinds = classes_of(samples[: len(records)], source.spec)
        for split in range(len(SPLITS)):
            candidates = np.flatnonzero(keep & (records["split"] == split))
            blocks[split].append(np.full(len(candidates), number, dtype=np.int32))
            rows[split].append(candidates.astype(np.int32))
            classes[split].append(kinds[candidates])
    picked = []
    for split, name in enumerate(SPLITS):
        of_class = np.concatenate(classes[split])
        rng = np.random.default_rng([request.seed, split])
        size = max(1, round(request.size * PART_OF_TRAIN[name]))
        chosen = pick(of_class, size, request.balance == "sampling", rng)
        counts = np.bincount(of_class, minlength=len(CLASS_NAMES[source.spec.label]))
        picked.append(Picked(np.concatenate(blocks[split])[chosen], np.concatenate(rows[split])[chosen], counts))
    return picked


def pick(classes: np.ndarray, size: int, balanced: bool, rng: np.random.Generator) -> np.ndarray:
    """Indices of at most `size` samples in random order; if balanced, equally many of each class as far as possible."""
    if not balanced:
        return rng.permutation(len(classes))[:size]
    counts = np.bincount(classes)
    shares = fair_shares(counts, size)
    order = np.argsort(classes, kind="stable")
    ends = np.cumsum(counts)
    chosen = [
        rng.permutation(order[end - count : end])[:share]
        for end, count, share in zip(ends, counts, shares, strict=True)
    ]
    return rng.permutation(np.concatenate(chosen)) if chosen else order


def fair_shares(counts: np.ndarray, size: int) -> np.ndarray:
    """Numbers of samples by class, as equal as possible, `size` in all; none is larger than its count."""
    shares, left = np.zeros_like(counts), min(size, int(counts.sum()))
    while left:
        open_ = np.flatnonzero(shares < counts)
        step = max(left // len(open_), 1)
        for i in open_[:left]:
            more = min(step, int(counts[i] - shares[i]), left)
            shares[i] += more
            left -= more
    return shares


def write_group(
    group: Any, picked: Picked, source: ShardSource, chosen: Spec, scaling: Scaling, request: DatasetRequest
) -> None:
    """Writes the samples of a group, with features as a network reads them."""
    n = len(picked.rows)
    samples, games = _gather(picked, source)
    unpacker, records = Unpacker(chosen, scaling), as_records(samples, chosen)
    columns: dict[str, np.ndarray] = {name: records[name] for name in ("turn", "seat", "forced")}
    columns |= {"game_id": games[:, 0], "round_index": games[:, 1].astype(np.int32)}
    columns["class"] = classes_of(samples, chosen)
    columns["rtg"] = records["rtg"].astype(np.float32) / VALUE_UNIT
    columns["value"] = _scaled_value(records["value"], scaling)
    columns["weight"] = _weights(columns["class"], picked.counts, request.balance)
    for name, values in columns.items():
        group.create_dataset(name, data=np.ascontiguousarray(values), **_packed(n, ROWS_AT_ONCE))
    for name, width, kind in (
        ("features", chosen.size, np.float32),
        ("labels", len(chosen.label_names), np.uint8),
    ):
        group.create_dataset(
            name,
            (n, width),
            dtype=kind,
            **_packed(n, CHUNK_ROWS, width),
        )
    features, labels = (
        unpacker.buffer(ROWS_AT_ONCE, chosen.size),
        unpacker.buffer(ROWS_AT_ONCE, len(chosen.label_names)),
    )
    for begin in range(0, n, ROWS_AT_ONCE):
        rows = samples[begin : begin + ROWS_AT_ONCE]
        group["features"][begin : begin + len(rows)] = unpacker.features(rows, features)
        group["labels"][begin : begin + len(rows)] = unpacker.labels(rows, labels).astype(np.uint8)


def _packed(n: int, rows: int, *width: int) -> dict[str, Any]:
    """HDF5 options of a column of n samples. An empty column cannot be chunked or compressed."""
    if n == 0:
        return {}
    level = {"compression_opts": 1} if width else {}
    return {"chunks": (min(n, rows), *width), "compression": "gzip", "shuffle": True, **level}


def _scaled_value(points: np.ndarray, scaling: Scaling) -> np.ndarray:
    """Values clipped and scaled by the constants of score_diff."""
    constants = scaling.variables["score_diff"]
    clipped = np.clip(points.astype(np.float64), constants.low, constants.high)
    return ((clipped - constants.offset) / constants.scale).astype(np.float32)


def _weights(classes: np.ndarray, counts: np.ndarray, balance: str) -> np.ndarray:
    """Weights that give all classes equal sums; all 1 unless the data set is balanced by weights."""
    if balance != "weights" or len(classes) == 0:
        return np.ones(len(classes), dtype=np.float32)
    there = np.count_nonzero(counts)
    weights = counts.sum() / (there * np.maximum(counts, 1))
    return weights[classes].astype(np.float32)


def _gather(picked: Picked, source: ShardSource) -> tuple[np.ndarray, np.ndarray]:
    """The picked samples in order, and (game id, round index) of each."""
    samples = np.empty((len(picked.rows), width_of(source.spec)), dtype=np.int64)
    games = np.empty((len(picked.rows), 2), dtype=np.int64)
    order = np.argsort(picked.blocks, kind="stable")
    edges = np.searchsorted(picked.blocks[order], np.arange(len(source.blocks) + 1))
    for number, block in enumerate(source.blocks):
        places = order[edges[number] : edges[number + 1]]
        if len(places) == 0:
            continue
        whole = np.empty((source.room(block), width_of(source.spec)), dtype=np.int64)
        source.fill(block, whole)
        samples[places] = whole[picked.rows[places]]
        ids = pq.ParquetFile(block.path).read_row_group(block.index, columns=["game_id", "round_index"])
        for column, name in enumerate(("game_id", "round_index")):
            games[places, column] = ids[name].to_numpy()[picked.rows[places]]
    return samples, games
