"""DecisionNet: the answers to one question other than what to play. `registry` says which questions there are."""

from __future__ import annotations

from torch import Tensor, nn

from tichu_models.networks.configs import DecisionConfig
from tichu_models.networks.layers import stack


class DecisionNet(nn.Module):
    """State -> one number an answer, as the spec's label names them: log-odds, or what a softmax is taken of."""

    def __init__(self, inputs: int, config: DecisionConfig, outputs: int) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, outputs, config.dropout)

    def forward(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n, outputs)."""
        return self.layers(state)
