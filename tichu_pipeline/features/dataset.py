"""A data set: samples of some months as one HDF5 file, balanced, clipped and scaled, ready for any framework.

The groups `train`, `validation`, `test` and `players` have no game in common. Columns of a group: `features` (float32,
as a network reads them), `labels` (0 and 1), `value` (scaled as score_diff), `rtg` (in points / 100), `weight`,
`class`, `game_id`, `round_index`, `turn`, `seat`, `forced`. Constants, names and the stamp are attributes of the file.

`groups` draws the samples.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.observation.scaling import Scaling, ScalingError
from tichu_models.observation.specs import Spec, spec
from tichu_models.records.split import SPLITS
from tichu_models.samples.classes import CLASS_NAMES
from tichu_models.samples.sources import ShardSource
from tichu_models.whole_files import whole_file
from tichu_pipeline.features.filters import Filters, seats_of
from tichu_pipeline.features.groups import BALANCES, DatasetRequest, choose, write_group
from tichu_pipeline.features.shards import ShardError, is_current, shard_file, shard_stamp
from tichu_pipeline.storage.folders import DataPaths, months_in
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.months import parse_months
from tichu_pipeline.storage.stamps import KEY

# Bumped by hand when the same shards and constants would give another file; tests/golden/dataset.json says when.
VERSION = 1


class DatasetError(Exception):
    """A data set that cannot be made as requested."""


@dataclass(frozen=True, kw_only=True)
class Dataset(Made):
    """A data set; its rows are samples."""

    samples: dict[str, int]  # number in each group
    classes: dict[str, int]  # samples of each class in the group train


def dataset_file(paths: DataPaths, name: str) -> Path:
    """The file of a data set."""
    return paths.features / f"{name}.h5"


def make_dataset(paths: DataPaths, name: str, request: DatasetRequest, force: bool = False) -> Dataset:
    """Makes a data set from shards, unless it is up to date. The file appears when it is complete."""
    import h5py

    started = time.perf_counter()
    chosen, scaling = _check(request), Scaling.load(paths.scaling)
    scaling.check(chosen.table)
    months = _months(paths, chosen, request)
    stamp = _stamp(paths, chosen, request, scaling, months)
    path = dataset_file(paths, name)
    if not force and (present := stored(path)) is not None and present.stamp == stamp:
        return present
    source = ShardSource([shard_file(paths, chosen, month) for month in months], chosen)
    groups = choose(source, request, seats_of(paths, months, request.filters))
    about: dict[str, Any] = {
        KEY: stamp,
        "spec": chosen.name,
        "spec_version": chosen.version,
        "spec_digest": chosen.digest,
        "names": list(chosen.names),
        "label_names": list(chosen.label_names),
        "class_names": list(CLASS_NAMES[chosen.label]),
        "scaling": json.dumps(asdict(scaling)),
        "order": json.dumps(asdict(request)),
        "months": months,
    }
    with whole_file(path) as temporary, h5py.File(temporary, "w") as file:
        for key, value in about.items():
            file.attrs[key] = value
        for group, picked in zip(SPLITS, groups, strict=True):
            write_group(file.create_group(group), picked, source, chosen, scaling, request)
    made = stored(path)
    assert made is not None
    return replace(made, seconds=time.perf_counter() - started, reused=False)


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `dataset`."""
    files = sorted(survey.paths.features.glob("*.h5"))
    if not files:
        return missing("dataset", "no data set has been made")
    reasons = [f"{path.name}: {why}" for path in files if (why := stale_because(survey.paths, path))]
    size = sum(path.stat().st_size for path in files)
    there = f"{len(files)} data set{'' if len(files) == 1 else 's'}"
    return judged("dataset", there, size, reasons or survey.stale("features"))


def stale_because(paths: DataPaths, path: Path) -> str | None:
    """Why the same request would make the data set again; None if it would not."""
    import h5py

    if (present := stored(path)) is None:
        return "it is damaged, or not a data set"
    with h5py.File(path) as file:
        request = DatasetRequest(
            **(asked := json.loads(file.attrs["order"])) | {"filters": Filters(**asked["filters"])}
        )
        before = file.attrs["months"].tolist()
    try:
        chosen, scaling = _check(request), Scaling.load(paths.scaling)
        months = _months(paths, chosen, request)
    except (DatasetError, ScalingError, ShardError) as error:
        return str(error)
    if present.stamp == _stamp(paths, chosen, request, scaling, months):
        return None
    return "its months would be others now" if months != before else "shards or scaling constants have changed since"


def _stamp(paths: DataPaths, chosen: Spec, request: DatasetRequest, scaling: Scaling, months: Sequence[str]) -> str:
    """The stamp of a data set."""
    stamps = [shard_stamp(paths, chosen, month) for month in months]
    content = json.dumps([VERSION, chosen.digest, asdict(request), scaling.stamp, months, stamps], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def stored(path: Path) -> Dataset | None:
    """The data set in a file; None if there is none."""
    import h5py

    try:
        with h5py.File(path) as file:
            counts = np.bincount(file["train/class"][:], minlength=len(file.attrs["class_names"]))
            samples = {group: len(file[group]["labels"]) for group in SPLITS}
            return Dataset(
                path=path,
                stamp=str(file.attrs[KEY]),
                rows=sum(samples.values()),
                bytes=path.stat().st_size,
                seconds=0.0,
                reused=True,
                samples=samples,
                classes=dict(zip(file.attrs["class_names"].tolist(), counts.tolist(), strict=True)),
            )
    except (OSError, KeyError, ValueError):
        return None


def _check(request: DatasetRequest) -> Spec:
    """Checks a request; returns its spec."""
    if request.balance not in BALANCES:
        raise DatasetError(f"balance {request.balance!r}: expected one of {', '.join(BALANCES)}")
    if request.size < 1:
        raise DatasetError(f"size {request.size}: expected 1 or more")
    if not 0 < request.sample_rate <= 1:
        raise DatasetError(f"sample_rate {request.sample_rate}: expected more than 0, and 1 at most")
    return spec(request.spec)


def _months(paths: DataPaths, chosen: Spec, request: DatasetRequest) -> list[str]:
    """The months to draw from, whose shards are all up to date."""
    there = months_in(paths.features / chosen.name)
    months = [month for month in parse_months(request.months) if month in there] if request.months else there
    if not months:
        raise DatasetError(
            f"{paths.features / chosen.name}: no shards of {request.months or 'any month'}; materialise the stage "
            "features first"
        )
    for month in months:
        if not is_current(paths, chosen, month):
            raise DatasetError(
                f"{shard_file(paths, chosen, month)}: made from other rounds, or by another version of {chosen.name}; "
                "materialise the stage features again"
            )
    return months


def mixed_games(paths: Sequence[Path]) -> list[str]:
    """Messages on games that are in more than one group of a data set."""
    import h5py

    wrong = []
    for path in paths:
        with h5py.File(path) as file:
            ids = [np.unique(file[group]["game_id"][:]) for group in SPLITS]
        games, counts = np.unique(np.concatenate(ids), return_counts=True)
        wrong += [
            f"{path.name}: game {game} is in {count} groups"
            for game, count in zip(games, counts, strict=True)
            if count > 1
        ]
    return wrong
