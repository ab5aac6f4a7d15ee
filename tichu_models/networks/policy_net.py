"""PolicyNet: which cards a person would play in this state (concept 5.1)."""

from __future__ import annotations

from torch import Tensor, nn

from tichu_models.networks.configs import PolicyConfig
from tichu_models.networks.layers import policy_outputs, stack


class PolicyNet(nn.Module):
    """State -> log-odds of each card and of the pass."""

    def __init__(self, inputs: int, config: PolicyConfig) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, policy_outputs(config.hierarchical), config.dropout)

    def forward(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n, 57), or (n, 58) if hierarchical."""
        return self.layers(state)
