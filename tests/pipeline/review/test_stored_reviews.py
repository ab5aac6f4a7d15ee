"""The stage `reviews`: judged once, for whom it was asked, and no longer fresh when something changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq
import pytest

from tests.makers import golden
from tichu_models.agents.registry import AgentError
from tichu_models.review.report import JudgedRound
from tichu_models.review.tasks import RoundTask, judge_task
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.assets.reviews import ReviewsConfig, reviews
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.review import judging, stored
from tichu_pipeline.review.judging import games_of_month, review_months
from tichu_pipeline.review.kept import unfinished_file
from tichu_pipeline.review.stored import ReviewsRequest, asked_of, standing
from tichu_pipeline.review.year_page import page_path
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.freshness import State, Survey
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tools.review_strength import strength

ASKED = ReviewsRequest(games=2, agent="heuristic")


pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Two months of a generated corpus."""
    paths = DataPaths(tmp_path_factory.mktemp("reviews"))
    generate(paths.raw, 8, ["2024-01", "2024-02"], seed=3)
    ingest(paths.raw, paths)
    return paths


def judged(paths: DataPaths, request: ReviewsRequest):
    """The stage in this process."""
    return review_months(paths, request, Serial())


def test_months_are_judged_once(paths):
    """A year that is judged anew for one more month; judgements of another request that count as up to date."""
    assert standing(Survey(paths)).state is State.MISSING
    first = judged(paths, replace(ASKED, months=("2024-01",)))
    assert (first.reused, first.rows > 50) == (False, True)
    both = judged(paths, ASKED)
    assert (both.reused, both.rows > first.rows) == (False, True)
    assert judged(paths, ASKED).reused
    assert standing(Survey(paths)).is_fresh
    assert not judged(paths, replace(ASKED, seed=1)).reused
    assert not judged(paths, ASKED).reused
    before = month_file(paths.reviews, "2024-01").read_bytes()
    with pytest.raises(AgentError):
        judged(paths, replace(ASKED, agent="nobody"))
    assert month_file(paths.reviews, "2024-01").read_bytes() == before


def test_another_version_is_stale(paths, monkeypatch):
    """Figures of an old judge beside those of a new one."""
    judged(paths, ASKED)
    monkeypatch.setattr(stored, "VERSION", stored.VERSION + 1)
    found = standing(Survey(paths))
    assert found.state is State.STALE
    assert found.stale_months == ("2024-01", "2024-02")


def test_only_declared_players_are_judged(paths):
    """Hours spent on those whom nobody asked for."""
    games = [game for game, players in games_of_month(paths, ASKED, "2024-01") if players == ()]
    assert len(games) == 2
    names = (games[0].names[0][1], games[-1].names[0][2])
    judged(paths, replace(ASKED, months=("2024-01",), players=names))
    rows = pq.read_table(month_file(paths.reviews, "2024-01")).to_pylist()
    assert {row["player"] for row in rows} == set(names)
    for row in rows:
        (of_game,) = [
            game
            for game, _ in games_of_month(paths, replace(ASKED, games=99), "2024-01")
            if game.game_id == row["game_id"]
        ]
        place = of_game.rows["round_index"].tolist().index(row["round_index"])
        assert of_game.names[place][row["seat"]] == row["player"]
        assert of_game.names[place][row["seat"] ^ 2] == row["partner"]


class Counted:
    """The judge of a round, which counts what it is given, and breaks down after so many rounds."""

    def __init__(self, monkeypatch, breaks_after: int = 1000) -> None:
        self.games: list[int] = []
        self.breaks_after = breaks_after
        monkeypatch.setattr(judging, "judge_task", self)

    def __call__(self, task: RoundTask) -> JudgedRound:
        if len(self.games) == self.breaks_after:
            raise OSError("killed")
        self.games.append(task.game.key)
        return judge_task(task)


def linked(paths: DataPaths, folder: Path) -> DataPaths:
    """The same rounds in another folder."""
    other = DataPaths(folder)
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (other.root / name).symlink_to(paths.root / name)
    return other


def test_only_new_games_are_judged(paths, tmp_path, monkeypatch):
    """Hours for a month of which all but one game had been judged; judgements kept for other players or rounds."""
    other, month = linked(paths, tmp_path), "2024-01"
    one, two = (replace(ASKED, months=(month,), games=games) for games in (1, 2))
    first, second = (game for game, _ in games_of_month(other, two, month))
    judged(other, one)
    counted = Counted(monkeypatch)
    judged(other, two)
    assert set(counted.games) == {second.key}
    content = month_file(other.reviews, month).read_bytes()
    assert judged(other, two).reused
    month_file(other.reviews, month).unlink()
    breaking = Counted(monkeypatch, len(first.rows) + 1)
    monkeypatch.setattr(judging, "SECONDS_BETWEEN_SAVES", 0)
    with pytest.raises(OSError, match="killed"):
        judged(other, two)
    assert not month_file(other.reviews, month).exists()
    breaking.breaks_after, breaking.games = 1000, []
    judged(other, two)
    assert set(breaking.games) == {second.key}
    assert month_file(other.reviews, month).read_bytes() == content
    assert not unfinished_file(other, month).exists()
    breaking.games = []
    judged(other, replace(two, players=(first.names[0][0], second.names[0][0])))
    assert set(breaking.games) == {first.key, second.key}


def test_everybody_is_judged_in_games_of_the_corpus(paths, tmp_path):
    """Players who are compared with nobody, or with the games that they themselves sat in alone."""
    other, month = linked(paths, tmp_path), "2024-01"
    all_games = games_of_month(other, replace(ASKED, games=99), month)
    name = all_games[-1].game.names[0][0]
    asked = replace(ASKED, months=(month,), games=1, players=(name,), corpus=1)
    assert asked_of(replace(asked, corpus=0)).keys() == asked_of(asked).keys() - {"corpus"}
    judged(other, asked)
    rows = pq.read_table(month_file(other.reviews, month)).to_pylist()
    in_corpus = {row["player"] for row in rows if row["game_id"] == all_games[0].game.key}
    assert in_corpus == {each for names in all_games[0].game.names for each in names}
    assert {row["player"] for row in rows if row["game_id"] != all_games[0].game.key} <= {name}
    assert next(players for _, players in games_of_month(other, asked, month)) == ()
    assert standing(Survey(other)).is_fresh


def test_losses_are_compared_with_what_the_generator_knows(paths):
    """A proof that counts other plays as blunders than those that were."""
    judged(paths, ASKED)
    found = strength(paths, least=5)
    assert found["blunders"]["plays"] > 5
    assert found["blunders"]["loss"] > found["others"]["loss"]
    assert found["players"] > 4
    assert -1 <= found["correlation"] <= 1


def test_the_stage_tells_what_it_made(paths):
    """A stage that asks for something else than its config says, or that retries what cannot succeed."""
    config = {"games": 1, "agent": "heuristic", "months": ["2024-01"]}

    def materialize(**more: object) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            [reviews],
            selection=[reviews],
            resources={"data": DataFolder(root=str(paths.root)), "workers": WorkersResource(named="serial")},
            run_config={"ops": {"reviews": {"config": {**config, **more}}}},
            raise_on_error=False,
        )

    (event,) = materialize().get_asset_materialization_events()
    rows = event.step_materialization_data.materialization.metadata["rows"].value
    assert rows == pq.read_metadata(month_file(paths.reviews, "2024-01")).num_rows
    assert not materialize(agent="nobody").success
    assert not materialize(lang="fr").success
    (name, *_), month = games_of_month(paths, replace(ASKED, games=1), "2024-01")[0].game.names[0], "2024-01"
    (event,) = materialize(players=[name]).get_asset_materialization_events()
    page = page_path(paths, name, int(month[:4]))
    assert str(page) in event.step_materialization_data.materialization.metadata["years"].value
    assert page.exists()
    defaults, request = ReviewsConfig(), ReviewsRequest()
    assert (defaults.games, defaults.agent, defaults.seed) == (request.games, request.agent, request.seed)


def test_judgements_change_only_with_their_version(tmp_path):
    """Losses by other deals than those beside them, which count as up to date."""
    paths = golden.known_games(tmp_path, golden.GAMES[:1])
    review_months(paths, replace(ASKED, games=1), Serial())
    table = pq.read_table(month_file(paths.reviews, golden.MONTH))
    columns = {name: golden.digest(table[name].to_pylist()) for name in table.column_names}
    golden.check("reviews", stored, columns)
