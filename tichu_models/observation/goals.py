"""Goals: what a round is worth to a team that does not play for points alone, and how networks read that.

A team can be asked to win a round by so many points. Then the goal is worth a bonus once it is reached, and points
beyond it are worth less than others. Or it plays to win the game: then a round is worth what it changes in the chance
to win it (`winning`). Networks read how much more some results are worth than their points, GOAL_POINTS; a team that
plays for points alone reads 0 everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.observation.view import GOAL_POINTS
from tichu_models.observation.winning import chance_to_win
from tichu_models.rules.scoring import DOUBLE_VICTORY, ROUND_POINTS

GAME_WORTH = 1000.0  # points that a won game is worth: a round is then worth more than its points near the end alone
RESULTS = np.array(GOAL_POINTS, dtype=np.float64)


@dataclass(frozen=True)
class GoalTerms:
    """What points are worth to a team that is asked for a goal."""

    bonus: float = 100.0  # of a goal that is reached, in points
    beyond: float = -0.5  # what a point beyond the goal is worth: 1 as any other, 0 nothing

    def worth(self, lead: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """What it is worth to win a round by so many points where so many were asked for, in points."""
        return lead + self.bonus * (lead >= goal) - (1 - self.beyond) * np.maximum(lead - goal, 0)

    def reading(self, goal: np.ndarray) -> np.ndarray:
        """What networks read of goals: int16 (.., GOAL_POINTS)."""
        return _as_read(self.worth(RESULTS, np.asarray(goal, dtype=np.float64)[..., None]))


def worth_in_game(total: np.ndarray, score: np.ndarray) -> np.ndarray:
    """What a round with these scores (.., own and other team) is worth in a game that stood so before it (.., own and
    other team), in points."""
    after = total + score
    before = chance_to_win(total[..., 0], total[..., 1])
    return GAME_WORTH * (chance_to_win(after[..., 0], after[..., 1]) - before)


def reading_in_game(total: np.ndarray) -> np.ndarray:
    """What networks read of the scores of games (.., own and other team) in which teams play to win: int16
    (.., GOAL_POINTS). Results are taken as they come about most simply: small ones by the points of the cards, large
    ones by a double victory and announcements."""
    shared = np.abs(RESULTS) < DOUBLE_VICTORY
    own = np.where(shared, (ROUND_POINTS + RESULTS) / 2, np.maximum(RESULTS, 0))
    scores = np.stack([own, own - RESULTS], axis=-1)
    return _as_read(worth_in_game(np.asarray(total, dtype=np.float64)[..., None, :], scores))


def _as_read(worth: np.ndarray) -> np.ndarray:
    """How much more results are worth than their points."""
    return np.rint(worth - RESULTS).astype(np.int16)
