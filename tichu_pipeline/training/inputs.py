"""Inputs of a run: from its settings and a data folder to its manifest and its batches.

The manifest alone shows whether a run is up to date, so torch is only imported for batches. An epoch is all samples of
the split train, or as many as the settings say. Every validation uses the same decisions, including forced ones, as
often as they occur in play.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.learning.settings import RunConfig
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import RTG, Spec, SpecError, spec
from tichu_models.observation.unpack import BFLOAT16, FLOAT32
from tichu_models.runs.manifest import RunManifest, SpecStamp
from tichu_models.samples.classes import CLASS_NAMES, classes_of_labels
from tichu_models.samples.loader import Loader, SampleFilter
from tichu_models.samples.sources import RoundsSource, ShardSource
from tichu_pipeline.features.shards import is_current, shard_file
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.storage.folders import DataPaths, month_file, months_in

if TYPE_CHECKING:
    from tichu_models.samples import batches

# Bumped by hand when the same settings and rounds would give other samples, or train another network;
# tests/golden/training_runs.json says when of the samples.
VERSION = 2
LEARNED_FROM_MOVES, MEASURED_BY_MOVES = ("move",), ("move", "cards", "goal", "sequence")  # objectives that need moves
SEQUENCE = "sequence"


class InputError(Exception):
    """Data that is missing, or settings that do not fit it."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run: settings, sample source and manifest."""

    config: RunConfig
    source: RoundsSource | ShardSource
    manifest: RunManifest

    @property
    def spec(self) -> Spec:
        """The spec of the samples."""
        return self.source.spec

    @property
    def steps(self) -> int:
        """The turns of a sample: one, unless samples are sequences."""
        return getattr(self.config.network, "turns", 1)

    def loader(self, split: str, batch_size: int, training: bool = False, drop_last: bool = False) -> Loader:
        """Shuffled batches of a split."""
        config = self.config
        learned = config.architecture.objective
        # Sequences drop forced turns in validation too, as the player does.
        chosen = SampleFilter(split, drop_forced=config.data.drop_forced and (training or learned == SEQUENCE))
        return Loader(
            *(self.source, batch_size, chosen, self.manifest.constants, config.training.seed if training else 0),
            kind=_kind(config),
            rank=int(os.environ.get("LOCAL_RANK", "0")),  # Lightning sets it in the processes that it starts
            world=config.training.devices,
            steps=self.steps,
            drop_last=drop_last,
            moves=learned in (LEARNED_FROM_MOVES if training else MEASURED_BY_MOVES),
        )

    def samples(self) -> batches.BatchSource:
        """The batches of an epoch of training."""
        from tichu_models.samples.feed import EmptyError, Epochs

        training = self.config.training
        size = training.batch_size
        most = max(training.epoch_samples // (size * training.devices), 1) if training.epoch_samples else None
        for drop_last in (True, False):  # very few samples make one batch that is not full
            loader = self.loader("train", size, training=True, drop_last=drop_last)
            if count := loader.count(most):
                classes = self._classes_in(loader, count) if self.config.data.balanced else None
                return Epochs(loader, count, self._as_batch(classes))
        raise EmptyError(f"no samples of {self.spec.name} to train on: expected more rounds, or more months")

    def decisions(self, split: str, most: int, batch_size: int | None = None) -> Fixed:
        """Batches of the first decisions of a split, about `most`; the same ones every time."""
        loader = self.loader(split, batch_size or self.config.training.batch_size)
        return Fixed(loader, most, self._as_batch(None))

    def _as_batch(self, classes: np.ndarray | None) -> Callable[[Any], batches.Batch]:
        from tichu_models.samples.feed import Tensors

        tensors = Tensors(self.spec.names)
        return tensors if classes is None else Balanced(tensors, self.spec, classes)

    def _classes_in(self, loader: Loader, count: int) -> np.ndarray:
        """Samples of each class in the next `count` batches. The state of the loader is restored."""
        before, classes = loader.state_dict(), np.zeros(len(CLASS_NAMES[self.spec.label]), dtype=np.int64)
        for arrays in islice(loader, count):
            classes += np.bincount(_classes(arrays, self.spec), minlength=len(classes))
        loader.load_state_dict(before)
        return classes


class Fixed:
    """A batch source that repeats the first batches of a loader, as many as hold `most` decisions."""

    def __init__(self, loader: Loader, most: int, as_batch: Callable[[Any], batches.Batch]) -> None:
        self.loader, self.as_batch = loader, as_batch
        self._start = loader.state_dict()
        self._batches = self._enough(most)

    def _enough(self, most: int) -> int:
        seen = count = 0
        for arrays in self.loader:
            count += 1
            seen += int(arrays.mask.sum())
            if seen >= most:
                break
        return count

    def __len__(self) -> int:
        return self._batches

    def __iter__(self) -> Iterator[batches.Batch]:
        self.loader.load_state_dict(self._start)
        return map(self.as_batch, islice(self.loader, self._batches))

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


class Balanced:
    """Makes batches whose samples are weighted: all classes have equal sums of weights, and the mean weight is 1."""

    def __init__(self, tensors: Callable[[Any], batches.Batch], spec: Spec, counts: np.ndarray) -> None:
        self.tensors, self.spec = tensors, spec
        there = np.count_nonzero(counts)
        self.weights = (counts.sum() / (there * np.maximum(counts, 1))).astype(np.float32)

    def __call__(self, arrays: Any) -> batches.Batch:
        import torch

        batch = self.tensors(arrays)
        labels = batch.target.flatten(0, -2).float().numpy()
        weights = torch.from_numpy(self.weights[classes_of_labels(labels, self.spec.label)])
        return batch._replace(weight=batch.weight * weights.view_as(batch.weight))


def inputs_of(config: RunConfig, paths: DataPaths) -> Inputs:
    """The inputs of a run with these settings. It only reads; call `ensure_scaling` before."""
    try:
        read = spec(config.spec)
    except SpecError as error:
        raise InputError(f"data.spec: {error}") from None
    if read.label != spec(config.architecture.spec).label:
        raise InputError(
            f"data.spec = {config.spec!r}: a {config.architecture.name} has no outputs for its labels; "
            f"expected {config.architecture.spec}, or that with blocks, as {config.architecture.spec}+score_cum"
        )
    months = months_of(config, paths)
    if config.data.source == "rounds":
        source: RoundsSource | ShardSource = rounds_source(config, paths)
    else:
        source = ShardSource([shard_file(paths, read, month) for month in months], read)
    scaling = Scaling.load(paths.scaling)
    scaling.check(read.table)
    return Inputs(config, source, _manifest(config, source, scaling, months))


def ensure_scaling(paths: DataPaths) -> None:
    """Fits the scaling constants to the rounds and draws their plots, unless there are constants already."""
    if not paths.scaling.exists() and months_in(paths.rounds):
        fit(paths)


def rounds_source(config: RunConfig, paths: DataPaths) -> RoundsSource:
    """The rounds of the run's months as a sample source, even if the run was trained from shards."""
    return RoundsSource([month_file(paths.rounds, month) for month in months_of(config, paths)], spec(config.spec))


def months_of(config: RunConfig, paths: DataPaths) -> list[str]:
    """The stored months in the run's window."""
    data = config.data
    first, last = data.first_month or "", data.last_month or "9999"
    there = months_in(paths.rounds)
    months = [month for month in there if first <= month <= last]
    window = f"{data.first_month or 'the first month'} to {data.last_month or 'the last'}"
    if not months:
        raise InputError(f"{paths.rounds}: no rounds from {window}; expected months that tichu ingest makes")
    if data.source == "rounds":
        return months
    read = spec(config.spec)
    there = [month for month in months if shard_file(paths, read, month).exists()]
    if data.first_month or data.last_month:
        wrong = [month for month in months if not is_current(paths, read, month)]
    else:
        wrong = [month for month in there if not is_current(paths, read, month)]
    if wrong or not there:
        raise InputError(
            f"{paths.features / read.name}: {'no shards of ' + window if not there else 'no current shard of'} "
            f"{', '.join(wrong[:3])}: materialise the stage features with spec {read.name}, or set data.source=rounds"
        )
    return there


def _manifest(
    config: RunConfig, source: RoundsSource | ShardSource, scaling: Scaling, months: list[str]
) -> RunManifest:
    """The manifest of a run with these settings and inputs."""
    read = source.spec
    used = sorted({group.scaled_by for group in read.table if group.scaled_by})
    constants = {name: scaling.variables[name] for name in used}
    return RunManifest(
        network=config.architecture.name,
        config=config.network,
        spec=SpecStamp.of(read),
        inputs=sum(name != RTG.name for name in read.names),
        scaling={
            name: {"offset": c.offset, "scale": c.scale, "clip": [c.low, c.high]} for name, c in constants.items()
        },
        data={
            "months": f"{months[0]}..{months[-1]}",
            "rounds": hashlib.sha256(source.fingerprint.encode()).hexdigest(),
            "version": str(VERSION),
        },
        seed=config.training.seed,
        training=config.plain(),
    )


def _classes(arrays: Any, read: Spec) -> np.ndarray:
    """The class of each sample of a batch."""
    labels = arrays.labels.reshape(-1, arrays.labels.shape[-1])[arrays.mask.reshape(-1)]
    return classes_of_labels(labels, read.label)


def _kind(config: RunConfig) -> str:
    """The number type of the features: the one to which the network's first layer would convert them."""
    from tichu_models.learning.hardware import precision_of

    return BFLOAT16 if precision_of(config.training) == "bf16-mixed" else FLOAT32
