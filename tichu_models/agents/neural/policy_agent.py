"""PolicyAgent: plays the cards that a person would most likely play, by a PolicyNet (concept 2.1.1)."""

from __future__ import annotations

import numpy as np

from tichu_models.agents.choosing import Moves, score_moves
from tichu_models.agents.neural.imitating_agent import ImitatingAgent
from tichu_models.agents.options import PolicyOptions
from tichu_models.networks.interface import DECISION_RULES, LIKELIHOOD
from tichu_models.rules.cards import NUM_CARDS


def scores_by(rule: int, outputs: np.ndarray, moves: Moves) -> np.ndarray:
    """The score of every move by a decision rule, from the outputs of a policy."""
    scores, odds = np.empty(len(moves.plays)), np.empty(NUM_CARDS)
    score_moves(outputs, *moves, rule, odds, scores)
    return scores


class PolicyAgent(ImitatingAgent):
    """A player with a PolicyNet."""

    options: PolicyOptions

    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """Scores by the decision rule of the options."""
        return scores_by(DECISION_RULES.index(self.options.rule), self.outputs(views, **extras), moves)

    def likelihoods(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """Log-likelihoods, whatever decision rule the options set."""
        return scores_by(LIKELIHOOD, self.outputs(views, **extras), moves)

    def outputs(self, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The log-odds of cards and pass for each view."""
        return self.network.answers(views)
