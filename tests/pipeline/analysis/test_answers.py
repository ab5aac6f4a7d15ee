"""The answers of the database: held against a plain recount of the text, on real logs and on generated games."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.oracles.reading import read_rounds
from tests.oracles.recount import recount
from tests.paths import ROOT
from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths

# These are held by the digests in tests/golden/analysis_report.json only; those that need reviews are recounted in
# tests/pipeline/review/test_review_questions.py. Every other one is in the recount.
WITHOUT_A_RECOUNT = {f"{number}" for number in range(28, 41)}
SPREAD = "SELECT MIN({0}), MAX({0}), AVG({0}), STDEV({0}) FROM {1};"


@dataclass(frozen=True)
class Corpus:
    """A database, the logs that it was made of, and the answers counted from them."""

    paths: DataPaths
    texts: dict[int, str]
    expected: dict[str, list[dict]]


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> Corpus:
    """A database of generated games."""
    paths = DataPaths(tmp_path_factory.mktemp("generated"))
    generate(paths.raw, 60, ["2024-01", "2024-02"], seed=17)
    with zipfile.ZipFile(paths.raw / "2024.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".tch")]
        texts = {int(Path(name).stem): archive.read(name).decode() for name in names}
    whole = {game: text for game, text in texts.items() if text.rstrip().splitlines()[-1].startswith("Ergebnis")}
    with zipfile.ZipFile(paths.raw / "2024.zip", "w") as archive:
        for name in names:
            if int(Path(name).stem) in whole:
                archive.writestr(name, whole[int(Path(name).stem)])
    return _corpus(paths, whole)


@pytest.fixture(scope="module")
def real(tmp_path_factory, real_logs) -> Corpus:
    """A database of the real logs."""
    paths = DataPaths(tmp_path_factory.mktemp("real"))
    paths.raw.mkdir()
    with zipfile.ZipFile(paths.raw / "2024.zip", "w") as archive:
        for log in real_logs:
            archive.write(log, f"202403/{log.name}")
    return _corpus(paths, {int(log.stem): log.read_text() for log in real_logs})


def _corpus(paths: DataPaths, texts: dict[int, str]) -> Corpus:
    ingest(paths.raw, paths)
    build(paths)
    return Corpus(paths, texts, recount(texts))


@pytest.fixture(scope="module", params=["generated", "real"])
def corpus(request) -> Corpus:
    """Both of them."""
    return request.getfixturevalue(request.param)


def test_answers_are_those_of_the_recount(corpus):
    """An analyst reads a wrong figure, and sizes a network, a clipping or a data set by it."""
    paths, expected = corpus.paths, corpus.expected
    asked = {query.name[:2]: query for query in queries() if query.name[:2] not in WITHOUT_A_RECOUNT}
    assert sorted(expected) == sorted(asked), "tests/oracles/recount.py counts the answer to each of these questions"
    for number, query in asked.items():
        rows = table(paths, query.sql).to_pylist()
        shown = [{name: row[name] for name in wanted} for row, wanted in zip(rows, expected[number], strict=False)]
        assert len(rows) == len(expected[number]), (query.name, rows, expected[number])
        for found, wanted in zip(shown, expected[number], strict=True):
            assert found == {k: pytest.approx(v) if isinstance(v, float) else v for k, v in wanted.items()}, query.name


def test_percents_are_of_what_they_say(generated):
    """A share of seats taken for one of rounds, or of known results for one of all."""
    paths, expected = generated.paths, generated.expected
    for number, part, whole, column in (
        ("08", "double_victories", "rounds", "percent"),
        ("09", "calls", "seats", "percent_of_seats"),
        ("10", "made", "calls", "percent"),
        ("11", "calls", "seats", "percent_of_seats"),
        ("12", "made", "calls", "percent"),
        ("20", "without_wish", "mahjongs_played", "percent"),
        ("24", "both_called", "teams_and_rounds", "percent"),
    ):
        query = next(entry for entry in queries() if entry.name.startswith(number))
        (row,) = table(paths, query.sql).to_pylist()
        (wanted,) = expected[number]
        assert row[column] == pytest.approx(100 * wanted[part] / wanted[whole], abs=0.001), query.name
    for number in ("13", "15", "16", "17", "18", "19"):
        query = next(entry for entry in queries() if entry.name.startswith(number))
        assert sum(table(paths, query.sql)["percent"].to_pylist()) == pytest.approx(100, abs=0.02), query.name


def test_statements_of_the_concept_run_unchanged(corpus):
    """Whoever copies a statement out of the concept gets an error, or another answer than the query gives."""
    paths, expected = corpus.paths, corpus.expected

    def first(sql: str) -> list:
        return list(table(paths, sql).to_pylist()[0].values())

    totals = expected["01"][0]
    assert first("SELECT COUNT(*) FROM games;") == [totals["games"]]
    assert first("SELECT COUNT(*) FROM rounds;") == first("SELECT SUM(num_rounds) FROM games;") == [totals["rounds"]]
    assert first("SELECT SUM(num_tricks) FROM rounds;") == [totals["tricks"]]
    assert first("SELECT SUM(num_turns) FROM rounds;") == [totals["turns"]]
    rows = {name: next(row for row in expected["07"] if row["score"] == name) for name in
            ("score_20", "score_31", "score_diff")}  # fmt: skip
    rows |= {"num_rounds": expected["02"][0], "num_tricks": expected["03"][0], "num_turns": expected["04"][0]}
    for name, row in rows.items():
        source = "games" if name == "num_rounds" else "rounds"
        assert first(SPREAD.format(name, source)) == pytest.approx([row[k] for k in ("min", "max", "mean", "sd")])
    points = expected["06"][0]
    assert first(
        "SELECT MIN(min_points), MAX(max_points), SUM(avg_points * num_turns)/SUM(num_turns) AS avg_avg_points, "
        "STDEV(score_20) FROM rounds;"
    ) == pytest.approx([points["min"], points["max"], points["mean"], rows["score_20"]["sd"]], rel=1e-6)


def test_every_query_answers(generated):
    """A query that fails, or finds nothing, where there is something to find."""
    paths = generated.paths
    for query in queries():
        assert query.question.endswith("?"), query.name
        assert table(paths, query.sql).num_rows or query.needs, query.name


def test_turns_and_macros(generated):
    """Turns, hands or labels that differ from the log: every analysis of plays would be off."""
    paths, texts = generated.paths, generated.texts
    game, text = next(iter(texts.items()))
    for index, round_ in enumerate(read_rounds(text)):
        turns = table(paths, f"FROM turns({game}, {index})").to_pylist()
        owner, plays = None, []
        for seat, cards in round_["lines"]:
            if cards or seat != owner:
                plays.append((seat, sorted(cards)))
            owner = seat if cards else owner
        # Passes behind the last play do not count: the round is over.
        assert [(turn["seat"], sorted(turn["labels"].split())) for turn in turns] == plays[: len(turns)]
        assert all(not cards for _, cards in plays[len(turns) :])
        seats = table(
            paths,
            "SELECT cards(first_hand) AS first, cards(start_hand) AS start, card_label(given_partner) AS given, "
            "card_label(received_partner) AS received, cards(hand) AS hand, card_count(hand) AS n, "
            f"has_card(hand, 'Dr') AS dragon FROM players_rounds WHERE game_id = {game} AND round_index = {index} "
            "ORDER BY seat",
        ).to_pylist()
        for seat, row in enumerate(seats):
            assert sorted(row["first"].split()) == sorted(round_["first"][seat])
            assert row["start"].split() == round_["start"][seat]
            assert row["given"] == round_["given"][seat][1]
            assert row["received"] == round_["given"][(seat + 2) % 4][1]
            assert (row["n"], row["dragon"]) == (14, "Dr" in row["hand"].split())
            kept = set(round_["start"][seat]) - set(round_["given"][seat])
            got = {round_["given"][(seat + 1 + i) % 4][2 - i] for i in range(3)}
            assert set(row["hand"].split()) == kept | got


def test_places_and_cumulated_scores(generated):
    """A finishing place or a game score of another seat, team or game."""
    paths, texts = generated.paths, generated.texts
    game = max(texts)
    rows = table(paths, f"SELECT * FROM rounds WHERE game_id = {game} ORDER BY round_index").to_pylist()
    totals = [0, 0]
    for row in rows:
        totals = [totals[0] + row["score_20"], totals[1] + row["score_31"]]
        assert [row["score_cum_20"], row["score_cum_31"]] == totals
    places = table(paths, "SELECT place, count(*) AS n, avg(points) AS p FROM players_rounds GROUP BY 1").to_pylist()
    n = {row["place"]: row["n"] for row in places}
    assert n[1] == n[2] == n[3] + n[0] / 2 == n[4] + n[0] / 2
    mean = table(paths, "SELECT avg(score_diff) FROM players_rounds").column(0)[0].as_py()
    assert mean == pytest.approx(0)


@pytest.mark.parametrize(("page", "count"), [("README.md", 1), ("docs/data.md", 4)])
def test_examples_of_the_documentation_run(generated, page, count):
    """The first thing that an analyst copies fails."""
    examples = re.findall(r"```sql\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    statements = [statement for example in examples for statement in example.split(";") if statement.strip()]
    assert len(statements) == count
    for statement in statements:
        assert table(generated.paths, statement).num_rows, statement
