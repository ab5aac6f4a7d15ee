"""Ratings of players over time, updated by every finished game in order.

There are two systems: Elo, which is well known, and OpenSkill, which also estimates the uncertainty of a rating. Before
each game both predict its result, so that SQL can compare them. A game counts if it has a winner or is a draw, and the
same four players with different names sat from its first round to its last.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
from openskill.models import PlackettLuce, PlackettLuceRating

DIVISOR, FIRST_RATING = 400.0, 1500.0
NEW_GAMES, STRONG = 30, 2400.0
K_NEW, K, K_STRONG = 40.0, 20.0, 10.0
# OpenSkill's beta, the chance in a single game. With the library's default of 25/6, which leaves less to the cards, the
# predictions are far too confident: their log-loss is above that of guessing.
BETA = 25.0

# A row for each rated game of the current batch.
GAMES = """
    SELECT
        game_id, g.year, g.month,
        CASE winner_team WHEN 20 THEN 1.0 WHEN 31 THEN 0.0 ELSE 0.5 END::DOUBLE AS result_20,
        list(player_name ORDER BY seat) AS names
    FROM new_seats JOIN new_games AS g USING (game_id)
    WHERE round_index = 0 AND winner_team IS NOT NULL AND NOT player_changed AND player_name <> ''
    GROUP BY ALL
    HAVING count(DISTINCT player_name) = 4
    ORDER BY g.year, g.month, game_id
"""
SNAPSHOT = pa.schema(
    [
        ("player_name", pa.string()),
        ("year", pa.int16()),
        ("month", pa.int8()),
        ("games", pa.int32()),
        ("elo", pa.float64()),
        ("mu", pa.float64()),
        ("sigma", pa.float64()),
    ]
)
PREDICTIONS = ("elo_20", "openskill_20", "least_games")


@dataclass(frozen=True)
class Ratings:
    """Rows of the tables player_ratings and rating_predictions."""

    players: pa.Table
    predictions: pa.Table


@dataclass
class Player:
    """The ratings of a player before the next game."""

    skill: PlackettLuceRating
    elo: float = FIRST_RATING
    games: int = 0
    was_strong: bool = False

    def k_factor(self) -> float:
        """Elo's factor K: the largest change of the rating by one game."""
        if self.was_strong:
            return K_STRONG
        return K_NEW if self.games < NEW_GAMES else K

    def move(self, skill: PlackettLuceRating, surprise: float) -> None:
        """Updates the ratings after a game. `surprise` is its result minus the expected one."""
        self.elo += self.k_factor() * surprise
        self.was_strong |= self.elo >= STRONG
        self.games += 1
        self.skill = skill


def expected(own: float, other: float) -> float:
    """The expected result by Elo, from 0 to 1."""
    return 1.0 / (1.0 + 10.0 ** ((other - own) / DIVISOR))


class Rater:
    """Rates batches of games in order, and collects the rows of the tables."""

    def __init__(self) -> None:
        self._model = PlackettLuce(beta=BETA)
        self._players: dict[str, Player] = {}
        self._snapshots: list[pa.Table] = []
        self._predictions: list[pa.Table] = []

    def add(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Rates the games of view new_games, whose players are in view new_seats."""
        games = connection.sql(GAMES).to_arrow_table().combine_chunks()
        predictions = np.zeros((len(games), len(PREDICTIONS)))
        for first, last in _months(games):
            month = games.slice(first, last - first)
            active: dict[str, Player] = {}
            for game, (names, result) in enumerate(zip(*_columns(month, "names", "result_20"), strict=True), first):
                four = [self._players.get(name) or self._newcomer(name) for name in names]
                predictions[game] = self._play(four, result)
                active |= zip(names, four, strict=True)
            self._snapshots.append(_snapshot(active, *_columns(month.slice(0, 1), "year", "month")))
        games = games.drop_columns("names")
        for name, values in zip(PREDICTIONS, predictions.T, strict=True):
            games = games.append_column(name, pa.array(values.astype(np.int32) if name == "least_games" else values))
        self._predictions.append(games)

    def ratings(self) -> Ratings:
        """All rows so far."""
        return Ratings(
            pa.concat_tables([SNAPSHOT.empty_table(), *self._snapshots]), pa.concat_tables(self._predictions)
        )

    def _newcomer(self, name: str) -> Player:
        self._players[name] = Player(self._model.rating())
        return self._players[name]

    def _play(self, four: list[Player], result: float) -> tuple[float, float, int]:
        """Rates a game of the players at seats 0 to 3. Returns the results that Elo and OpenSkill predicted for team
        20, and the fewest games that one of the players had before."""
        teams = [[four[0], four[2]], [four[1], four[3]]]
        skills = [[player.skill for player in team] for team in teams]
        elo = expected(*(sum(player.elo for player in team) / 2 for team in teams))
        openskill = self._model.predict_win(skills)[0]
        least = min(player.games for player in four)
        moved = self._model.rate(skills, ranks=[1.0 - result, result])
        for team, rated, surprise in zip(teams, moved, (result - elo, elo - result), strict=True):
            for player, skill in zip(team, rated, strict=True):
                player.move(skill, surprise)
        return elo, openskill, least


def _months(games: pa.Table) -> list[tuple[int, int]]:
    """Begin and end of each month in the rows of games."""
    number = games["year"].to_numpy().astype(np.int64) * 12 + games["month"].to_numpy()
    begins = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    return list(pairwise([*begins, len(games)]))


def _columns(table: pa.Table, *names: str) -> list[list]:
    return [table[name].to_pylist() for name in names]


def _snapshot(active: dict[str, Player], year: list[int], month: list[int]) -> pa.Table:
    """The ratings at the end of a month, of the players who played in it."""
    players = active.values()
    return pa.table(
        {
            "player_name": list(active),
            "year": year * len(active),
            "month": month * len(active),
            "games": [player.games for player in players],
            "elo": [player.elo for player in players],
            "mu": [player.skill.mu for player in players],
            "sigma": [player.skill.sigma for player in players],
        },
        schema=SNAPSHOT,
    )
