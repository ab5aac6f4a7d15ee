"""The chance to win a game from its score, between equal teams: a table that follows from how rounds end.

winning.csv has the chance of a team (rows: its score, columns: the other's) among players that learned from self-play;
`python -m tichu_pipeline.tools.winning_table` makes it.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from tichu_models.rules.scoring import POINT_STEP
from tichu_models.rules.state import GAME_GOAL

FILE = "winning.csv"
LOWEST, STEP = -400, 50
# Scores of the table; lower ones count as the lowest. The last is the highest with which a game goes on.
SCORES = np.array([*range(LOWEST, GAME_GOAL, STEP), GAME_GOAL - POINT_STEP], dtype=np.float64)
EXACT = 1e-6  # change of a chance at which the table counts as found


@cache
def table() -> np.ndarray:
    """The table that ships with the package, float64 (own score, other score)."""
    with (resources.files("tichu_models.observation") / FILE).open(encoding="utf-8") as file:
        return np.loadtxt(file, delimiter=",", comments="#")


def chance_to_win(own: np.ndarray, other: np.ndarray, chances: np.ndarray | None = None) -> np.ndarray:
    """The chance of a team to win a game that stands so, by a table; a game that is over is won, lost, or half won."""
    chances = table() if chances is None else chances
    own, other = np.broadcast_arrays(np.asarray(own, dtype=np.float64), np.asarray(other, dtype=np.float64))
    row, column = (np.interp(score, SCORES, np.arange(len(SCORES))) for score in (own, other))
    i, j = (np.minimum(place.astype(np.int64), len(SCORES) - 2) for place in (row, column))
    x, y = row - i, column - j
    inside = (1 - x) * ((1 - y) * chances[i, j] + y * chances[i, j + 1])
    inside += x * ((1 - y) * chances[i + 1, j] + y * chances[i + 1, j + 1])
    return np.where(np.maximum(own, other) < GAME_GOAL, inside, (1 + np.sign(own - other)) / 2)


def table_of(scores: np.ndarray) -> np.ndarray:
    """The table for players whose rounds end so, (rounds, teams): the chances that come out of one more round are
    those that went in. Both teams count as equal."""
    both, counts = np.unique(np.concatenate([scores, scores[:, ::-1]]), axis=0, return_counts=True)
    share = counts / counts.sum()
    chances = np.full((len(SCORES), len(SCORES)), 0.5)
    own, other = (SCORES[:, None, None] + both[:, 0], SCORES[None, :, None] + both[:, 1])
    while True:
        after = chance_to_win(own, other, chances) @ share
        if np.abs(after - chances).max() < EXACT:
            return after
        chances = after
