"""Logged decisions and games of generated rounds, and what is stored of judged ones, for tests of reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tests.makers.positions import played
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.review.judge import Judge
from tichu_models.review.logged import Finder
from tichu_models.review.report import JudgedRound, LoggedGame, judged_round, review
from tichu_models.review.settings import JudgeSettings
from tichu_pipeline.storage.folders import DataPaths, month_files

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


def reviewed(names: Sequence[str] = NAMES) -> tuple[dict[str, Any], list[LoggedGame]]:
    """The review of two short games with blunders by a quick referee and by the same one on other deals, with luck that
    is made up, and the games."""
    games = games_of(played(2, 5, "HBHB", 3).rounds, names)
    settings = JudgeSettings(deals=16, more=16, again=32)
    judge, beside = Judge(HeuristicAgent(), settings), Judge(HeuristicAgent(), replace(settings, seed=1))

    def worth(rows: np.ndarray, before: np.ndarray) -> np.ndarray:
        return 10.0 * np.arange(len(rows))

    def run(parts: Iterable[LoggedGame]) -> list[JudgedRound]:
        return [judged_round(part, judge, beside=beside) for part in parts]

    record = review(games, judge, "heuristic", worth, run=run)
    record["referee"]["beside"] = "heuristic"
    return record, games


def stored_reviews(paths: DataPaths) -> list[dict[str, Any]]:
    """All rows of the stage `reviews`, with their months."""
    return [
        row | {"month": file.stem} for file in month_files(paths.reviews) for row in pq.read_table(file).to_pylist()
    ]


def busiest(paths: DataPaths, year: str = "2024") -> str:
    """The player with the most judged decisions in a year."""
    names = Counter(row["player"] for row in stored_reviews(paths) if row["month"].startswith(year))
    return names.most_common(1)[0][0]
