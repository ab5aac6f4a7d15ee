"""How far players differ in what they lose a round, by all who were judged by the same referee.

A mean over few rounds is far from a player's own by chance, so that means lie further apart than players. What chance
adds to their variance is taken out, by moments: the spread of what is left is that of the players.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tichu_pipeline.review.lost import OF_SEAT, Judged

LEAST_ROUNDS = 20  # of a player who counts
LEAST_PLAYERS = 10
ALL = "all"  # kinds of decisions together

Record = dict[str, Any]


class Corpus:
    """The losses of all players with a name but one who were judged in rounds enough."""

    def __init__(self, judged: Judged, without: str) -> None:
        rounds = judged.seats.group_by("player").agg(rounds=pl.len())
        rounds = rounds.filter(pl.col("rounds") >= LEAST_ROUNDS, ~pl.col("player").is_in(["", without])).sort("player")
        self.players, self.rounds = len(rounds), int(rounds["rounds"].sum())
        self._losses: dict[str, np.ndarray] = {}
        if self.players >= LEAST_PLAYERS:
            of_seats = pl.concat([judged.decisions, judged.decisions.with_columns(kind=pl.lit(ALL))])
            of_seats = of_seats.group_by(*OF_SEAT, "player", "kind").agg(lost=pl.col("loss").cast(pl.Float64).sum())
            sums = of_seats.group_by("player", "kind").agg(
                lost=pl.col("lost").sum(), squares=pl.col("lost").pow(2).sum()
            )
            for (kind,), part in sums.group_by("kind"):
                own = rounds.join(part, on="player", how="left").with_columns(pl.col("lost", "squares").fill_null(0.0))
                n, lost, squares = (own[name].to_numpy().astype(np.float64) for name in ("rounds", "lost", "squares"))
                variances = np.maximum(squares - lost**2 / n, 0) / (n - 1)
                self._losses[str(kind)] = apart(lost / n, variances / n)

    def deciles(self, kind: str) -> list[float] | None:
        """The nine deciles of the loss a round by a kind of decision; None if there are too few players."""
        losses = self._losses.get(kind)
        return None if losses is None else np.quantile(losses, np.arange(1, 10) / 10).round(2).tolist()

    def lose_more(self, kind: str, interval: list[float] | None) -> list[float] | None:
        """The shares of players who lose more than the upper and the lower end of an interval; None where that says
        nothing."""
        losses = self._losses.get(kind)
        if losses is None or interval is None or interval[1] == 0:  # where nothing was lost, chance is not seen either
            return None
        return [round(float((losses > end).mean()), 3) for end in interval[::-1]]

    def record(self) -> Record:
        """How many there are."""
        enough = self.players >= LEAST_PLAYERS
        return {"players": self.players, "rounds": self.rounds, "least_rounds": LEAST_ROUNDS, "enough": enough}


def apart(means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Means as far apart as what they are of. `variances` are those of the means by chance: the larger one is, the
    closer its mean is drawn to that of all."""
    between = max(float(means.var(ddof=1) - variances.mean()), 0.0)
    total = between + variances
    kept = np.sqrt(np.divide(between, total, out=np.zeros(len(means)), where=total > 0))
    return means.mean() + kept * (means - means.mean())
