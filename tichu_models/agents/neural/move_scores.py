"""Scores of moves by networks that read them: the product of a vector of the state and one of the move.

Players and rollouts score by the same function, so that both play alike.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from tichu_models.agents.choosing import Moves, put_move_features
from tichu_models.algorithms.answers import distinct, match
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.observation.unpack import LANES


class ReadsMoves(Protocol):
    """A network whose score of a move is the product of two vectors, times the scale."""

    scale: float

    def states(self, state: Tensor) -> Tensor:
        """The vectors of states."""
        ...

    def moves(self, features: Tensor) -> Tensor:
        """The vectors of moves."""
        ...


def move_scores(network: ReadsMoves, states: np.ndarray, moves: Moves, lookup: np.ndarray, tile: int) -> np.ndarray:
    """The score of every move, float32 (m,). `states` are the vectors of the decisions' states, float32."""
    different, which = distinct(moves.plays)
    return match(states, _vectors(network, different, lookup, tile), which, moves.counts, network.scale)


def _vectors(network: ReadsMoves, plays: np.ndarray, lookup: np.ndarray, tile: int) -> np.ndarray:
    """The vectors of moves, float32 (u, width), computed in tiles, so that none depends on the others."""
    rows = -(-len(plays) // tile) * tile
    features = np.zeros(rows * MOVE_FEATURES + LANES, dtype=lookup.dtype)
    put_move_features(plays, lookup, features)
    tensor = torch.from_numpy(features[: rows * MOVE_FEATURES].reshape(rows, -1))
    tensor = tensor.view(torch.bfloat16) if features.dtype == np.int16 else tensor
    with torch.inference_mode():
        return torch.cat([network.moves(part).float() for part in tensor.split(tile)]).numpy()
