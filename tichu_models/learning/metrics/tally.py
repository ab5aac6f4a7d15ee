"""Tallies: the sums of a metric, which add up over batches and over processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np
from torch import Tensor


class Metric(Protocol):
    """A measure that is updated batch by batch. Figures over no samples are left out."""

    tally: Tally

    def figures(self) -> dict[str, float]:
        """The figures of all batches so far, by name."""
        ...


class Tally:
    """Named arrays of float64, each the sum of the arrays that were added under its name."""

    def __init__(self, sums: Mapping[str, np.ndarray] | None = None) -> None:
        self.sums = dict(sums or {})

    def add(self, name: str, value: Tensor | np.ndarray) -> None:
        """Adds an array, of the same shape every time."""
        given = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        array = given.astype(np.float64)  # a copy
        self.sums[name] = self.sums[name] + array if name in self.sums else array

    def merge(self, other: Tally) -> Self:
        """Adds the sums of another tally."""
        for name, value in other.sums.items():
            self.add(name, value)
        return self

    def __getitem__(self, name: str) -> np.ndarray:
        return self.sums[name]

    def __contains__(self, name: str) -> bool:
        return name in self.sums
