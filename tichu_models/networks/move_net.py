"""CandidateRLNet, PolicyRLNet and BombRLNet: policies that learn from self-play which of the legal moves to choose.

Each gives every legal move a score, the product of two vectors: one of the state, one of the move. A softmax over the
legal moves of a decision makes probabilities of the scores. CandidateRLNet learns both vectors. PolicyRLNet has an
output for each card and for the pass, as the concept's PolicyNet; there the vector of a move says which cards it has,
so that its score is the sum of their outputs. A GCPolicyRLNet is a CandidateRLNet whose state ends with a goal.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tichu_models.algorithms.matching import match_tensors
from tichu_models.networks.configs import CandidateRLConfig, PolicyRLConfig
from tichu_models.networks.interface import FLAT_OUTPUTS, MOVE_FEATURES
from tichu_models.networks.layers import stack
from tichu_models.rules.cards import NUM_CARDS


class MoveNet(nn.Module):
    """State and legal moves -> a score for each move. Players and rollouts call the parts."""

    scale: float

    def states(self, state: Tensor) -> Tensor:
        """The vectors of states: (n, inputs) -> (n, width)."""
        raise NotImplementedError

    def moves(self, features: Tensor) -> Tensor:
        """The vectors of moves: (u, 102) -> (u, width)."""
        raise NotImplementedError

    def forward(self, state: Tensor, features: Tensor, which: Tensor, counts: Tensor) -> Tensor:
        """(n, inputs), (u, 102) different moves, (m,) which of them each move is, (n,) moves a state -> (m,)."""
        return match_tensors(self.states(state), self.moves(features), which, counts, self.scale)


class CandidateRLNet(MoveNet):
    """A policy that reads each legal move. Its layers are those of CandidatePolicyNet, in the same order."""

    def __init__(self, inputs: int, config: CandidateRLConfig) -> None:
        super().__init__()
        self.body = stack(inputs, config.body, config.width)
        self.move = stack(MOVE_FEATURES, config.move, config.width)
        self.scale = 1 / math.sqrt(config.width)

    def states(self, state: Tensor) -> Tensor:
        return self.body(state)

    def moves(self, features: Tensor) -> Tensor:
        return self.move(features)


class PolicyRLNet(MoveNet):
    """A policy with an output for each card and for the pass."""

    scale = 1.0

    def __init__(self, inputs: int, config: PolicyRLConfig) -> None:
        super().__init__()
        self.layers = stack(inputs, config.hidden, FLAT_OUTPUTS)

    def states(self, state: Tensor) -> Tensor:
        return self.layers(state)

    def moves(self, features: Tensor) -> Tensor:
        return cards_and_pass(features)


def cards_and_pass(features: Tensor) -> Tensor:
    """Which of a policy's outputs are those of a move: (u, 102) -> (u, 57)."""
    cards = features[:, :NUM_CARDS]
    return torch.cat([cards, (cards.sum(1, keepdim=True) == 0).to(cards.dtype)], dim=1)
