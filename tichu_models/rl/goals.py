"""What teams play for in rounds of self-play: points alone, a goal in points that is drawn, or to win a game.

Goals are drawn for each team and round. A round that is played to win a game begins at a score that is drawn for both.
Networks and critic read the own team's goal; the round is worth to each team what its goal says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.observation.goals import GoalTerms, reading_in_game, worth_in_game
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rules.scoring import POINT_STEP, VALUE_UNIT
from tichu_models.rules.state import GAME_GOAL

GOALS = np.arange(-300, 301, 50)  # points by which a round is to be won


@dataclass(frozen=True)
class Goals:
    """What teams play for in each of some rounds."""

    terms: GoalTerms
    asked: np.ndarray  # float64 (rounds, teams): points that a team is asked for; NaN for none
    total: np.ndarray  # float64 (rounds, teams): score of the game that is to be won; NaN for none

    @staticmethod
    def drawn(settings: SelfplaySettings, forks: np.ndarray, generator: np.random.Generator) -> Goals:
        """Goals as the settings want them; twins have those of the round before."""
        shape, terms = (len(forks), 2), GoalTerms(settings.goal_bonus, settings.goal_beyond)
        nothing = np.full(shape, np.nan)
        if not settings.goals:
            return Goals(terms, nothing, nothing)
        in_game = generator.random((len(forks), 1)) < settings.game_share
        # The denser, the nearer to the end of the game, where its score matters most.
        total = np.floor(np.sqrt(generator.random(shape)) * (GAME_GOAL // POINT_STEP)) * POINT_STEP
        with_goal = ~in_game & (generator.random(shape) < settings.goal_share)
        asked = generator.choice(GOALS, shape)
        goals = Goals(terms, np.where(with_goal, asked, np.nan), np.where(in_game, total, np.nan))
        twins = np.flatnonzero(forks["kind"] >= 0)
        for each in (goals.asked, goals.total):
            each[twins] = each[twins - 1]
        return goals

    def put_into(self, fixtures: np.ndarray) -> np.ndarray:
        """The fixtures, with what each team's networks will read."""
        fixtures = fixtures.copy()
        asked, in_game = ~np.isnan(self.asked), ~np.isnan(self.total)
        fixtures["goal"][asked] = self.terms.reading(self.asked[asked])
        totals = np.stack([self.total, self.total[:, ::-1]], axis=1)  # by team: its own, the other's
        fixtures["goal"][in_game] = reading_in_game(totals[in_game])
        return fixtures

    def value(self, ended: np.ndarray) -> None:
        """Writes what rounds that ended so are worth to each team."""
        score = ended["score"].astype(np.float64)
        scores, totals = (np.stack([each, each[:, ::-1]], axis=1) for each in (score, self.total))
        worth = scores[..., 0] - scores[..., 1]
        asked, in_game = ~np.isnan(self.asked), ~np.isnan(self.total)
        worth[asked] = self.terms.worth(worth[asked], self.asked[asked])
        worth[in_game] = worth_in_game(totals[in_game], scores[in_game])
        ended["worth"] = worth.astype(np.float32) / np.float32(VALUE_UNIT)
