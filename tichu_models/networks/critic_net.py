"""CriticRLNet: what a position with all hands open is worth. It judges decisions in training and never plays."""

from __future__ import annotations

from torch import Tensor, nn

from tichu_models.networks.configs import CriticConfig
from tichu_models.networks.layers import stack


class CriticRLNet(nn.Module):
    """All hands -> points / 100 by which the team of the seat that is asked will win the round."""

    def __init__(self, inputs: int, config: CriticConfig) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, 1)

    def forward(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n,)."""
        return self.layers(state)[:, 0]
