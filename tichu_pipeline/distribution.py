"""Distributions of whole numbers, as counts of each value, and their statistics.

Points and scores take few different values: a billion of them make a short table, and every statistic is exact, the
quantiles included. Tests for normality are meant for samples and get a seeded one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

SAMPLE = 5_000  # the largest sample for which the approximation of Shapiro-Wilk holds
SEED = 20_250_726


@dataclass(frozen=True)
class Distribution:
    """Values in ascending order, and the count of each."""

    values: np.ndarray
    counts: np.ndarray

    @staticmethod
    def of(values: np.ndarray, counts: np.ndarray | None = None) -> Distribution:
        """The distribution of values in any order, which count once each or as often as `counts` says."""
        distinct, inverse = np.unique(values, return_inverse=True)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, inverse, 1 if counts is None else counts)
        return Distribution(distinct[sums > 0].astype(np.int64), sums[sums > 0])

    @staticmethod
    def sum(parts: Iterable[Distribution]) -> Distribution:
        """The distribution of all parts together."""
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
        """The standard deviation, with n - 1 as the divisor."""
        return float(np.sqrt(self._moment(2) * self.n / (self.n - 1))) if self.n > 1 else 0.0

    @property
    def skewness(self) -> float:
        """The skewness, 0 for a symmetric shape."""
        return self._moment(3) / self._moment(2) ** 1.5 if self._moment(2) else 0.0

    @property
    def excess_kurtosis(self) -> float:
        """The excess kurtosis, 0 for a normal distribution, -1.2 for a uniform one."""
        return self._moment(4) / self._moment(2) ** 2 - 3 if self._moment(2) else 0.0

    def _moment(self, power: int) -> float:
        return float(np.average((self.values - self.mean) ** power, weights=self.counts))

    def quantile(self, q: float) -> float:
        """The quantile by linear interpolation, as numpy.quantile computes it."""
        place = q * (self.n - 1)
        ranks = np.cumsum(self.counts)
        low, high = (self.values[np.searchsorted(ranks, int(at), side="right")] for at in (place, np.ceil(place)))
        return float(low + (place - int(place)) * (high - low))

    def clipped(self, low: float, high: float) -> Distribution:
        """The distribution with values beyond the bounds set to the bounds."""
        return Distribution.of(np.clip(self.values, low, high), self.counts)

    def sample(self) -> np.ndarray:
        """Up to SAMPLE of the values, the same ones in each call; all values if there are no more."""
        if self.n <= SAMPLE:
            return np.repeat(self.values, self.counts)
        rng = np.random.default_rng(SEED)
        return np.repeat(self.values, rng.multinomial(SAMPLE, self.counts / self.n))
