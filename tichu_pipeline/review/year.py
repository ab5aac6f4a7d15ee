"""A player's year as a plain record, from stored reviews: what was lost, by kind, by partner, by month and by year.

Losses are points of the own team's result a round. Intervals are bootstraps over rounds, as in a review.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl

from tichu_models.rules.asking import KINDS
from tichu_models.statistics import bootstrap
from tichu_pipeline.brettspielwelt.archives.members import printable
from tichu_pipeline.review.deciles import ALL, Corpus
from tichu_pipeline.review.evening import certain_loss
from tichu_pipeline.review.lost import OF_ROUND, OF_SEAT, Reviews

COSTLIEST = 10
PARTNERS = 12  # that are told one by one
LEAST_FOR_AN_INTERVAL = 5  # rounds
NAMED = 8  # players that a message names

Record = dict[str, Any]


class YearError(LookupError):
    """A player of whom nothing has been judged in that year."""


def last_year(reviews: Reviews, player: str) -> int:
    """The last year in which decisions of a player were judged. Raises YearError if there is none."""
    months = reviews.months_of(player)
    if not months:
        raise _nothing(reviews, player, "")
    return int(months[-1][:4])


def year_record(reviews: Reviews, player: str, year: int) -> Record:
    """The record of a year, by the referee of the last month in which the player was judged. Raises YearError."""
    of_player = [month for month in reviews.months_of(player) if int(month[:4]) == year]
    if not of_player:
        raise _nothing(reviews, player, f" in {year}")
    judged = reviews.judged_by(reviews.referees[of_player[-1]])
    corpus = Corpus(judged, player)
    seats, decisions = (each.filter(player=player) for each in (judged.seats, judged.decisions))
    of_year = pl.col("month").str.starts_with(f"{year}-")
    own, lost = seats.filter(of_year), decisions.filter(of_year)
    whole = _part(own, lost)
    by_kind = {kind: _part(own, lost.filter(kind=kind)) for kind in KINDS if kind in set(lost["kind"])}
    for kind, part in [*by_kind.items(), (ALL, whole)]:
        part |= {"deciles": corpus.deciles(kind), "lose_more": corpus.lose_more(kind, part["interval"])}
    costly = lost.filter(pl.col("loss") > 0).sort("certain", "loss", descending=True, maintain_order=True)
    costly = costly.head(COSTLIEST).join(own.select(*OF_SEAT, "players"), on=OF_SEAT, maintain_order="left")
    own_losses = certain_loss({"decisions": [_decision(each) for each in lost.to_dicts()]}, player)
    return {
        "player": player,
        "year": year,
        "referee": {"agent": judged.agent},
        "months": [month for month in judged.months if month in of_player],
        "left_out": [month for month in of_player if month in judged.others],
        "games": own.select(*OF_ROUND[:2]).n_unique(),
        "open_decisions": own_losses.open,
        "certain_errors": own_losses.certain,
        "evening": {"lost": round(own_losses.lost, 1), "half": round(own_losses.half, 1)},
        "all": whole,
        "by_kind": by_kind,
        "by_partner": _by_partner(own, lost),
        "by_month": _by(own, lost, "month", own["month"].unique().sort().to_list()),
        "by_year": _by_year(seats, decisions),
        "corpus": corpus.record(),
        "costliest": [_decision(each) for each in costly.to_dicts()],
    }


def _nothing(reviews: Reviews, player: str, when: str) -> YearError:
    """What to say of a player of whom nothing has been judged."""
    most = [printable(name) for name in reviews.most_judged(NAMED)]
    whom = f"; most decisions are those of {', '.join(most)}" if most else ""
    return YearError(
        f"no decision of '{printable(player)}'{when} has been judged{whom}. The job `judge` of the web UI judges those "
        "of declared players"
    )


def _part(seats: pl.DataFrame, decisions: pl.DataFrame) -> Record:
    """What was lost by some decisions in the rounds of these seats."""
    places = seats.select(*OF_SEAT).with_row_index("place")
    found = decisions.join(places, on=OF_SEAT)
    points = np.bincount(found["place"].to_numpy(), found["loss"].to_numpy(), len(places))
    interval = None
    if len(points) >= LEAST_FOR_AN_INTERVAL:
        interval = [round(end, 2) for end in bootstrap(points, np.ones(len(points)))]
    return {
        "rounds": len(points),
        "open": found.height,
        "certain": int(found["certain"].sum()),
        "loss": round(float(points.mean()), 2),
        "interval": interval,
    }


def _by(seats: pl.DataFrame, decisions: pl.DataFrame, column: str, values: list[Any]) -> list[Record]:
    """What was lost by each value of a column."""
    return [{column: value} | _part(seats.filter(pl.col(column) == value), decisions) for value in values]


def _by_partner(seats: pl.DataFrame, decisions: pl.DataFrame) -> list[Record]:
    """What was lost beside each of the most frequent partners, and beside all others together (partner null)."""
    partners = seats["partner"].value_counts().sort("count", "partner", descending=[True, False])["partner"].to_list()
    parts = _by(seats, decisions, "partner", partners[:PARTNERS])
    if others := partners[PARTNERS:]:
        pooled = _part(seats.filter(pl.col("partner").is_in(others)), decisions)
        parts.append({"partner": None, "partners": len(others)} | pooled)
    return parts


def _by_year(seats: pl.DataFrame, decisions: pl.DataFrame) -> list[Record]:
    """What was lost in each year that the same referee has judged."""
    with_year = seats.with_columns(year=pl.col("month").str.slice(0, 4).cast(pl.Int32))
    return _by(with_year, decisions, "year", with_year["year"].unique().sort().to_list())


def _decision(row: Record) -> Record:
    """A judged decision as in a review, as far as it is stored."""
    kept = ("month", "game_id", "round_index", "turn", "seat", "player", "partner", "kind", "certain", "players")
    measured = {"loss": round(row["loss"], 1), "interval": [round(row[end] or 0.0, 1) for end in ("low", "high")]}
    answers = {name: json.loads(row[name]) for name in ("answer", "best")}
    return {name: row[name] for name in kept if name in row} | measured | answers
