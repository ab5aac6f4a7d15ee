"""Whether losses follow strength: reviews of a generated corpus beside what its generator knows.

The generator gives every player a rate of blunders and notes which plays are blunders. A judge that is any good finds
that blunders cost more than other plays, and that players who blunder more lose more a decision.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.stats import spearmanr

from tichu_models.players.crowd import TRUTH_FILE
from tichu_models.rules.asking import KINDS, PLAY
from tichu_pipeline.review.stored import REQUEST
from tichu_pipeline.storage.folders import DataPaths, month_files
from tichu_pipeline.storage.stamps import parquet_metadata

LEAST_DECISIONS = 20  # of a player who is ranked
RESAMPLES = 2000
LEVELS = (2.5, 97.5)

Facts = dict[str, Any]


def strength(paths: DataPaths, least: int = LEAST_DECISIONS) -> Facts:
    """The facts about the reviews of a data folder with a generated corpus."""
    files = month_files(paths.reviews)
    reviews = pa.concat_tables([pq.read_table(file) for file in files]).to_pylist()
    truth = pq.read_table(paths.root / TRUTH_FILE).to_pylist()
    blunders = {(row["game_id"], row["round_index"]): set(row["blunders"] or ()) for row in truth}
    rates = {
        name: rate
        for row in truth
        if row["players"]
        for name, rate in zip(row["players"], row["blunder_rates"], strict=True)
    }
    plays = [row for row in reviews if row["kind"] == KINDS[PLAY]]
    blundered = np.array([row["turn"] in blunders.get((row["game_id"], row["round_index"]), ()) for row in plays])
    losses = np.array([row["loss"] for row in plays])
    of_player: dict[str, list[float]] = {}
    for row in reviews:
        of_player.setdefault(row["player"], []).append(row["loss"])
    ranked = {name: own for name, own in of_player.items() if len(own) >= least and name in rates}
    lost, rate = np.array([np.mean(own) for own in ranked.values()]), np.array([rates[name] for name in ranked])
    return {
        "referee": json.loads(parquet_metadata(files[0])[REQUEST])["agent"],
        "games": len({row["game_id"] for row in reviews}),
        "decisions": len(reviews),
        "least": least,
        "players": len(ranked),
        "blunders": _mean(losses[blundered]),
        "others": _mean(losses[~blundered]),
        **_correlation(lost, rate),
    }


def _mean(losses: np.ndarray) -> Facts:
    """A mean loss with half the width of its interval."""
    if len(losses) < 2:
        return {"plays": len(losses), "loss": None, "error": None}
    error = 1.96 * losses.std(ddof=1) / len(losses) ** 0.5
    return {"plays": len(losses), "loss": round(float(losses.mean()), 2), "error": round(float(error), 2)}


def _correlation(lost: np.ndarray, rates: np.ndarray) -> Facts:
    """Spearman's rank correlation with an interval by a bootstrap over players."""
    if len(lost) < 4:
        return {"correlation": None, "interval": None}
    chance, found = np.random.default_rng(0), []
    for _ in range(RESAMPLES):
        drawn = chance.integers(0, len(lost), len(lost))
        if np.ptp(lost[drawn]) and np.ptp(rates[drawn]):
            found.append(spearmanr(lost[drawn], rates[drawn]).statistic)
    ends = [round(float(end), 3) for end in np.percentile(found, LEVELS)] if found else None
    return {"correlation": round(float(spearmanr(lost, rates).statistic), 3), "interval": ends}
