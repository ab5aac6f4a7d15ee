"""The table `reviews` of the database, and the questions about it, held against a plain recount of the files."""

from __future__ import annotations

import json
import math
import shutil
from collections import defaultdict
from statistics import mean, stdev

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import spearmanr
from typer.testing import CliRunner

from tichu_pipeline.analysis.build import build, renew_tables, row_counts, standing
from tichu_pipeline.analysis.reading import DatabaseError, table, value
from tichu_pipeline.analysis.scripts import queries, query
from tichu_pipeline.cli import app
from tichu_pipeline.orchestration.assets import analysis as stage
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.review import judging
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files
from tichu_pipeline.storage.freshness import Survey
from tichu_pipeline.storage.freshness import judged as fresh

ABOUT_REVIEWS = ["38_loss_by_strength", "39_costly_schupf_and_calls", "40_ratings_and_losses"]
VALUES = {"Hu": "Dog", "Ma": "Mahjong", "Dr": "Dragon", "Ph": "Phoenix"}
VALUES |= {"B": "Jack", "D": "Queen", "K": "King", "A": "Ace"}


def stored(paths: DataPaths) -> list[dict]:
    """All rows of the files."""
    return pa.concat_tables([pq.read_table(file) for file in month_files(paths.reviews)]).to_pylist()


def answers(paths: DataPaths, number: str) -> list[dict]:
    """What a question is answered."""
    return table(paths, query(number).sql).to_pylist()


def latest_elo(paths: DataPaths) -> dict[str, float]:
    """The latest rating of each player."""
    rows = table(paths, "SELECT player_name, elo FROM player_ratings ORDER BY year, month").to_pylist()
    return {row["player_name"]: row["elo"] for row in rows}


def test_the_table_has_a_row_for_each_judged_decision(judged):
    """Decisions of another month, another referee or another meaning than those of the files."""
    names = pq.read_schema(month_files(judged.reviews)[0]).names
    rows = stored(judged)
    found = table(judged, f"SELECT {', '.join(names)} FROM reviews ORDER BY game_id, round_index, seat, turn, kind")
    key = [(row["game_id"], row["round_index"], row["seat"], row["turn"] or -1, row["kind"]) for row in rows]
    assert len(rows) == len(found) > 300
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, rows))
    assert len(set(key)) > 0.99 * len(key)
    assert value(judged, "SELECT list(DISTINCT agent || seed) FROM reviews") == ["heuristic0"]
    wrong = "SELECT count(*) FROM reviews JOIN rounds AS r USING (game_id, round_index) WHERE {}"
    assert value(judged, wrong.format("true")) == len(rows)
    assert value(judged, wrong.format("(reviews.year, reviews.month) <> (r.year, r.month)")) == 0
    assert value(judged, wrong.format("r.player_names[seat + 1] <> player")) == 0
    explained = table(judged, "FROM duckdb_columns() WHERE table_name = 'reviews' AND comment IS NOT NULL")
    assert len(explained) == len(names) + 4


def test_losses_by_strength_are_recounted(judged):
    """Points a decision called points a round; rounds in which nothing was lost left out; the strong taken for weak."""
    rows, elo = stored(judged), latest_elo(judged)
    of_game = {(row["game_id"], row["player"]) for row in rows}
    sat = [
        (row["game_id"], row["round_index"], row["seat"], row["player_name"])
        for row in table(judged, "FROM players_rounds WHERE rule_break = 0").to_pylist()
        if (row["game_id"], row["player_name"]) in of_game and row["player_name"] in elo
    ]
    ranked = sorted({name for *_, name in sat}, key=lambda name: (elo[name], name))
    size, rest = divmod(len(ranked), 4)
    sizes = [size + (quarter < rest) for quarter in range(4)]
    quarter = {name: at + 1 for at in range(4) for name in ranked[sum(sizes[:at]) : sum(sizes[: at + 1])]}
    lost: dict = defaultdict(float)
    for row in rows:
        for kind in (row["kind"], "all"):
            lost[row["game_id"], row["round_index"], row["seat"], kind] += row["loss"]
    found = answers(judged, "38")
    assert {row["quarter"] for row in found} == {1, 2, 3, 4}
    assert sum(row["decisions"] for row in found if row["kind"] == "all") == sum(row["player"] in elo for row in rows)
    for row in found:
        own = [lost[game, at, seat, row["kind"]] for game, at, seat, name in sat if quarter[name] == row["quarter"]]
        assert row["rounds"] == len(own)
        assert row["loss_a_round"] == pytest.approx(mean(own), abs=0.001)
        assert row["margin_95"] == pytest.approx(1.96 * stdev(own) / len(own) ** 0.5, abs=0.001)
        assert row["loss_a_decision"] == pytest.approx(sum(own) / row["decisions"], abs=0.001)


def worth(card: str) -> str:
    """The name of a card's value."""
    return VALUES.get(card) or VALUES.get(card[1:]) or card[1:]


def test_costly_schupf_and_calls_are_recounted(judged, tmp_path):
    """A card to the partner blamed for one to the left; a call blamed that was never made; referees thrown together."""
    rows = [row | {"agent": "heuristic"} for row in stored(judged)]
    given = [["S5", "RA", "B6"], ["S5", "RA", "B6"], ["S5", "Dr", "G7"], ["Hu", "SK", "B4"]]
    better = [["S5", "RA", "B7"], ["G5", "RK", "B6"], ["S5", "Dr", "G7"], ["B4", "SK", "Hu"]]
    other = [
        rows[0] | {"kind": "schupf", "turn": None, "answer": json.dumps(one), "best": json.dumps(two), "agent": "other"}
        for one, two in zip(given, better, strict=True)
    ]
    for row, loss in zip(other, (12.0, 7.5, 0.0, 30.0), strict=True):
        row["loss"] = loss
    copy = copied(judged, tmp_path)
    shutil.copytree(judged.reviews, copy.reviews)
    asked = {"tichu.reviews": json.dumps({"agent": "other", "seed": 3})}
    other_file = pa.Table.from_pylist(other, judging.SCHEMA.with_metadata(asked))
    pq.write_table(other_file, month_file(copy.reviews, "2024-03"))
    build(copy)
    rows = [row for row in rows + other if row["kind"] in ("grand", "tichu", "small", "schupf")]
    expected: dict = defaultdict(list)
    for row in rows:
        answer, best = json.loads(row["answer"]), json.loads(row["best"])
        if row["loss"] > 0 and row["kind"] == "schupf":
            for to, gave, should in zip(("right", "partner", "left"), answer, best, strict=True):
                colour = " of another colour" if worth(gave) == worth(should) else ""
                if gave != should:
                    expected[row["agent"], "schupf", to, worth(gave), worth(should) + colour].append(row["loss"])
        elif row["loss"] > 0:
            said = ["announced" if each else "not announced" for each in (answer, best)]
            expected[row["agent"], row["kind"], "", *said].append(row["loss"])
    found = answers(copy, "39")
    assert len(found) == len(expected) > 9
    for row in found:
        own = expected[row["agent"], row["kind"], row["recipient"], row["answered"], row["better"]]
        of_kind = sum((each["agent"], each["kind"]) == (row["agent"], row["kind"]) for each in rows)
        assert (row["costly"], row["mean_loss"]) == (len(own), pytest.approx(mean(own), abs=0.01))
        assert row["points_in_1000"] == pytest.approx(1000 * sum(own) / of_kind, abs=0.01)
    costs = [(row["agent"], -row["costly"] * row["mean_loss"]) for row in found]
    assert costs == sorted(costs)


def test_ratings_are_compared_with_losses(judged):
    """A correlation of other players than it says, with the wrong sign, or with ties that count as an order."""
    rows, elo = stored(judged), latest_elo(judged)
    losses: dict = defaultdict(list)
    for row in rows:
        losses[row["player"]].append(row["loss"])
    found = answers(judged, "40")
    assert len(found) > 2
    for row in found:
        own = {name: mean(each) for name, each in losses.items() if len(each) >= row["least_decisions"] and name in elo}
        r = spearmanr([elo[name] for name in own], list(own.values())).statistic
        assert row["players"] == len(own)
        assert row["rank_correlation"] == pytest.approx(r, abs=0.001)
        half = 1.96 * math.sqrt(1.06 / (len(own) - 3))
        assert (row["low"], row["high"]) == pytest.approx(
            (math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)), abs=0.002
        )


def copied(paths: DataPaths, folder) -> DataPaths:
    """The same rounds and the same database in another folder."""
    copy = DataPaths(folder)
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (copy.root / name).symlink_to(paths.root / name)
    shutil.copyfile(paths.database, copy.database)
    return copy


def test_without_reviews_the_table_is_empty_and_questions_say_so(judged, tmp_path):
    """An error of SQL, or an empty answer that looks like one."""
    copy = copied(judged, tmp_path)
    assert not build(copy).reused
    assert row_counts(copy.database)["reviews"] == 0
    assert [each.name for each in queries() if each.needs] == ABOUT_REVIEWS
    for name in ABOUT_REVIEWS:
        assert answers(copy, name) == []
        told = CliRunner().invoke(app, ["query", name, "--data", str(copy.root), "--format", "csv"])
        assert told.exit_code == 0
        assert "table reviews is empty until decisions have been judged" in told.stderr
        assert told.stdout.count("\n") == 1
        assert CliRunner().invoke(app, ["query", name, "--data", str(judged.root)]).stderr == ""
    check = stage.every_query_answers(DataFolder(root=str(copy.root)))
    assert check.passed
    assert check.metadata["waiting"].value == ", ".join(ABOUT_REVIEWS)
    check = stage.every_query_answers(DataFolder(root=str(judged.root)))
    assert (check.passed, check.metadata["waiting"].value) == (True, "none")


def reasons(paths: DataPaths) -> str:
    """Why the database is not up to date."""
    survey = Survey(paths)
    survey.standings["rounds"] = fresh("rounds", "", 0, [])
    return ", ".join(standing(survey).reasons)


def test_the_table_follows_the_files(judged, tmp_path):
    """Reviews of last year in a database that counts as up to date; rounds that are read anew for a month of them."""
    copy = copied(judged, tmp_path)
    before = value(copy, "SELECT stamp FROM about")
    assert reasons(copy) == "decisions have been judged since"
    copy.reviews.mkdir()
    month = month_files(judged.reviews)[0]
    shutil.copyfile(month, copy.reviews / month.name)
    renew_tables(copy)
    rows = row_counts(copy.database)["reviews"]
    assert rows == pq.read_metadata(month).num_rows
    assert value(copy, "SELECT stamp FROM about") == before
    assert reasons(copy) == ""
    assert build(copy).reused
    pq.write_table(pa.table({"other": [1]}, metadata={"tichu.reviews": "{}"}), month_file(copy.reviews, "2024-03"))
    with pytest.raises(DatabaseError, match="no review"):
        build(copy)
    assert row_counts(copy.database)["reviews"] == rows
