"""A data set: samples of some months as one HDF5 file, balanced, clipped and scaled, ready for any framework.

Groups `train`, `validation`, `test` and `players` hold whole games each. In a group: `features` (float32, as a network
reads them), `labels` (0 and 1), `value` (scaled as score_diff), `rtg` (in points / 100), `weight`, `class`, and of what
they are: `game_id`, `round_index`, `turn`, `seat`, `forced`. Constants, names and the stamp are attributes of the file.

Balanced by sampling, every class gets the same share as far as it has samples; by weights, samples are drawn as they
come and weigh less the more frequent their class is, 1 on average.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tichu_models.observation.samples import as_records, width_of
from tichu_models.observation.scaling import Scaling, ScalingError
from tichu_models.observation.specs import Spec, spec
from tichu_models.observation.unpack import Unpacker
from tichu_models.records.split import SPLITS
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.samples.classes import CLASS_NAMES, classes_of
from tichu_models.samples.sources import ShardSource
from tichu_models.whole_files import whole_file
from tichu_pipeline.features.filters import Filters, seats_of
from tichu_pipeline.features.shards import ShardError, is_current, shard_file, shard_stamp
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months

# Bumped by hand when the same shards and constants would give another file.
VERSION = 1
BALANCES = ("none", "sampling", "weights")
PART_OF_TRAIN = {"train": 1.0, "validation": 0.125, "test": 0.125, "players": 0.125}  # of the size: 80 : 10 : 10
CHUNK_ROWS = 1024
ROWS_AT_ONCE = 32 * CHUNK_ROWS


class DatasetError(Exception):
    """An order that cannot be carried out."""


@dataclass(frozen=True)
class Order:
    """What a data set shall be."""

    spec: str = "play-375"
    months: str | None = None  # as 2024-01..2024-06; by default all that have shards
    size: int = 1_000_000  # samples for training; an eighth of it for each other group
    balance: str = "sampling"
    drop_forced: bool = True
    sample_rate: float = 1.0
    seed: int = 0
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True)
class Dataset:
    """What was made, or found."""

    path: Path
    stamp: str
    samples: dict[str, int]
    classes: dict[str, int]  # of the training group
    bytes: int
    seconds: float
    reused: bool


def dataset_file(paths: DataPaths, name: str) -> Path:
    """Where a data set lies."""
    return paths.features / f"{name}.h5"


def make_dataset(paths: DataPaths, name: str, order: Order, force: bool = False) -> Dataset:
    """Makes a data set of shards, if it is not there already. It appears when it is whole."""
    import h5py

    started = time.perf_counter()
    chosen, scaling = _check(order), Scaling.load(paths.scaling)
    scaling.check(chosen.table)
    months = _months(paths, chosen, order)
    stamp = _stamp(paths, chosen, order, scaling, months)
    path = dataset_file(paths, name)
    if not force and (found := stored(path)) is not None and found.stamp == stamp:
        return found
    source = ShardSource([shard_file(paths, chosen, month) for month in months], chosen)
    groups = _choose(source, order, seats_of(paths, months, order.filters))
    about: dict[str, Any] = {
        "stamp": stamp,
        "spec": chosen.name,
        "spec_version": chosen.version,
        "spec_digest": chosen.digest,
        "names": list(chosen.names),
        "label_names": list(chosen.label_names),
        "class_names": list(CLASS_NAMES[chosen.label]),
        "scaling": json.dumps(asdict(scaling)),
        "order": json.dumps(asdict(order)),
        "months": months,
    }
    with whole_file(path) as temporary, h5py.File(temporary, "w") as file:
        for key, value in about.items():
            file.attrs[key] = value
        for group, picked in zip(SPLITS, groups, strict=True):
            _write_group(file.create_group(group), picked, source, chosen, scaling, order)
    made = stored(path)
    assert made is not None
    return Dataset(**{**made.__dict__, "seconds": time.perf_counter() - started, "reused": False})


def stale_because(paths: DataPaths, path: Path) -> str | None:
    """Why the data set would be made anew, were it asked for once more; None if it is up to date."""
    import h5py

    if (found := stored(path)) is None:
        return "it is not whole, or no data set"
    with h5py.File(path) as file:
        order = Order(**(asked := json.loads(file.attrs["order"])) | {"filters": Filters(**asked["filters"])})
        before = file.attrs["months"].tolist()
    try:
        chosen, scaling = _check(order), Scaling.load(paths.scaling)
        months = _months(paths, chosen, order)
    except (DatasetError, ScalingError, ShardError) as error:
        return str(error)
    if found.stamp == _stamp(paths, chosen, order, scaling, months):
        return None
    return "shards of other months are there" if months != before else "shards or constants have changed since"


def _stamp(paths: DataPaths, chosen: Spec, order: Order, scaling: Scaling, months: Sequence[str]) -> str:
    stamps = [shard_stamp(paths, chosen, month) for month in months]
    content = json.dumps([VERSION, chosen.digest, asdict(order), scaling.stamp, months, stamps], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def stored(path: Path) -> Dataset | None:
    """What a file says of itself; None if there is none, or another's."""
    import h5py

    try:
        with h5py.File(path) as file:
            counts = np.bincount(file["train/class"][:], minlength=len(file.attrs["class_names"]))
            return Dataset(
                path,
                str(file.attrs["stamp"]),
                {group: len(file[group]["labels"]) for group in SPLITS},
                dict(zip(file.attrs["class_names"].tolist(), counts.tolist(), strict=True)),
                path.stat().st_size,
                0.0,
                True,
            )
    except (OSError, KeyError, ValueError):
        return None


def _check(order: Order) -> Spec:
    if order.balance not in BALANCES:
        raise DatasetError(f"balance {order.balance!r}: expected one of {', '.join(BALANCES)}")
    if order.size < 1:
        raise DatasetError(f"size {order.size}: expected 1 or more")
    if not 0 < order.sample_rate <= 1:
        raise DatasetError(f"sample_rate {order.sample_rate}: expected more than 0, and 1 at most")
    return spec(order.spec)


def _months(paths: DataPaths, chosen: Spec, order: Order) -> list[str]:
    there = sorted(path.stem for path in (paths.features / chosen.name).glob("????-??.parquet"))
    months = [month for month in parse_months(order.months) if month in there] if order.months else there
    if not months:
        raise DatasetError(
            f"{paths.features / chosen.name}: no shards of {order.months or 'any month'}; materialise features first"
        )
    for month in months:
        if not is_current(paths, chosen, month):
            raise DatasetError(
                f"{shard_file(paths, chosen, month)}: made of other rounds, or by another version of {chosen.name}; "
                "materialise features anew"
            )
    return months


@dataclass(frozen=True)
class _Picked:
    """Samples of one group: in which block, which row; and how many each class has among all."""

    blocks: np.ndarray
    rows: np.ndarray
    counts: np.ndarray


def _choose(source: ShardSource, order: Order, seats: dict[str, np.ndarray]) -> list[_Picked]:
    """Picks the samples of each group, in a random order that follows from the seed."""
    blocks: list[list[np.ndarray]] = [[] for _ in SPLITS]
    rows: list[list[np.ndarray]] = [[] for _ in SPLITS]
    classes: list[list[np.ndarray]] = [[] for _ in SPLITS]
    for number, block in enumerate(source.blocks):
        samples = np.empty((source.room(block), width_of(source.spec)), dtype=np.int64)
        records = as_records(samples[: source.fill(block, samples)], source.spec)
        keep = np.ones(len(records), dtype=bool)
        if order.drop_forced:
            keep &= records["forced"] == 0
        if block.month in seats:
            keep &= seats[block.month][records["round"], records["seat"]] != 0
        if order.sample_rate < 1:
            keep &= np.random.default_rng([order.seed, number]).random(len(keep)) < order.sample_rate
        kinds = classes_of(samples[: len(records)], source.spec)
        for split in range(len(SPLITS)):
            found = np.flatnonzero(keep & (records["split"] == split))
            blocks[split].append(np.full(len(found), number, dtype=np.int32))
            rows[split].append(found.astype(np.int32))
            classes[split].append(kinds[found])
    picked = []
    for split, name in enumerate(SPLITS):
        of_class = np.concatenate(classes[split])
        rng = np.random.default_rng([order.seed, split])
        size = max(1, round(order.size * PART_OF_TRAIN[name]))
        chosen = pick(of_class, size, order.balance == "sampling", rng)
        counts = np.bincount(of_class, minlength=len(CLASS_NAMES[source.spec.label]))
        picked.append(_Picked(np.concatenate(blocks[split])[chosen], np.concatenate(rows[split])[chosen], counts))
    return picked


def pick(classes: np.ndarray, size: int, balanced: bool, rng: np.random.Generator) -> np.ndarray:
    """Places of `size` samples at most, in random order; balanced, each class gets the same share if it has it."""
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
    """How many of each class, so that none gets more than it has, and none less than another with as many left."""
    shares, left = np.zeros_like(counts), min(size, int(counts.sum()))
    while left:
        open_ = np.flatnonzero(shares < counts)
        step = max(left // len(open_), 1)
        for i in open_[:left]:
            more = min(step, int(counts[i] - shares[i]), left)
            shares[i] += more
            left -= more
    return shares


def _write_group(
    group: Any, picked: _Picked, source: ShardSource, chosen: Spec, scaling: Scaling, order: Order
) -> None:
    n = len(picked.rows)
    samples, games = _gather(picked, source)
    unpacker, records = Unpacker(chosen, scaling), as_records(samples, chosen)
    columns: dict[str, np.ndarray] = {name: records[name] for name in ("turn", "seat", "forced")}
    columns |= {"game_id": games[:, 0], "round_index": games[:, 1].astype(np.int32)}
    columns["class"] = classes_of(samples, chosen)
    columns["rtg"] = records["rtg"].astype(np.float32) / VALUE_UNIT
    columns["value"] = _scaled_value(records["value"], scaling)
    columns["weight"] = _weights(columns["class"], picked.counts, order.balance)
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
    """How a column of n samples is stored; one without any has no chunks to pack."""
    if n == 0:
        return {}
    level = {"compression_opts": 1} if width else {}
    return {"chunks": (min(n, rows), *width), "compression": "gzip", "shuffle": True, **level}


def _scaled_value(points: np.ndarray, scaling: Scaling) -> np.ndarray:
    constants = scaling.variables["score_diff"]
    clipped = np.clip(points.astype(np.float64), constants.low, constants.high)
    return ((clipped - constants.offset) / constants.scale).astype(np.float32)


def _weights(classes: np.ndarray, counts: np.ndarray, balance: str) -> np.ndarray:
    """1 unless weights are asked for: then all classes weigh the same together."""
    if balance != "weights" or len(classes) == 0:
        return np.ones(len(classes), dtype=np.float32)
    there = np.count_nonzero(counts)
    weights = counts.sum() / (there * np.maximum(counts, 1))
    return weights[classes].astype(np.float32)


def _gather(picked: _Picked, source: ShardSource) -> tuple[np.ndarray, np.ndarray]:
    """The picked samples in their order, and (game id, round index) of each."""
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


def mixed_games(paths: Sequence[Path]) -> list[str]:
    """Games that stand in more than one group of a data set, as messages; none if all is well."""
    import h5py

    wrong = []
    for path in paths:
        with h5py.File(path) as file:
            ids = [np.unique(file[group]["game_id"][:]) for group in SPLITS]
        found, counts = np.unique(np.concatenate(ids), return_counts=True)
        wrong += [
            f"{path.name}: game {game} is in {count} groups"
            for game, count in zip(found, counts, strict=True)
            if count > 1
        ]
    return wrong
