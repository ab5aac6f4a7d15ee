"""DTRLNet: a decision transformer that learns from self-play which of the legal moves to choose.

A turn is one token: the state, the return to go and what the seat played at the turn before. A sequence ends with the
present turn; before a seat's first turn it is filled up with empty tokens, which a feature tells from turns. The policy
head reads the present token's context and the state itself, which a narrow token cannot hold; it has an output for each
card and for the pass, and the score of a move is the sum of its cards' outputs.

The return to go is given as a gain: the points / 100 beyond those that the value head expects. It may be left open;
then policy and value are those of the player that taught the network. Which gain an answer brought, a critic says that
sees all hands: so what is asked for is a better answer, not a luckier deal.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tichu_models.networks.configs import DTRLConfig
from tichu_models.networks.gc_policy_net import PolicyAndValue
from tichu_models.networks.interface import FLAT_OUTPUTS, GAIN, IS_ASKED, TURN_FEATURES
from tichu_models.networks.layers import stack
from tichu_models.networks.move_net import MoveNet, cards_and_pass


def ask_for(gains: Tensor, state: Tensor) -> None:
    """Writes gains, in points / 100, into the present turns of the first sequences; NaN leaves a return to go open."""
    present, is_open = state[: len(gains), -1], gains.isnan()
    present[:, IS_ASKED - TURN_FEATURES] = (~is_open).to(state.dtype)
    present[:, GAIN - TURN_FEATURES] = gains.masked_fill(is_open, 0).to(state.dtype)


class TurnLayer(nn.Module):
    """A pre-norm transformer layer: attention to all turns, then a feed-forward part, each with a residual connection.

    It may be computed for the latest tokens alone. All turns are past ones, so that no attention has to be masked.
    """

    def __init__(self, config: DTRLConfig) -> None:
        super().__init__()
        width = config.d_model
        self.heads = config.heads
        self.scale = 1 / math.sqrt(width // config.heads)
        self.norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.joined = nn.Linear(width, width)
        self.feedforward = nn.Sequential(nn.LayerNorm(width), *stack(width, (config.feedforward,), width))

    def forward(self, x: Tensor, latest: int) -> Tensor:
        """(n, turns, width) -> (n, latest, width)."""
        n, turns, width = x.shape
        normed = self.norm(x)
        query = self.query(normed[:, -latest:]).view(n, latest, self.heads, -1).transpose(1, 2) * self.scale
        key, value = self.key_value(normed).view(n, turns, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        weights = (query @ key.mT).softmax(-1).to(value.dtype)
        x = x[:, -latest:] + self.joined((weights @ value).transpose(1, 2).reshape(n, latest, width))
        return x + self.feedforward(x)


class DTRLNet(MoveNet):
    """The latest turns of a seat -> the outputs for the present turn. A state is a sequence: (n, turns, features)."""

    scale = 1.0

    def __init__(self, inputs: int, config: DTRLConfig) -> None:
        super().__init__()
        width, features = config.d_model, inputs + TURN_FEATURES
        self.turns, self.features = config.turns, features
        self.of_turn = nn.Linear(features, width)
        self.of_position = nn.Parameter(torch.randn(config.turns, width) * 0.02)
        self.layers = nn.ModuleList(TurnLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.policy_head = stack(width + features, config.hidden, FLAT_OUTPUTS)
        self.value_head = stack(width + features, config.value, 1)

    def states(self, state: Tensor) -> Tensor:
        return self.policy_head(self._read(state))

    def moves(self, features: Tensor) -> Tensor:
        return cards_and_pass(features)

    def policy_and_value(self, state: Tensor) -> PolicyAndValue:
        """The outputs for the present turn, and the points / 100 by which the own team is expected to win the round.
        The value is trained and asked for only where no gain is asked for."""
        read = self._read(state)
        return PolicyAndValue(self.policy_head(read), self.value_head(read)[:, 0])

    def _read(self, state: Tensor) -> Tensor:
        """What the heads read: the context of the present turn, and the turn itself."""
        x = self.of_turn(state) + self.of_position
        for place, layer in enumerate(self.layers, 1):
            x = layer(x, 1 if place == len(self.layers) else self.turns)
        context = self.norm(x[:, -1])
        return torch.cat([context, state[:, -1].to(context.dtype)], dim=1)
