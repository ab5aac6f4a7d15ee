"""From the loader's arrays to what a run takes: batches of tensors, in epochs of a length that is known beforehand.

A loader goes through all samples again and again and cannot say how many there are before it has read them; the
learning rate must know when the run ends. Here an epoch is a number of batches, wherever the loader's own ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.samples.batches import Batch

PLAYED, RTG = "played_cards.", "rtg"


class Arrays(Protocol):
    """A loader's batch: (n, ..), or (n, turns, ..) with the turns that are none first. bfloat16 comes as its bits."""

    features: np.ndarray
    labels: np.ndarray
    value: np.ndarray  # points
    rtg: np.ndarray  # points / 100
    mask: np.ndarray  # (n, turns) whether there is a turn
    moves: np.ndarray | None  # legal plays of all turns end to end
    move_counts: np.ndarray | None  # (n * turns,)


class ArrayLoader(Protocol):
    """Iterating gives the rest of an epoch; the next time, the next epoch. Its state is that after the last batch."""

    def __iter__(self) -> Iterator[Any]: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class EmptyError(ValueError):
    """A loader without samples."""


class Tensors:
    """Turns a loader's arrays of one spec into batches. The return to go, if the spec has it, is no part of a state."""

    def __init__(self, names: Sequence[str]) -> None:
        played = [place for place, name in enumerate(names) if name.startswith(PLAYED)]
        self.played = slice(played[0], played[-1] + 1) if played else slice(0, 0)
        self.kept = [place for place, name in enumerate(names) if name != RTG]
        self.has_rtg = len(self.kept) < len(names)

    @property
    def inputs(self) -> int:
        """Features of a state."""
        return len(self.kept)

    def __call__(self, arrays: Arrays) -> Batch:
        features, target = _tensor(arrays.features), _tensor(arrays.labels)
        value, rtg, mask = _tensor(arrays.value) / VALUE_UNIT, _tensor(arrays.rtg), _tensor(arrays.mask)
        candidates = None
        if arrays.moves is not None and arrays.move_counts is not None:
            candidates = Candidates.of_counts(_tensor(arrays.moves), _tensor(arrays.move_counts))
        if features.ndim == 3:
            first = mask.long().argmax(1, keepdim=True)  # turns that are none go to the end, where nothing sees them
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
    """A loader's batches in epochs of equal length: a `batches.Source`."""

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
        empty = 0
        while empty < 2:  # the rest of an epoch may be nothing, a whole one may not
            empty += 1
            for arrays in self.loader:
                empty = 0
                yield arrays
        raise EmptyError("no whole batch of samples: expected more rounds, or a smaller training.batch_size")


def _tensor(array: np.ndarray) -> Tensor:
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if array.dtype == np.int16 else tensor
