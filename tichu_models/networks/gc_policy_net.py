"""GCPolicyNet: a goal-conditioned policy, the cards a person would play who still wins this return to go (concept 5.2).

A value head predicts the return to go. It reads the shared body only and never sees the goal, which it would copy.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from tichu_models.networks.configs import GCPolicyConfig
from tichu_models.networks.layers import body, policy_outputs, stack


class PolicyAndValue(NamedTuple):
    """Outputs: log-odds of cards and pass, and the expected return to go in points / 100."""

    policy: Tensor
    value: Tensor


class GCPolicyNet(nn.Module):
    """State and return to go -> policy and value. An agent calls the parts: `embed`, then `value`, then `policy`."""

    def __init__(self, inputs: int, config: GCPolicyConfig) -> None:
        super().__init__()
        width = config.body[-1] if config.body else inputs
        self.body = body(inputs, config.body, config.dropout)
        self.policy_head = stack(width + 1, config.policy, policy_outputs(config.hierarchical))
        self.value_head = stack(width, config.value, 1)

    def embed(self, state: Tensor) -> Tensor:
        """The body: (n, inputs) -> (n, width of the body)."""
        return self.body(state)

    def value(self, embedding: Tensor) -> Tensor:
        """The expected return to go: (n,)."""
        return self.value_head(embedding)[:, 0]

    def policy(self, embedding: Tensor, rtg: Tensor) -> Tensor:
        """The policy that aims at the return to go `rtg` (n,): (n, 57)."""
        return self.policy_head(torch.cat([embedding, rtg[:, None].to(embedding.dtype)], dim=1))

    def forward(self, state: Tensor, rtg: Tensor) -> PolicyAndValue:
        """(n, inputs), (n,) -> (n, 57), (n,)."""
        embedding = self.embed(state)
        return PolicyAndValue(self.policy(embedding, rtg), self.value(embedding))
