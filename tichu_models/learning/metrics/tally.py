"""Sums that add up: over batches, and over processes that each saw a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np
from torch import Tensor


class Metric(Protocol):
    """What is gathered over batches, and the figures it comes to. A figure of no samples is left out."""

    tally: Tally

    def figures(self) -> dict[str, float]: ...


class Tally:
    """Named arrays of float64, each the sum of what was added under its name."""

    def __init__(self, sums: Mapping[str, np.ndarray] | None = None) -> None:
        self.sums = dict(sums or {})

    def add(self, name: str, value: Tensor | np.ndarray) -> None:
        """Adds an array, of the same shape every time."""
        given = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        array = given.astype(np.float64)  # a copy
        self.sums[name] = self.sums[name] + array if name in self.sums else array

    def merge(self, other: Tally) -> Self:
        """Adds all that another one gathered."""
        for name, value in other.sums.items():
            self.add(name, value)
        return self

    def __getitem__(self, name: str) -> np.ndarray:
        return self.sums[name]

    def __contains__(self, name: str) -> bool:
        return name in self.sums
