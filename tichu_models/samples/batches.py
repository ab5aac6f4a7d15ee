"""`Batch`, samples as tensors, and `BatchSource`, which yields the batches of an epoch and can be resumed.

A Batch is all that objectives know of data, a BatchSource all that the training loop knows. `feed` makes both from a
loader; `InMemory` is a source of samples that fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates


class Batch(NamedTuple):
    """n decisions as tensors; or n sequences of t turns (DTNet), whose tensors are (n, t, ..) instead of (n, ..)."""

    state: Tensor  # (n, inputs)
    target: Tensor  # (n, labels) the answer that was given, zeros and ones in the order of the spec's label
    value: Tensor  # (n,) points / 100 by which the own team wins the round
    rtg: Tensor  # (n,) return to go: the part of the value that is still to come
    cards_played: Tensor  # (n,) how many of the 56 cards were played before
    weight: Tensor  # (n,) weight in the loss; 0 for the padding of sequences with fewer than t turns
    candidates: Candidates | None = None  # the legal moves of all decisions (of sequences: n * t)

    def take(self, chosen: Tensor) -> Batch:
        """Some of the decisions or sequences (k,), in the order given."""
        candidates = self.candidates
        if candidates is not None:
            turns = self.weight[0].numel()
            candidates = candidates.take((chosen[:, None] * turns + torch.arange(turns)).flatten())
        return Batch(
            *(self.state[chosen], self.target[chosen], self.value[chosen], self.rtg[chosen]),
            *(self.cards_played[chosen], self.weight[chosen], candidates),
        )


class BatchSource(Protocol):
    """Batches of one split. Each iteration is an epoch; the same seed gives the same batches, resumed or not."""

    def __iter__(self) -> Iterator[Batch]:
        """The rest of the current epoch, or the next one if that has ended."""
        ...

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """The position within the epochs, as plain data for a file."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at a position."""
        ...


class InMemory:
    """A BatchSource of samples in memory, shuffled anew in every epoch; without a seed they keep their order."""

    def __init__(self, samples: Batch, batch_size: int, seed: int | None = None) -> None:
        self.samples = samples
        self.batch_size = batch_size
        self.seed = seed
        self.epoch, self.done = 0, 0

    def __len__(self) -> int:
        return (len(self.samples.weight) + self.batch_size - 1) // self.batch_size

    def __iter__(self) -> Iterator[Batch]:
        if self.done == len(self):
            self.epoch, self.done = self.epoch + 1, 0
        for chosen in self._order().split(self.batch_size)[self.done :]:
            self.done += 1
            yield self.samples.take(chosen)

    def _order(self) -> Tensor:
        """The order of the samples in the current epoch."""
        n = len(self.samples.weight)
        if self.seed is None:
            return torch.arange(n)
        return torch.randperm(n, generator=torch.Generator().manual_seed(self.seed << 20 | self.epoch))

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.done = state["epoch"], state["done"]
