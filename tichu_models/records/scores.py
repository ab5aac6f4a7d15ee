"""The scores that each round begins with: of the game so far, and of the round before."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import kernel

# fmt: off
SCORE_BEFORE = np.dtype([
    ("total", np.int32, 2),         # game score of each team
    ("last", np.int16, 2),          # logged result of the previous round, 0 before the first
], align=True)
# fmt: on

ScoreBefore: TypeAlias = Any  # a record of SCORE_BEFORE


@kernel
def fill_scores_before(rows: np.ndarray, before: np.ndarray) -> None:
    """Writes the scores before each round. Rounds of a game are in order, and none is missing."""
    for i in range(len(rows)):
        goes_on = i > 0 and rows[i].game_id == rows[i - 1].game_id
        for team in range(2):
            last = rows[i - 1].score[team] if goes_on else 0
            before[i].last[team] = last
            before[i].total[team] = before[i - 1].total[team] + last if goes_on else 0


def scores_before(rows: np.ndarray) -> np.ndarray:
    """The scores before each round of whole games, as SCORE_BEFORE."""
    before = np.zeros(len(rows), dtype=SCORE_BEFORE)
    fill_scores_before(rows, before)
    return before
