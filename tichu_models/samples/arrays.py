"""From packed samples to an `ArrayBatch`: features, labels, targets and legal moves as NumPy arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.unpack import FLOAT32, Unpacker, unpack_targets
from tichu_models.samples.legal_moves import MoveFinder


class ArrayBatch(NamedTuple):
    """The samples of a batch. Rows are single samples, or sequences of `steps` samples."""

    features: np.ndarray  # (rows, size), or (rows, steps, size); bfloat16 as its bits, int16
    labels: np.ndarray  # (rows, labels), or (rows, steps, labels)
    value: np.ndarray  # float32: points by which the own team wins the round
    rtg: np.ndarray  # float32: return to go, in points / 100
    mask: np.ndarray  # bool (rows, steps): whether there is a step; for single samples (rows, 1), all true
    moves: np.ndarray | None = None  # packed plays that were legal, of all rows and steps end to end, if asked for
    move_counts: np.ndarray | None = None  # (rows * steps,): how many of them each step has


class SampleUnpacker:
    """Unpacks samples of one spec into arrays. They are views of buffers, which the next batch overwrites."""

    def __init__(
        self,
        spec: Spec,
        rows: int,
        scaling: Scaling | None = None,
        kind: str = FLOAT32,
        steps: int = 1,
        moves: bool = False,
    ) -> None:
        """`rows` is the most rows of a batch, `steps` the length of sequences; `moves` adds the legal moves."""
        self.spec, self.steps = spec, steps
        self._unpacker = Unpacker(spec, scaling, kind)
        self._finder = MoveFinder(spec) if moves else None
        samples = rows * steps
        self._features = self._unpacker.buffer(samples, spec.size)
        self._labels = self._unpacker.buffer(samples, len(spec.label_names))
        self._values, self._rtgs = np.empty(samples, dtype=np.float32), np.empty(samples, dtype=np.float32)

    def batch(self, samples: np.ndarray, mask: np.ndarray) -> ArrayBatch:
        """The batch of packed samples (rows * steps, words), of which `mask` (rows, steps) says which there are."""
        n = len(samples)
        features = self._unpacker.features(samples, self._features)
        labels = self._unpacker.labels(samples, self._labels)
        unpack_targets(samples, n, self.spec.width, self._values, self._rtgs)
        shape = (n,) if self.steps == 1 else mask.shape
        return ArrayBatch(
            features.reshape(*shape, -1),
            labels.reshape(*shape, -1),
            self._values[:n].reshape(shape),
            self._rtgs[:n].reshape(shape),
            mask,
            *(self._finder.of(samples) if self._finder else ()),
        )
