"""CandidatePolicyNet: which of the legal moves a person would choose.

57 independent outputs for cards cannot say which cards are played together. Here every legal move gets one score, and
a softmax over the legal moves of a decision makes probabilities of them.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tichu_models.networks.candidates import Candidates, card_bits, ranks, types_and_lengths
from tichu_models.networks.configs import CandidateConfig
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.networks.layers import hidden_layers, stack
from tichu_models.rules.cards import DRAGON_RANK
from tichu_models.rules.combinations import TYPE_AND_LENGTH


def move_features(plays: Tensor) -> Tensor:
    """Features of m moves (m, 102): the cards, type and length as one-hot, the rank as thermometer."""
    kinds = nn.functional.one_hot(types_and_lengths(plays), len(TYPE_AND_LENGTH)).bool()
    thermometer = torch.arange(DRAGON_RANK, device=plays.device) < ranks(plays)[:, None]
    return torch.cat([card_bits(plays), kinds, thermometer], dim=1)


class CandidatePolicyNet(nn.Module):
    """State and legal moves -> a score for each move; their softmax is the policy."""

    def __init__(self, inputs: int, config: CandidateConfig) -> None:
        super().__init__()
        hidden = hidden_layers(inputs, config.body, [config.dropout] * len(config.body))
        self.body = nn.Sequential(*hidden, nn.Linear(config.body[-1] if config.body else inputs, config.width))
        self.move = stack(MOVE_FEATURES, config.move, config.width)
        self.scale = 1 / math.sqrt(config.width)

    def states(self, state: Tensor) -> Tensor:
        """The vectors of states: (n, inputs) -> (n, width)."""
        return self.body(state)

    def moves(self, features: Tensor) -> Tensor:
        """The vectors of moves: (m, 102) -> (m, width)."""
        return self.move(features)

    def forward(self, state: Tensor, candidates: Candidates) -> Tensor:
        """(n, inputs) and m moves of n decisions -> (m,)."""
        states = self.states(state)
        moves = self.moves(move_features(candidates.plays).to(state.dtype))
        return (states[candidates.row] * moves).sum(1) * self.scale
