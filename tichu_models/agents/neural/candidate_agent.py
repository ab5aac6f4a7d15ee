"""CandidatePolicyAgent: plays the legal move that a person would most likely choose, by a CandidatePolicyNet."""

from __future__ import annotations

import numpy as np

from tichu_models.agents.choosing import Moves, match_moves, put_move_features
from tichu_models.agents.neural.network import TILE
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.networks.candidate_policy_net import CandidatePolicyNet
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.observation.unpack import LANES


class CandidatePolicyAgent(NNetAgent):
    """A player with a CandidatePolicyNet."""

    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The product of each move's embedding with that of its state; both halves of the network run in tiles."""
        net, lookup = self.network.module, self.network.lookup
        assert isinstance(net, CandidatePolicyNet)
        rows = -(-len(moves.plays) // TILE) * TILE
        features = np.zeros(rows * MOVE_FEATURES + LANES, dtype=lookup.dtype)
        put_move_features(moves.plays, lookup, features)
        embeddings = self.network.in_tiles(features[: rows * MOVE_FEATURES].reshape(rows, -1), net.move)
        scores = np.empty(len(moves.plays))
        match_moves(self.network.answers(views, net.body), embeddings, moves.counts, net.scale, scores)
        return scores
