"""Logged decisions of generated rounds, for tests of the judge."""

from __future__ import annotations

import numpy as np

from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.review.logged import Finder

KEY = 7


def logged(rounds: Rounds, key: int = KEY) -> np.ndarray:
    """The decisions of rounds as LOGGED. `place` counts all rounds, as if they were of one game."""
    rows = rounds.rows.copy()
    rows["round_index"] += 100 * rows["game_id"].astype(np.int32)
    return Finder().decisions(rows, scores_before(rounds.rows), rounds.history, key)
