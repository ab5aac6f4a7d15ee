"""A player's year: figures that agree with a recount of the files, and how far players differ."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests.makers.reviewed import busiest, stored_reviews
from tichu_pipeline.cli import app
from tichu_pipeline.review import deciles
from tichu_pipeline.review.deciles import apart
from tichu_pipeline.review.lost import Reviews
from tichu_pipeline.review.texts import Language
from tichu_pipeline.review.year import last_year, year_record
from tichu_pipeline.review.year_page import page_path, write_years
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files


def sat(paths: DataPaths, player: str) -> list[tuple[str, int, int, str]]:
    """Month, game, round and partner of the sound rounds of judged games in which a player sat."""
    games = {row["game_id"] for row in stored_reviews(paths) if row["player"] == player}
    rounds = pl.concat(
        [pl.read_parquet(file).with_columns(month=pl.lit(file.stem)) for file in month_files(paths.rounds)]
    )
    return [
        (row["month"], row["game_id"], row["round_index"], row["player_names"][row["player_names"].index(player) - 2])
        for row in rounds.to_dicts()
        if row["rule_break"] == 0 and row["game_id"] in games and player in row["player_names"]
    ]


def test_the_figures_are_those_of_the_files(judged):
    """Points a decision called points a round; rounds without a loss left out; a partner blamed for another one's."""
    player = busiest(judged)
    record = year_record(Reviews(judged), player, 2024)
    own = [row for row in stored_reviews(judged) if row["player"] == player]
    of_year = [row for row in own if row["month"] >= "2024"]
    rounds = [each for each in sat(judged, player) if each[0] >= "2024"]
    assert (record["all"]["rounds"], record["open_decisions"]) == (len(rounds), len(of_year))
    assert record["games"] == len({game for _, game, *_ in rounds})
    assert record["all"]["loss"] == pytest.approx(sum(row["loss"] for row in of_year) / len(rounds), abs=0.006)
    low, high = record["all"]["interval"]
    assert low < record["all"]["loss"] < high
    assert record["certain_errors"] == sum(row["certain"] for row in of_year) > 0
    assert record["evening"]["lost"] == pytest.approx(sum(row["loss"] for row in of_year if row["certain"]), abs=0.1)
    for kind, part in record["by_kind"].items():
        lost = [row["loss"] for row in of_year if row["kind"] == kind]
        assert (part["open"], part["rounds"]) == (len(lost), len(rounds))
        assert part["loss"] == pytest.approx(sum(lost) / len(rounds), abs=0.006)
    assert sum(part["open"] for part in record["by_kind"].values()) == len(of_year)
    for column, parts, at in (("partner", record["by_partner"], 3), ("month", record["by_month"], 0)):
        assert {part[column]: part["rounds"] for part in parts} == Counter(each[at] for each in rounds)
        for part in parts:
            lost = [row["loss"] for row in of_year if row[column] == part[column]]
            assert part["loss"] == pytest.approx(sum(lost) / part["rounds"], abs=0.006)
    assert sum(part["rounds"] for part in record["by_year"]) == len(sat(judged, player))
    costly = record["costliest"]
    assert [(each["certain"], each["loss"]) for each in costly] == sorted(
        ((each["certain"], each["loss"]) for each in costly), reverse=True
    )
    assert costly[0]["loss"] == pytest.approx(max(row["loss"] for row in of_year if row["certain"]), abs=0.06)
    assert costly[0]["players"][costly[0]["seat"]] == player


def test_players_are_compared_with_those_of_the_same_referee(judged, monkeypatch):
    """Deciles with the player among them; one who loses least of all said to lose most; two referees in one figure."""
    monkeypatch.setattr(deciles, "LEAST_PLAYERS", 5)
    monkeypatch.setattr(deciles, "LEAST_ROUNDS", 10)
    names = {row["player"] for row in stored_reviews(judged) if row["month"] == "2024-02"}
    reviews = Reviews(judged)
    records = {name: year_record(reviews, name, 2024) for name in names}
    for record in records.values():
        assert record["corpus"]["enough"]
        for part in [record["all"], *record["by_kind"].values()]:
            assert part["deciles"] == sorted(part["deciles"])
            low, high = part["lose_more"] or (0, 1)
            assert 0 <= low <= high <= 1
    loss = {name: record["all"]["loss"] for name, record in records.items()}
    most, least = max(loss, key=loss.__getitem__), min(loss, key=loss.__getitem__)
    assert records[least]["all"]["lose_more"][1] > records[most]["all"]["lose_more"][1]


def test_chance_is_taken_out_of_the_spread_of_means():
    """Players who differ by the luck of few rounds alone, shown as far apart; those who do differ, drawn together."""
    chance = np.random.default_rng(0)
    true, error = chance.normal(5, 1, 4000), chance.uniform(0.5, 3, 4000)
    means = true + chance.normal(0, error)
    found = apart(means, error**2)
    assert means.std() > 1.8
    assert found.std() == pytest.approx(1, abs=0.1)
    assert np.quantile(found, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(true, [0.1, 0.5, 0.9]), abs=0.15)
    assert apart(5 + chance.normal(0, 1, 400), np.full(400, 1.1)).std() == pytest.approx(0)
    assert apart(np.zeros(3), np.zeros(3)).tolist() == [0, 0, 0]


def test_a_year_of_two_referees_keeps_to_the_last(judged, tmp_path):
    """Losses by a weak referee and by a strong one in one mean."""
    other = DataPaths(tmp_path)
    other.rounds.symlink_to(judged.rounds)
    other.reviews.mkdir()
    player = busiest(judged)
    for file in month_files(judged.reviews):
        table = pq.read_table(file)
        metadata = dict(table.schema.metadata)
        if file.stem == "2024-01":
            metadata[b"tichu.reviews"] = metadata[b"tichu.reviews"].replace(b"heuristic", b"random")
        pq.write_table(table.replace_schema_metadata(metadata), month_file(other.reviews, file.stem))
    record = year_record(Reviews(other), player, 2024)
    months = sorted({month for month, *_ in sat(judged, player) if month >= "2024"})
    assert record["referee"]["agent"] == ("heuristic" if "2024-02" in months else "random")
    assert (record["months"], record["left_out"]) == (["2024-02"], ["2024-01"])
    assert {part["month"] for part in record["by_month"]} == {"2024-02"}


def test_the_command_prints_and_writes(judged, tmp_path):
    """A year of somebody else; a traceback for a name that is mistyped, or for a folder without reviews."""

    def run(*arguments: object):
        return CliRunner().invoke(app, ["year", *map(str, arguments), "--data", str(judged.root)])

    player, out = busiest(judged), tmp_path / "new" / "year.html"
    told = run(player, "--out", out, "--lang", "de")
    assert told.exit_code == 0, told.output
    record = year_record(Reviews(judged), player, last_year(Reviews(judged), player))
    assert json.loads(run(player, "--json").stdout) == record
    said = " ".join(told.output.split())
    assert f"of {record['open_decisions']:,} open decisions" in said
    assert all(part["month"] in said for part in record["by_month"])
    content = out.read_bytes()
    assert b'<html lang="de">' in content
    assert run(player, "--out", out, "--lang", "de").exit_code == 0
    assert out.read_bytes() == content
    for given in (("Nobody",), (player, "--year", "1999")):
        refused = run(*given)
        assert refused.exit_code == 1
        assert "has been judged" in refused.output
        assert "judge" in refused.output
    nothing = CliRunner().invoke(app, ["year", player, "--data", str(tmp_path)])
    assert (nothing.exit_code, "has been judged" in nothing.output) == (1, True)


def test_the_stage_makes_pages_of_declared_players(judged, tmp_path):
    """A page of a player who did not sit in any game; names that lead out of the folder, or are two of one."""
    other = DataPaths(tmp_path)
    other.rounds.symlink_to(judged.rounds)
    other.reviews.symlink_to(judged.reviews)
    player = busiest(judged)
    written = write_years(other, [player, "Nobody"], ["2024-01", "2024-02"], Language.EN)
    assert written == [page_path(other, player, 2024)]
    assert written[0].read_text().startswith("<!doctype html>")
    names = ["../../x", "x", "X_", "..", "", "ä", "ö", "a/b", "a_b", "x" * 300]
    files = [page_path(other, name, 2024) for name in names]
    assert len(set(files)) == len(names)
    assert {file.parent for file in files} == {other.reports / "years"}
    assert max(len(file.name) for file in files) < 80
