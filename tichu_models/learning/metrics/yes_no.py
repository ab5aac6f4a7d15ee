"""Metric of yes-no questions: whether probabilities separate yes from no (AUC), and are calibrated (Brier, ECE).

The baseline always answers the base rate. The AUC is computed from a histogram of log-odds; its bins are so narrow that
it does not matter that pairs within one bin count half.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from tichu_models.learning.metrics.tally import Tally

RELIABILITY_BINS = 15
ODDS_MOST, ODDS_BINS = 16.0, 1 << 15


class Reliability(NamedTuple):
    """A reliability diagram: the bins of predicted probability, all of the same width, without the empty ones."""

    predicted: np.ndarray  # mean probability
    observed: np.ndarray  # share of yes
    samples: np.ndarray


class YesNoMetric:
    """AUC, Brier score and skill, expected calibration error, NLL."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, odds: Tensor, target: Tensor) -> None:
        """Adds log-odds and answers (0 or 1), both (n,)."""
        odds, target = odds.detach().double(), target.double()
        p = odds.sigmoid()
        nll = binary_cross_entropy_with_logits(odds, target, reduction="sum")
        self.tally.add("sums", torch.stack([torch.ones_like(p).sum(), target.sum(), (p - target).square().sum(), nll]))
        place = (p * RELIABILITY_BINS).long().clamp(max=RELIABILITY_BINS - 1)
        columns = torch.stack([p, target, torch.ones_like(p)], dim=1)
        self.tally.add("bins", columns.new_zeros(RELIABILITY_BINS, 3).index_add(0, place, columns))
        fine = ((odds / ODDS_MOST + 1) / 2 * ODDS_BINS).long().clamp(0, ODDS_BINS - 1)
        sides = torch.stack([1 - target, target], dim=1)
        self.tally.add("odds", sides.new_zeros(ODDS_BINS, 2).index_add(0, fine, sides))

    def figures(self) -> dict[str, float]:
        """`auc`, `brier`, `brier_skill`, `ece`, `nll`, `base_rate`, `base_brier`, `base_nll`, `samples`."""
        if "sums" not in self.tally:
            return {}
        n, yes, brier, nll = self.tally["sums"]
        rate = yes / n
        figures = {"samples": n, "base_rate": rate, "brier": brier / n, "nll": nll / n, "ece": self._ece(n)}
        if 0 < yes < n:
            base = rate * (1 - rate)
            figures |= {
                "base_brier": base,
                "base_nll": -rate * np.log(rate) - (1 - rate) * np.log(1 - rate),
                "brier_skill": 1 - brier / n / base,
                "auc": self._auc(),
            }
        return {name: float(value) for name, value in figures.items()}

    def reliability(self) -> Reliability:
        """The reliability diagram of all batches so far."""
        predicted, observed, samples = self.tally["bins"].T
        there = samples > 0
        return Reliability(predicted[there] / samples[there], observed[there] / samples[there], samples[there])

    def _ece(self, n: float) -> float:
        """The expected calibration error."""
        predicted, observed, _ = self.tally["bins"].T
        return np.abs(predicted - observed).sum() / n

    def _auc(self) -> float:
        """The area under the ROC curve."""
        no, yes = self.tally["odds"].T
        below = no.cumsum() - no
        return (yes * (below + no / 2)).sum() / (yes.sum() * no.sum())
