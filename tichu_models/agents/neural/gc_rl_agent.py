"""GCPolicyRLAgent: plays by networks that learned from self-play to reach a goal.

The goal of a round is a number of points that is asked for; without one it is to win the game, as far as its score
matters yet: in the first round of a game, points alone count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent
from tichu_models.agents.options import GoalOfGameOptions
from tichu_models.observation.goals import GoalTerms, reading_in_game
from tichu_models.players.base import Opinion


class GCPolicyRLAgent(SelfTaughtAgent):
    """A player with a GCPolicyRLNet and what belongs to it."""

    options: GoalOfGameOptions

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        learned = self.network.manifest.training.get("selfplay", {})
        self.terms = GoalTerms(learned.get("goal_bonus", GoalTerms.bonus), learned.get("goal_beyond", GoalTerms.beyond))

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view."""
        return super().decide(kind, self.aimed(views), **extras)

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion:
        """The score of every legal play."""
        return super().opinion(self.aimed(views), **extras)

    def aimed(self, views: np.ndarray) -> np.ndarray:
        """The views with what their team plays for."""
        views = views.copy()
        views["goal"] = 0
        if self.options.goal is not None:
            views["goal"] = self.terms.reading(np.array(self.options.goal))
        elif self.options.score:
            totals = views["total"]
            own = np.take_along_axis(totals, np.stack([views["seat"] & 1, ~views["seat"] & 1], axis=1), axis=1)
            begun = totals.any(axis=1)
            views["goal"][begun] = reading_in_game(own[begun])
        return views
