"""Ratings: by hand, in small, and against hidden strengths, in large."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openskill.models import PlackettLuce
from scipy.stats import spearmanr

from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.ratings import BETA, Player, Rater, expected
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months


def rated(games: list[tuple[list[str], int | None]]) -> tuple[list[dict], list[dict]]:
    """Rows of both tables for games in order: names of seats 0..3 and the winning team; one game a month."""
    seats, rows = [], []
    for number, (names, winner) in enumerate(games):
        rows.append(
            {"game_id": number, "year": 2024, "month": number + 1, "winner_team": winner, "player_changed": False}
        )
        seats += [
            {"game_id": number, "round_index": index, "seat": seat, "player_name": name}
            for index in range(2)
            for seat, name in enumerate(names)
        ]
    rater = Rater()
    with duckdb.connect() as connection:
        connection.register("new_seats", pa.Table.from_pylist(seats))
        connection.register("new_games", pa.Table.from_pylist(rows))
        rater.add(connection)
    ratings = rater.ratings()
    return ratings.players.to_pylist(), ratings.predictions.to_pylist()


def test_ratings_by_hand():
    """Teams taken for seats 0 and 1, a winner who loses points, or a prediction that knows the result."""
    players, predictions = rated([(["a", "b", "c", "d"], 20), (["a", "b", "c", "d"], 31), (["a", "b", "c", "d"], 0)])
    first = {row["player_name"]: row for row in players if row["month"] == 1}
    assert {name: row["elo"] for name, row in first.items()} == {"a": 1520, "b": 1480, "c": 1520, "d": 1480}
    assert first["a"]["mu"] == first["c"]["mu"] > 25 > first["b"]["mu"]
    model = PlackettLuce(beta=BETA)
    ((skill, _), _) = model.rate([[model.rating(), model.rating()], [model.rating(), model.rating()]], ranks=[0, 1])
    assert (first["a"]["mu"], first["a"]["sigma"]) == (skill.mu, skill.sigma)
    assert [row["elo_20"] for row in predictions[:2]] == [0.5, pytest.approx(1 / (1 + 10 ** (-40 / 400)))]
    assert [row["result_20"] for row in predictions] == [1, 0, 0.5]
    assert [row["least_games"] for row in predictions] == [0, 1, 2]
    assert predictions[0]["openskill_20"] == pytest.approx(0.5)
    assert predictions[1]["openskill_20"] > 0.5
    second = {row["player_name"]: row for row in players if row["month"] == 2}
    assert second["a"]["elo"] == pytest.approx(1520 - 40 * expected(1520, 1480))
    assert sum(row["elo"] for row in second.values()) == pytest.approx(6000)


def test_games_that_do_not_count():
    """Unfinished games, nameless players and one name twice would move ratings of nobody in particular."""
    players, predictions = rated([(["a", "b", "c", "d"], None), (["a", "", "c", "d"], 20), (["a", "b", "a", "d"], 20)])
    assert (players, predictions) == ([], [])


def test_k_follows_experience():
    """A newcomer who stays where he began, or a master who loses a hundred points in an evening."""
    player = Player(None)
    factors = []
    for _ in range(31):
        factors.append(player.k_factor())
        player.move(None, 0.0)
    assert factors == [40.0] * 30 + [20.0]
    player.move(None, 60.0)
    assert player.elo >= 2400
    player.move(None, -60.0)
    assert (player.elo < 2400, player.k_factor()) == (True, 10.0)


@pytest.mark.proof
def test_ratings_find_the_hidden_strengths(tmp_path):
    """Ratings that rank by luck or by the number of games: players of 50 games or more against their blunder rates."""
    paths = DataPaths(tmp_path)
    generate(paths.raw, 20_000, parse_months("2023-01..2024-12"), seed=9)
    ingest(paths.raw, paths)
    build(paths)
    truth = pq.read_table(paths.raw / "truth.parquet", columns=["players", "blunder_rates"])
    names = truth["players"].combine_chunks().flatten().to_pylist()
    blunders = dict(zip(names, truth["blunder_rates"].combine_chunks().flatten().to_pylist(), strict=True))
    latest = table(
        paths,
        "SELECT player_name, elo, mu FROM player_ratings "
        "QUALIFY row_number() OVER (PARTITION BY player_name ORDER BY year DESC, month DESC) = 1 AND games >= 50",
    ).to_pylist()
    strength = [-blunders[row["player_name"]] for row in latest]
    for system in ("elo", "mu"):
        found = spearmanr([row[system] for row in latest], strength).statistic
        print(f"\n{system}: Spearman {found:.3f} over {len(latest)} players")
        assert found >= 0.8
    losses = table(
        paths,
        "SELECT -avg(ln(if(result_20 = 1, elo_20, 1 - elo_20))) AS elo, "
        "-avg(ln(if(result_20 = 1, openskill_20, 1 - openskill_20))) AS openskill "
        "FROM rating_predictions WHERE result_20 <> 0.5 AND least_games >= 30",
    ).to_pylist()[0]
    print(f"log-loss of the next game: {losses}, of guessing {np.log(2):.4f}")
    assert max(losses.values()) < np.log(2)
