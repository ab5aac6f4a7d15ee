"""Metric of predicted values, over all decisions and by phase of the round, which is the number of cards played.

R2 is the share of the variance that is explained within the phase; the mean of the phase, the baseline, explains none.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tichu_models.learning.metrics.tally import Tally
from tichu_models.rules.cards import NUM_CARDS

CARDS_A_PHASE = 7  # cards played; the middle of a round is the phase from 28 on
PHASES = NUM_CARDS // CARDS_A_PHASE


class ValueMetric:
    """MSE, MAE and R2."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, value: Tensor, target: Tensor, cards_played: Tensor) -> None:
        """Adds predictions and true values (n,), with the number of cards that had been played (n,)."""
        value, target = value.detach().double(), target.double()
        error = value - target
        columns = torch.stack([torch.ones_like(error), target, target.square(), error.square(), error.abs()], dim=1)
        phase = (cards_played // CARDS_A_PHASE).clamp(max=PHASES - 1)
        self.tally.add("phases", columns.new_zeros(PHASES, 5).index_add(0, phase, columns))

    def figures(self) -> dict[str, float]:
        """`mse`, `mae`, `r2`, `base_mse` (of the mean), `samples`; each again by phase, as `r2_from_28`."""
        if "phases" not in self.tally:
            return {}
        phases = self.tally["phases"]
        figures = _figures(phases.sum(0), "")
        for phase, sums in enumerate(phases):
            figures |= _figures(sums, f"_from_{phase * CARDS_A_PHASE}")
        return figures


def _figures(sums: np.ndarray, ending: str) -> dict[str, float]:
    """The figures of the sums of a phase, their names with this ending."""
    n, total, squares, squared_error, absolute_error = (float(each) for each in sums)
    if not n:
        return {}
    variance = max(squares / n - (total / n) ** 2, 0.0)
    figures = {"samples": n, "mse": squared_error / n, "mae": absolute_error / n, "base_mse": variance}
    if variance > 0:
        figures["r2"] = 1 - figures["mse"] / variance
    return {name + ending: value for name, value in figures.items()}
