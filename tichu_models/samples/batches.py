"""What a network is trained on: batches of samples as tensors, from a source that can be left and taken up again.

`Batch` is all that objectives know of data, and `Source` all that the training loop does. Where samples come from does
not belong here, but for those that are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates


class Batch(NamedTuple):
    """n decisions. Of sequences (DTNet), n seats in a round of t turns each: tensors are (n, t) instead of (n,)."""

    state: Tensor  # (n, inputs)
    target: Tensor  # (n, labels) what was done, zeros and ones as the spec names them
    value: Tensor  # (n,) what the own team wins the round by, in points / 100
    rtg: Tensor  # (n,) what of that is still to come
    cards_played: Tensor  # (n,) of the 56
    weight: Tensor  # (n,) in the loss; 0 leaves a decision out, and fills up a sequence that is shorter than t
    candidates: Candidates | None = None  # the legal moves of all decisions (of sequences: n * t)

    def take(self, chosen: Tensor) -> Batch:
        """Some of the decisions (k,), in that order."""
        candidates = self.candidates
        if candidates is not None:
            turns = self.weight[0].numel()
            candidates = candidates.take((chosen[:, None] * turns + torch.arange(turns)).flatten())
        return Batch(
            *(self.state[chosen], self.target[chosen], self.value[chosen], self.rtg[chosen]),
            *(self.cards_played[chosen], self.weight[chosen], candidates),
        )


class BatchSource(Protocol):
    """Batches of one split, an epoch an iteration; the same for the same seed, whatever was done in between."""

    def __iter__(self) -> Iterator[Batch]:
        """The rest of the epoch that was begun, or the next one."""
        ...

    def __len__(self) -> int:
        """Batches of a whole epoch."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Where it stands: plain data, for a file."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from there."""
        ...


class InMemory:
    """Samples that fit into memory, shuffled anew in every epoch; without a seed in their order."""

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
        for chosen in self._request().split(self.batch_size)[self.done :]:
            self.done += 1
            yield self.samples.take(chosen)

    def _request(self) -> Tensor:
        n = len(self.samples.weight)
        if self.seed is None:
            return torch.arange(n)
        return torch.randperm(n, generator=torch.Generator().manual_seed(self.seed << 20 | self.epoch))

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.done = state["epoch"], state["done"]
