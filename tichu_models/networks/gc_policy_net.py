"""GCPolicyNet: which cards a person would play who still wins this many points from here (concept 5.2).

Its value head says how many that will be. It stands on the body alone and never sees the return it is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tichu_models.networks.configs import GCPolicyConfig
from tichu_models.networks.layers import body, policy_outputs, stack


class PolicyAndValue(NamedTuple):
    """Log-odds of cards and pass, and the return to go in points / 100."""

    policy: Tensor
    value: Tensor


class GCPolicyNet(nn.Module):
    """State and return to go -> policy and value. A player calls the parts: `think` once, `judge`, then `act`."""

    def __init__(self, inputs: int, config: GCPolicyConfig) -> None:
        super().__init__()
        thought = config.body[-1] if config.body else inputs
        self.body = body(inputs, config.body, config.dropout)
        self.policy_head = stack(thought + 1, config.policy, policy_outputs(config.hierarchical))
        self.value_head = stack(thought, config.value, 1)

    def think(self, state: Tensor) -> Tensor:
        """(n, inputs) -> (n, width of the body)."""
        return self.body(state)

    def judge(self, thought: Tensor) -> Tensor:
        """The return to go that is to be expected: (n,)."""
        return self.value_head(thought)[:, 0]

    def act(self, thought: Tensor, rtg: Tensor) -> Tensor:
        """The policy of who still makes `rtg` (n,): (n, 57)."""
        return self.policy_head(torch.cat([thought, rtg[:, None].to(thought.dtype)], dim=1))

    def forward(self, state: Tensor, rtg: Tensor) -> PolicyAndValue:
        """(n, inputs), (n,) -> (n, 57), (n,)."""
        thought = self.think(state)
        return PolicyAndValue(self.act(thought, rtg), self.judge(thought))
