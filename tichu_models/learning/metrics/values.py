"""How near a predicted number comes, over the whole round and by stage: how many cards have been played.

R2 is the share of the variance that is explained, within the stage; the mean of the stage explains none.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tichu_models.learning.metrics.tally import Tally
from tichu_models.rules.cards import NUM_CARDS

CARDS_A_PHASE = 7  # cards played; mid-round is the stage from 28 on
PHASES = NUM_CARDS // CARDS_A_PHASE


class ValueMetric:
    """MSE, MAE and R2."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, value: Tensor, target: Tensor, cards_played: Tensor) -> None:
        """Predictions and what came (n,), and how many of the 56 cards had been played."""
        value, target = value.detach().double(), target.double()
        error = value - target
        columns = torch.stack([torch.ones_like(error), target, target.square(), error.square(), error.abs()], dim=1)
        stage = (cards_played // CARDS_A_PHASE).clamp(max=PHASES - 1)
        self.tally.add("stages", columns.new_zeros(PHASES, 5).index_add(0, stage, columns))

    def figures(self) -> dict[str, float]:
        """`mse`, `mae`, `r2`, `base_mse` (of the mean), `samples`; each again by stage, as `r2_from_28`."""
        if "stages" not in self.tally:
            return {}
        stages = self.tally["stages"]
        found = _figures(stages.sum(0), "")
        for stage, sums in enumerate(stages):
            found |= _figures(sums, f"_from_{stage * CARDS_A_PHASE}")
        return found


def _figures(sums: np.ndarray, ending: str) -> dict[str, float]:
    n, total, squares, squared_error, absolute_error = (float(each) for each in sums)
    if not n:
        return {}
    variance = max(squares / n - (total / n) ** 2, 0.0)
    found = {"samples": n, "mse": squared_error / n, "mae": absolute_error / n, "base_mse": variance}
    if variance > 0:
        found["r2"] = 1 - found["mse"] / variance
    return {name + ending: value for name, value in found.items()}
