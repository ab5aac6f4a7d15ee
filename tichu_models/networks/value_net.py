"""ValueNet: the points / 100 by which the own team will win the round (concept 4.2)."""

from __future__ import annotations

from torch import Tensor, nn

from tichu_models.networks.configs import ValueConfig
from tichu_models.networks.layers import stack


class ValueNet(nn.Module):
    """State -> expected difference of the round's score."""

    def __init__(self, inputs: int, config: ValueConfig) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, 1, config.dropout)

    def forward(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n,)."""
        return self.layers(state)[:, 0]
