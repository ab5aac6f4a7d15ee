"""How often each whole number occurs, and what follows from that.

Points and scores take few different values, so that a billion of them are a short table, and every statistic is exact,
the quantiles too. The two tests for normality are meant for samples and get a seeded one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

SAMPLE = 5_000  # what Shapiro-Wilk's approximation is good for
SEED = 20_250_726


@dataclass(frozen=True)
class Distribution:
    """Values in ascending order, and how often each occurs."""

    values: np.ndarray
    counts: np.ndarray

    @staticmethod
    def of(values: np.ndarray, counts: np.ndarray | None = None) -> Distribution:
        """From values in any order, each as often as `counts` says, or once."""
        found, inverse = np.unique(values, return_inverse=True)
        sums = np.zeros(len(found), dtype=np.int64)
        np.add.at(sums, inverse, 1 if counts is None else counts)
        return Distribution(found[sums > 0].astype(np.int64), sums[sums > 0])

    @staticmethod
    def sum(parts: Iterable[Distribution]) -> Distribution:
        """All parts together."""
        several = list(parts)
        return Distribution.of(
            np.concatenate([part.values for part in several]), np.concatenate([part.counts for part in several])
        )

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(np.average(self.values, weights=self.counts))

    @property
    def sd(self) -> float:
        """Divided by n - 1."""
        return float(np.sqrt(self._moment(2) * self.n / (self.n - 1))) if self.n > 1 else 0.0

    @property
    def skewness(self) -> float:
        """0 for a symmetric shape."""
        return self._moment(3) / self._moment(2) ** 1.5 if self._moment(2) else 0.0

    @property
    def excess_kurtosis(self) -> float:
        """0 for a bell, -1.2 for equal frequencies."""
        return self._moment(4) / self._moment(2) ** 2 - 3 if self._moment(2) else 0.0

    def _moment(self, power: int) -> float:
        return float(np.average((self.values - self.mean) ** power, weights=self.counts))

    def quantile(self, q: float) -> float:
        """Between two neighbours in proportion, as numpy.quantile does."""
        place = q * (self.n - 1)
        behind = np.cumsum(self.counts)
        low, high = (self.values[np.searchsorted(behind, int(at), side="right")] for at in (place, np.ceil(place)))
        return float(low + (place - int(place)) * (high - low))

    def clipped(self, low: float, high: float) -> Distribution:
        """What is beyond the bounds pressed onto them."""
        return Distribution.of(np.clip(self.values, low, high), self.counts)

    def sample(self) -> np.ndarray:
        """Up to SAMPLE of the values, always the same ones; all if there are no more."""
        if self.n <= SAMPLE:
            return np.repeat(self.values, self.counts)
        rng = np.random.default_rng(SEED)
        return np.repeat(self.values, rng.multinomial(SAMPLE, self.counts / self.n))
