"""Ratings over time: every finished game moves them, in the order of the games.

Two systems side by side: Elo, which everybody knows, and OpenSkill, which also tells how sure it is of a player. Before
a game counts, both say how it will end, so that SQL can ask which of them knows more. A game counts if it has a winner
or is a draw, and four players with different names sat from its first round to its last.
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
# The chance in a single game. Cards decide more of it than the library's default of 25/6 allows for, which makes its
# predictions far too sure (log-loss above that of guessing).
BETA = 25.0

# One row a rated game of the batch at hand.
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
    """What is known of a player before his next game."""

    skill: PlackettLuceRating
    elo: float = FIRST_RATING
    games: int = 0
    was_strong: bool = False

    def k_factor(self) -> float:
        """How far one game moves his Elo."""
        if self.was_strong:
            return K_STRONG
        return K_NEW if self.games < NEW_GAMES else K

    def move(self, skill: PlackettLuceRating, surprise: float) -> None:
        """After a game; the surprise is its result less the expected one."""
        self.elo += self.k_factor() * surprise
        self.was_strong |= self.elo >= STRONG
        self.games += 1
        self.skill = skill


def expected(own: float, other: float) -> float:
    """Expected result by Elo, 0..1."""
    return 1.0 / (1.0 + 10.0 ** ((other - own) / DIVISOR))


class Rater:
    """Takes batches of games in their order, and keeps what the tables will hold."""

    def __init__(self) -> None:
        self._model = PlackettLuce(beta=BETA)
        self._players: dict[str, Player] = {}
        self._snapshots: list[pa.Table] = []
        self._predictions: list[pa.Table] = []

    def add(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Lets the games of new_games count, whose players are in new_seats."""
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
        """All rows."""
        return Ratings(
            pa.concat_tables([SNAPSHOT.empty_table(), *self._snapshots]), pa.concat_tables(self._predictions)
        )

    def _newcomer(self, name: str) -> Player:
        self._players[name] = Player(self._model.rating())
        return self._players[name]

    def _play(self, four: list[Player], result: float) -> tuple[float, float, int]:
        """Lets a game count for seats 0..3; what Elo and OpenSkill expected of team 20, and who had played least."""
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
    """Begin and end of each month's games."""
    number = games["year"].to_numpy().astype(np.int64) * 12 + games["month"].to_numpy()
    begins = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    return list(pairwise([*begins, len(games)]))


def _columns(table: pa.Table, *names: str) -> list[list]:
    return [table[name].to_pylist() for name in names]


def _snapshot(active: dict[str, Player], year: list[int], month: list[int]) -> pa.Table:
    """The ratings of those who played in a month, after it."""
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
