"""CandidatePolicyAgent: plays the legal move that a person would most likely choose, by a CandidatePolicyNet."""

from __future__ import annotations

import numpy as np

from tichu_models.agents.choosing import Moves
from tichu_models.agents.neural.imitating_agent import ImitatingAgent


class CandidatePolicyAgent(ImitatingAgent):
    """A player with a CandidatePolicyNet."""

    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The product of each move's vector with that of its state."""
        return self.network.move_scores(views, moves)
