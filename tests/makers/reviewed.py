"""Logged decisions and games of generated rounds, for tests of reviews."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.review.logged import Finder
from tichu_models.review.report import LoggedGame

KEY = 7
NAMES = ("anna", "bert", "cleo", "dora")


def logged(rounds: Rounds, key: int = KEY) -> np.ndarray:
    """The decisions of rounds as LOGGED. `place` counts all rounds, as if they were of one game."""
    rows = rounds.rows.copy()
    rows["round_index"] += 100 * rows["game_id"].astype(np.int32)
    return Finder().decisions(rows, scores_before(rounds.rows), rounds.history, key)


def games_of(rounds: Rounds, names: Sequence[str] = NAMES) -> list[LoggedGame]:
    """The games of generated rounds, each with the same players."""
    games = []
    for game in dict.fromkeys(rounds.rows["game_id"].tolist()):
        rows = rounds.rows[rounds.rows["game_id"] == game]
        of_rounds = [[*names]] * len(rows)
        games.append(LoggedGame(game, f"{game}.tch", game, rows, scores_before(rows), rounds.history, of_rounds, []))
    return games
