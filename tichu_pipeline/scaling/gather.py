"""Counts the values of points and scores over stored rounds, a month at a time.

Only sound rounds of games in the split `train` count. Points are counted before every turn, as an encoder sees them;
scores once a round: `game_score` is each team's score in the previous round, `score_cum` its sum so far (both 0 in the
first round), `score_diff` the score of team 20 minus that of team 31.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from tichu_models.records.round_summary import TALLY, ZERO, tally_rounds
from tichu_models.records.split import TRAIN
from tichu_models.records.stored import histories, numbers, splits_of
from tichu_pipeline.distribution import Distribution
from tichu_pipeline.rounds.round_facts import running_score, scores
from tichu_pipeline.storage.folders import DataPaths, month_file

VARIABLES = ("trick_points", "points", "game_score", "score_cum", "score_diff", "rtg")
COLUMNS = [
    "game_id",
    "player_names",
    "history",
    "num_turns",
    "rule_break",
    "dragon_recipient",
    "is_double_victory",
    "score_entry",
]


@dataclass(frozen=True)
class VariableCounts:
    """The distribution of each variable, and the rounds and turns that it is from."""

    distributions: dict[str, Distribution]
    rounds: int
    turns: int


def count_variables(paths: DataPaths, months: Sequence[str]) -> VariableCounts:
    """Counts the variables over the training rounds of these months."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda month: _month(month_file(paths.rounds, month)), months))
    return VariableCounts(
        {name: Distribution.sum(part.distributions[name] for part in parts) for name in VARIABLES},
        sum(part.rounds for part in parts),
        sum(part.turns for part in parts),
    )


def _month(file: Path) -> VariableCounts:
    rounds = pq.read_table(file, columns=COLUMNS)
    chosen = (splits_of(rounds) == TRAIN) & (numbers(rounds, "rule_break") == 0)
    result, after = scores(rounds), running_score(rounds)
    first = np.diff(rounds["game_id"].to_numpy(), prepend=-1) != 0
    previous = np.where(first[:, None], 0, np.roll(result, 1, axis=0))
    lead = (result[:, 0] - result[:, 1]).astype(np.int64)
    doubles = rounds["is_double_victory"].fill_null(False).to_numpy()
    tally = np.zeros(1, dtype=TALLY)
    tally_rounds(*histories(rounds), numbers(rounds, "dragon_recipient"), lead, doubles, chosen, tally[0])
    values = np.arange(-ZERO, ZERO)
    distributions = {name: Distribution.of(values, tally[0][name]) for name in TALLY.names or ()}
    distributions["game_score"] = Distribution.of(previous[chosen].reshape(-1))
    distributions["score_cum"] = Distribution.of((after - result)[chosen].reshape(-1))
    distributions["score_diff"] = Distribution.of(lead[chosen])
    return VariableCounts(distributions, int(chosen.sum()), int(numbers(rounds, "num_turns")[chosen].sum()))
