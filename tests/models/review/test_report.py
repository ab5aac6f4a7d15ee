"""The record of a review: sums that agree with its decisions, and luck that is nobody's merit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.makers.positions import played
from tests.makers.runs import make_critic, make_self_taught
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.records.scores import scores_before
from tichu_models.review.judge import Judge
from tichu_models.review.luck import CriticsWorth
from tichu_models.review.report import LoggedGame, review
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.tasks import Referees, RoundTask, judge_task

NAMES = ["anna", "bert", "cleo", "dora"]
PLAYER = {
    *("name", "seats", "rounds", "open_decisions", "loss_per_round", "interval", "certain_errors", "by_kind"),
    *("result_per_round", "luck_per_round"),
}
DECISION = {
    *("game_id", "round_index", "turn", "seat", "player", "kind", "answer", "best", "loss", "interval", "certain"),
    "options",
}
SETTINGS = JudgeSettings(deals=16, more=16, again=32)


def game_of(rounds: Rounds, game: int) -> LoggedGame:
    """A game whose fourth player is replaced after its first round."""
    of_game = rounds.rows["game_id"] == game
    rows = rounds.rows[of_game]
    names = [[*NAMES[:3], "dora" if i == 0 else "egon"] for i in range(len(rows))]
    left_out = [{"round_index": 9, "reason": "TRUNCATED at line 99"}]
    return LoggedGame(game, f"{game}.tch", game, rows, scores_before(rows), rounds.history, names, left_out)


@pytest.fixture(scope="module")
def games():
    """Two games of blunderers against others."""
    rounds = played(2, 5, "HBHB", 3).rounds
    return [game_of(rounds, int(game)) for game in dict.fromkeys(rounds.rows["game_id"].tolist())]


@pytest.fixture(scope="module")
def record(games):
    """Their review."""
    return review(games, Judge(HeuristicAgent(), SETTINGS), "heuristic")


def test_it_has_the_documented_fields(record):
    """A page, or somebody's script, that finds another name."""
    assert [*record] == ["games", "referee", "players", "rounds", "decisions"]
    assert {*record["games"][0]} == {"game_id", "file", "rounds", "left_out"}
    assert {*record["referee"]} == {"agent", "deals", "more", "again", "simulations", "seed"}
    assert all({*player} == PLAYER for player in record["players"])
    assert all({*decision} == DECISION for decision in record["decisions"])
    assert all(
        {*option} == {"answer", "value", "interval", "behind", "behind_interval", "policy"}
        for each in record["decisions"]
        for option in each["options"]
    )
    json.loads(json.dumps(record, allow_nan=False))


def test_sums_agree_with_the_decisions(record, games):
    """A loss that is counted for another player, another kind or another round."""
    assert {player["name"] for player in record["players"]} == {*NAMES, "egon"}
    assert sum(player["open_decisions"] for player in record["players"]) == len(record["decisions"])
    assert any(decision["loss"] for decision in record["decisions"])
    for player in record["players"]:
        own = [each for each in record["decisions"] if each["player"] == player["name"]]
        assert player["rounds"] == {"dora": 2, "egon": 4}.get(player["name"], 6)
        assert player["loss_per_round"] == pytest.approx(sum(each["loss"] for each in own) / player["rounds"], abs=0.01)
        assert player["interval"][0] <= player["loss_per_round"] <= player["interval"][1]
        assert player["certain_errors"] == sum(each["certain"] for each in own)
        for kind, part in player["by_kind"].items():
            losses = [each["loss"] for each in own if each["kind"] == kind]
            assert part["open"] == len(losses) > 0
            assert part["loss"] == pytest.approx(sum(losses) / player["rounds"], abs=0.01)
    scores = np.concatenate([game.rows["score"] for game in games])
    anna = next(player for player in record["players"] if player["name"] == "anna")
    assert anna["result_per_round"] == pytest.approx((scores[:, 0] - scores[:, 1]).mean(), abs=0.06)


def test_a_decision_shows_what_was_tried(record):
    """The given answer not among the options, or a better one that is worse."""
    for decision in record["decisions"]:
        values = {json.dumps(option["answer"]): option["value"] for option in decision["options"]}
        answer, best = json.dumps(decision["answer"]), json.dumps(decision["best"])
        assert len(decision["options"]) == len(values) > 1 or decision["kind"] == "play"
        assert [*values.values()] == sorted(values.values(), reverse=True)
        assert values[best] >= values[answer]
        for option in decision["options"]:
            assert option["behind"] == pytest.approx(decision["options"][0]["value"] - option["value"], abs=0.11)
            low, high = option["behind_interval"]
            assert low <= option["behind"] <= high
        assert (decision["loss"] > 0) == (best != answer)
        assert decision["loss"] >= 0
        assert decision["loss"] > 0 or not decision["certain"]
        assert (decision["turn"] is None) == (decision["kind"] in ("grand", "tichu", "schupf"))
        assert decision["seat"] in range(4)


def test_the_same_games_give_the_same_bytes(record, games):
    """A review that says something else when it is asked again; a seed that changes nothing."""
    again = review(games, Judge(HeuristicAgent(), SETTINGS), "heuristic")
    assert json.dumps(again) == json.dumps(record)
    other = review(games, Judge(HeuristicAgent(), replace(SETTINGS, seed=1)), "heuristic")
    assert json.dumps(other["decisions"]) != json.dumps(record["decisions"])


def test_one_player_alone_is_judged_as_among_all(record, games):
    """Another verdict when only one's own decisions are asked for."""
    alone = review(games, Judge(HeuristicAgent(), SETTINGS), "heuristic", player="cleo")
    assert alone["decisions"] == [each for each in record["decisions"] if each["player"] == "cleo"]
    assert alone["players"] == [each for each in record["players"] if each["name"] == "cleo"]


def by_tasks(referees: Referees, told: list[int]):
    """Judges rounds as tasks, the last one first."""

    def run(parts):
        tasks = [RoundTask(part, referees) for part in parts]
        told.append(len(tasks))
        return [judge_task(task) for task in reversed(tasks)][::-1]

    return run


def test_tasks_give_the_same_review(record, games):
    """Another verdict with other workers."""
    tasks, rounds = [], []
    judge, referees = Judge(HeuristicAgent(), SETTINGS), Referees("heuristic", None, SETTINGS)
    again = review(games, judge, "heuristic", report=rounds.append, run=by_tasks(referees, tasks))
    assert json.dumps(again) == json.dumps(record)
    assert tasks == [sum(rounds)] == [sum(game["rounds"] for game in record["games"])]


def test_a_second_referee_agrees_with_itself(record, games):
    """A mark at every decision, or opinions of other decisions."""
    judge = Judge(HeuristicAgent(), SETTINGS)
    second = {}
    for beside in ("heuristic", "random"):
        run = by_tasks(Referees("heuristic", None, SETTINGS, beside), [])
        second[beside] = review(games, judge, "heuristic", run=run)["decisions"]
        first = [{name: each[name] for name in DECISION} for each in second[beside]]
        assert first == [{name: each[name] for name in DECISION} for each in record["decisions"]]
        assert all({*each} == DECISION | {"beside", "disagree"} for each in second[beside])
    for each in second["heuristic"]:
        assert not each["disagree"]
        assert each["beside"] == {name: each[name] for name in ("best", "loss", "interval", "certain")}
    disagree = [each for each in second["random"] if each["disagree"]]
    assert 0 < len(disagree) < len(record["decisions"])
    for each in disagree:
        assert bool(each["loss"]) != bool(each["beside"]["loss"])
        assert each["certain"] or each["beside"]["certain"]


def test_a_deal_that_is_turned_has_the_opposite_worth(tmp_path, games):
    """Luck that favours a team whatever the cards are."""
    run = tmp_path / make_self_taught(tmp_path, "run", kinds=())
    make_critic(run)
    worth, rows, before = CriticsWorth(run), games[0].rows, games[0].before
    turned, turned_before = np.zeros(len(rows), dtype=ROUND), before.copy()
    for name in ("first", "start"):
        turned[name] = np.roll(rows[name], 1, axis=1)
    for name in ("total", "last"):
        turned_before[name] = before[name][:, ::-1]
    assert worth(rows, before).any()
    np.testing.assert_allclose(worth(turned, turned_before), -worth(rows, before), atol=1e-6)
    record = review(games, Judge(HeuristicAgent(), JudgeSettings(deals=8, more=8, again=8)), "heuristic", worth)
    luck = [each["luck"] for each in record["rounds"]]
    assert luck[: len(rows)] == pytest.approx(worth(rows, before), abs=0.06)
    of = {player["name"]: player["luck_per_round"] for player in record["players"]}
    assert of["anna"] == pytest.approx(np.mean(luck), abs=0.06)
    assert of["bert"] == pytest.approx(-np.mean(luck), abs=0.06)
