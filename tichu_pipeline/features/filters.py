"""Filters of a data set: by sound games, by substitutes and by rating. Lazy Polars over the monthly files.

Filters are applied when samples are drawn, never when shards are made. A rating is that after the month `fit_through`;
later games do not count for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tichu_models.rules.breaks import GameError
from tichu_pipeline.storage.folders import DataPaths, month_file


class FilterError(Exception):
    """Filters that contradict each other, or lack their data."""


@dataclass(frozen=True)
class Filters:
    """Which games and players count."""

    clean_games: bool = True  # finished games without a broken round
    no_substitutes: bool = False  # the same four players from the first round to the last
    min_rating: float | None = None  # least Elo of the player who decides
    fit_through: str | None = None  # last month whose games count for the ratings, as 2024-06

    def __post_init__(self) -> None:
        if self.min_rating is not None and not self.fit_through:
            raise FilterError(
                "min_rating without fit_through; expected the last month whose games count for the ratings"
            )


def seats_of(paths: DataPaths, months: Sequence[str], filters: Filters) -> dict[str, np.ndarray]:
    """For each month an array (rounds, 4) that is 0 where a seat's decisions are left out; empty if all are used."""
    if not (filters.clean_games or filters.no_substitutes or filters.min_rating is not None):
        return {}
    rated = _rated(paths, filters) if filters.min_rating is not None else None
    return {month: _of_month(paths, month, filters, rated) for month in months}


def _of_month(paths: DataPaths, month: str, filters: Filters, rated: pl.LazyFrame | None) -> np.ndarray:
    """The array of one month."""
    keep = pl.lit(True)
    if filters.clean_games:
        keep &= pl.col("error_code") == int(GameError.NO_ERROR)
    if filters.no_substitutes:
        keep &= ~pl.col("player_changed")
    games = pl.scan_parquet(month_file(paths.games, month)).select("game_id", keep.alias("keep"))
    seats = (
        pl.scan_parquet(month_file(paths.rounds, month))
        .select("game_id", pl.col("player_names").cast(pl.List(pl.String)))
        .join(games, on="game_id", how="left", maintain_order="left")
        .explode("player_names")
    )
    if rated is not None:
        seats = seats.join(rated, left_on="player_names", right_on="player_name", how="left", maintain_order="left")
        seats = seats.with_columns(pl.col("keep") & pl.col("strong").fill_null(False))
    kept = seats.select(pl.col("keep").fill_null(False).cast(pl.UInt8)).collect()["keep"].to_numpy()
    return np.ascontiguousarray(kept).reshape(-1, 4)


def _rated(paths: DataPaths, filters: Filters) -> pl.LazyFrame:
    """Players, and whether their rating after the month `fit_through` is high enough."""
    import duckdb

    query = """
        SELECT player_name, arg_max(elo, year * 12 + month) >= $rating AS strong
        FROM player_ratings WHERE year * 12 + month <= $year * 12 + $month GROUP BY player_name
    """
    year, month = (int(part) for part in str(filters.fit_through).split("-"))
    try:
        with duckdb.connect(str(paths.database), read_only=True) as connection:
            parameters = {"rating": filters.min_rating, "year": year, "month": month}
            rows = connection.execute(query, parameters).fetchall()
    except duckdb.Error as error:
        raise FilterError(
            f"{paths.database}: no ratings ({error}); expected the database that tichu analyse builds"
        ) from error
    return pl.LazyFrame(rows, schema={"player_name": pl.String, "strong": pl.Boolean}, orient="row")
