"""DTNet: a decision transformer over the turns of one seat in a round (concept 5.3).

A turn is three tokens: the return to go, the state, the action; or two, with return and state merged (`merged`).
Attention looks back only, so that the padding after a sequence's last turn changes nothing. Policy and value of a turn
are read from its state token. A narrow token cannot hold all 56 cards; the policy head may therefore also read the
state itself (`direct`).

The return to go in the input is the very number that the value head has to predict. A sequence may leave it open
(`known` false): one learned token then replaces its return tokens. The value is trained and asked for only there.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tichu_models.networks.configs import DTConfig
from tichu_models.networks.gc_policy_net import PolicyAndValue
from tichu_models.networks.interface import FLAT_OUTPUTS
from tichu_models.networks.layers import Dropout, policy_outputs, stack


class EncoderLayer(nn.Module):
    """A pre-norm transformer layer: causal attention, then a feed-forward part, each with a residual connection.

    The attention matrix is computed as such: for 60 tokens that is twice as fast on a CPU as fused attention.
    """

    def __init__(self, config: DTConfig) -> None:
        super().__init__()
        width = config.d_model
        self.heads = config.heads
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.joined = nn.Linear(width, width)
        self.feedforward = nn.Sequential(nn.LayerNorm(width), *stack(width, (config.feedforward,), width))
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(b, tokens, width) -> the same."""
        x = x + self.dropout(self.joined(self._attend(self.norm(x))))
        return x + self.dropout(self.feedforward(x))

    def _attend(self, x: Tensor) -> Tensor:
        """Causal multi-head attention, before its output projection."""
        batch, tokens, width = x.shape
        parts = self.query_key_value(x).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4).flatten(1, 2)
        query, key, value = parts
        later = torch.full((tokens, tokens), -torch.inf, dtype=query.dtype, device=x.device).triu(1)
        scale = 1 / math.sqrt(width // self.heads)
        weights = torch.baddbmm(later.expand(len(query), -1, -1), query, key.mT, alpha=scale).softmax(-1)
        seen = weights.to(value.dtype) @ value
        return seen.view(batch, self.heads, tokens, -1).transpose(1, 2).reshape(batch, tokens, width)


class DTNet(nn.Module):
    """Returns, states and actions of the last turns -> policy and value of each turn."""

    def __init__(self, inputs: int, config: DTConfig) -> None:
        super().__init__()
        width = config.d_model
        self.merged, self.direct = config.merged, config.direct
        self.of_rtg = nn.Linear(1, width)
        self.of_unknown_rtg = nn.Parameter(torch.randn(width) * 0.02)
        self.of_state = nn.Linear(inputs, width)
        self.of_action = nn.Linear(FLAT_OUTPUTS, width)
        self.of_position = nn.Embedding(config.turns, width, _weight=torch.randn(config.turns, width) * 0.02)
        self.layers = nn.Sequential(*(EncoderLayer(config) for _ in range(config.layers)), nn.LayerNorm(width))
        policy_inputs = width + inputs if config.direct else width
        self.policy_head = stack(policy_inputs, config.policy, policy_outputs(config.hierarchical))
        self.value_head = stack(width, config.value, 1)

    def forward(self, rtg: Tensor, state: Tensor, action: Tensor, known: Tensor) -> PolicyAndValue:
        """(b, t), (b, t, inputs), (b, t, 57), (b,) booleans -> (b, t, 57), (b, t).

        t is at most the config's number of turns; the earliest comes first, padding last. A turn's outputs do not see
        its own action: where that is not known yet, it may be anything finite.
        """
        turns = rtg.shape[1]
        position = self.of_position.weight[:turns]
        goal = torch.where(known[:, None, None], self.of_rtg(rtg[..., None]), self.of_unknown_rtg)
        if self.merged:
            tokens = [goal + self.of_state(state) + position, self.of_action(action) + position]
        else:
            tokens = [goal + position, self.of_state(state) + position, self.of_action(action) + position]
        sequence = torch.stack(tokens, dim=2).flatten(1, 2)
        seen = self.layers(sequence)[:, len(tokens) - 2 :: len(tokens)]
        of_policy = torch.cat([seen, state.to(seen.dtype)], dim=-1) if self.direct else seen
        return PolicyAndValue(self.policy_head(of_policy), self.value_head(seen)[..., 0])
