"""Stored reviews as tables: the decisions that one referee has judged, and the rounds of the seats that decided.

A round in which a seat lost nothing counts as well, so that rounds are those of the months' files. A seat has been
judged if its player has a judged decision in the game.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from typing import NamedTuple

import polars as pl

from tichu_pipeline.review.stored import REQUEST
from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.stamps import parquet_metadata

PARTNERS = (2, 3, 0, 1)  # of each seat
OF_ROUND = ("month", "game_id", "round_index")
OF_SEAT = (*OF_ROUND, "seat")


class Judged(NamedTuple):
    """What one referee has judged."""

    agent: str
    months: list[str]
    others: list[str]  # months that another referee has judged, or whose rounds are gone
    decisions: pl.DataFrame  # the rows of the files, with their month
    seats: pl.DataFrame  # a row a judged seat of a round: OF_SEAT, player, partner, players (all four)


class Reviews:
    """The stored reviews of a data folder, read when they are needed, and once."""

    def __init__(self, paths: DataPaths) -> None:
        self._paths = paths
        self._players: dict[str, dict[str, int]] = {}
        self._judged: dict[str, Judged] = {}

    @cached_property
    def referees(self) -> dict[str, str]:
        """The referee of each month that has been judged, and whose rounds are still there."""
        found = {}
        for month in months_in(self._paths.reviews):
            asked = json.loads(parquet_metadata(month_file(self._paths.reviews, month)).get(REQUEST, b"{}"))
            if asked and month_file(self._paths.rounds, month).exists():
                found[month] = asked["agent"]
        return found

    def months_of(self, player: str) -> list[str]:
        """The months in which decisions of a player were judged."""
        return [month for month in self.referees if player in self._counts(month)]

    def most_judged(self, most: int) -> list[str]:
        """The players of whom most decisions were judged."""
        counted: Counter[str] = Counter()
        for month in self.referees:
            counted.update(self._counts(month))
        return [name for name, _ in counted.most_common(most)]

    def judged_by(self, agent: str) -> Judged:
        """All that a referee has judged."""
        if agent not in self._judged:
            months = [month for month, each in self.referees.items() if each == agent]
            decisions = {month: _decisions_of(self._paths, month) for month in months}
            seats = [_seats_of(self._paths, month, decisions[month]) for month in months]
            others = [month for month in months_in(self._paths.reviews) if self.referees.get(month) != agent]
            self._judged[agent] = Judged(agent, months, others, pl.concat(decisions.values()), pl.concat(seats))
        return self._judged[agent]

    def _counts(self, month: str) -> dict[str, int]:
        """How many decisions of each player were judged in a month."""
        if month not in self._players:
            counts = pl.read_parquet(month_file(self._paths.reviews, month), columns=["player"])[
                "player"
            ].value_counts()
            self._players[month] = dict(counts.sort("player").iter_rows())
        return self._players[month]


def _decisions_of(paths: DataPaths, month: str) -> pl.DataFrame:
    """A month's judged decisions."""
    return pl.read_parquet(month_file(paths.reviews, month)).select(pl.lit(month).alias("month"), pl.all())


def _seats_of(paths: DataPaths, month: str, decisions: pl.DataFrame) -> pl.DataFrame:
    """The seats of a month's sound rounds whose players were judged in that game."""
    judged = decisions.select("game_id", "player").unique()
    names = pl.col("player_names").cast(pl.List(pl.String))
    return (
        pl.scan_parquet(month_file(paths.rounds, month))
        .filter(pl.col("rule_break") == 0, pl.col("game_id").is_in(judged["game_id"].unique().to_list()))
        .select(
            pl.lit(month).alias("month"),
            pl.col("game_id", "round_index"),
            names.alias("players"),
            names.alias("player"),
            pl.concat_list([names.list.get(seat) for seat in PARTNERS]).alias("partner"),
            pl.lit(list(range(4)), dtype=pl.List(pl.Int8)).alias("seat"),
        )
        .explode("player", "partner", "seat")
        .collect()
        .join(judged, on=["game_id", "player"], how="semi")
        .sort(*OF_SEAT)
        .select(*OF_SEAT, "player", "partner", "players")
    )
