"""From a loader's arrays to batches of tensors (`Tensors`), and to epochs of a planned length (`Epochs`).

A loader does not know how many batches an epoch has before it has read all samples, but the schedule of the learning
rate must know when the run ends. Therefore an epoch is a number of batches here, whatever the loader's own epochs are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.samples.arrays import ArrayBatch
from tichu_models.samples.batches import Batch

PLAYED, RTG = "played_cards.", "rtg"


class ArrayLoader(Protocol):
    """A loader as `Epochs` needs it: each iteration yields the rest of an epoch, the next one the next epoch."""

    def __iter__(self) -> Iterator[Any]: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class EmptyError(ValueError):
    """A loader without a single whole batch."""


class Tensors:
    """Turns an ArrayBatch of one spec into a Batch. `names` are the features of the spec; the return to go is left out
    of the state."""

    def __init__(self, names: Sequence[str]) -> None:
        played = [place for place, name in enumerate(names) if name.startswith(PLAYED)]
        self.played = slice(played[0], played[-1] + 1) if played else slice(0, 0)
        self.kept = [place for place, name in enumerate(names) if name != RTG]
        self.has_rtg = len(self.kept) < len(names)

    @property
    def inputs(self) -> int:
        """The number of features of a state."""
        return len(self.kept)

    def __call__(self, arrays: ArrayBatch) -> Batch:
        """The tensors share the memory of the arrays where they can."""
        features, target = _tensor(arrays.features), _tensor(arrays.labels)
        value, rtg, mask = _tensor(arrays.value) / VALUE_UNIT, _tensor(arrays.rtg), _tensor(arrays.mask)
        candidates = None
        if arrays.moves is not None and arrays.move_counts is not None:
            candidates = Candidates.of_counts(_tensor(arrays.moves), _tensor(arrays.move_counts))
        if features.ndim == 3:
            first = mask.long().argmax(1, keepdim=True)  # padding goes to the end, where causal attention ignores it
            place = (first + torch.arange(mask.shape[1])).clamp(max=mask.shape[1] - 1)
            rows = torch.arange(len(mask))[:, None]
            features, target, value, rtg = (part[rows, place] for part in (features, target, value, rtg))
            if candidates is not None:
                candidates = candidates.take((rows * mask.shape[1] + place).flatten())
            mask = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
        else:
            mask = mask[:, 0]
        played = features[..., self.played].float().sum(-1).long()
        state = features[..., self.kept] if self.has_rtg else features
        return Batch(state, target, value, rtg, played, mask.float(), candidates)


class Epochs:
    """The BatchSource of a loader, in epochs of `batches` batches."""

    def __init__(self, loader: ArrayLoader, batches: int, as_batch: Callable[[Any], Batch]) -> None:
        self.loader, self.batches, self.as_batch = loader, batches, as_batch
        self.done = 0
        self._endless = self._again_and_again()

    def __len__(self) -> int:
        return self.batches

    def __iter__(self) -> Iterator[Batch]:
        self.done %= self.batches
        while self.done < self.batches:
            arrays = next(self._endless)
            self.done += 1
            yield self.as_batch(arrays)

    def state_dict(self) -> dict[str, Any]:
        return {"done": self.done, "loader": self.loader.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.done = state["done"]
        self.loader.load_state_dict(state["loader"])
        self._endless = self._again_and_again()

    def _again_and_again(self) -> Iterator[Any]:
        """The loader's batches, epoch after epoch without end."""
        empty = 0
        while empty < 2:  # the rest of an epoch may be empty, a whole epoch may not
            empty += 1
            for arrays in self.loader:
                empty = 0
                yield arrays
        raise EmptyError("no whole batch of samples: expected more rounds, or a smaller training.batch_size")


def _tensor(array: np.ndarray) -> Tensor:
    """The array as a tensor, without a copy; the bits of bfloat16 as bfloat16."""
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if array.dtype == np.int16 else tensor
