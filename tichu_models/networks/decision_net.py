"""DecisionNet: the answers to one kind of question other than plays. `architectures` lists the seven of them."""

from __future__ import annotations

from torch import Tensor, nn

from tichu_models.networks.configs import DecisionConfig
from tichu_models.networks.layers import stack


class DecisionNet(nn.Module):
    """State -> a number for each answer, in the order of the spec's label: log-odds, or logits of a softmax."""

    def __init__(self, inputs: int, config: DecisionConfig, outputs: int) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, outputs, config.dropout)

    def forward(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n, outputs)."""
        return self.layers(state)
