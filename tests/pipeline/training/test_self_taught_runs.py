"""Runs of self-play beside those that imitate: commands explain and list them, and stages that judge imitation leave
them alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.makers.agents import make_champion
from tests.makers.golden import known_games
from tests.makers.runs import make_run, make_self_taught
from tests.paths import SOUND_GAME
from tichu_models.agents.registry import agent_from
from tichu_models.networks.architectures import SELF_TAUGHT
from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
from tichu_models.observation.walk import WALK, WHO_ACTS
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.rules.cards import labels
from tichu_models.runs import files
from tichu_models.runs.files import FIGURES, GAMES
from tichu_pipeline.cli import app
from tichu_pipeline.features.log_decisions import round_of
from tichu_pipeline.status import overview
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import State
from tichu_pipeline.tools import results_page, selfplay_page
from tichu_pipeline.tournaments.entrants import entrants
from tichu_pipeline.training.comparison import ComparisonError, compare

POINTS = {"points_per_round": 81.25, "low": 79.0, "high": 83.5, "rounds": 1234567, "minutes": 75}
ROUNDS = len(SOUND_GAME.read_text().split("Gr.Tichukarten")) - 1


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Rounds, and a finished run of self-play."""
    made = known_games(tmp_path_factory.mktemp("data"))
    folder = made.runs / make_self_taught(made.runs, "mine", seed=4)
    (folder / FIGURES).write_text(json.dumps(POINTS))
    return made


def tichu(paths: DataPaths, *arguments: str, status: int = 0) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, [*arguments, "--data", str(paths.root)], env={"COLUMNS": "200"})
    assert done.exit_code == status, done.output
    return done.output


def explained(paths: DataPaths, run: str) -> list[dict]:
    """What a network thinks of all decisions of the log that it answers."""
    found = []
    for number in range(ROUNDS):
        ask = ("explain", run, "--file", str(SOUND_GAME), "--round", str(number), "--json", "--data", str(paths.root))
        done = CliRunner().invoke(app, ask)
        assert done.exit_code == 0 or "holds no decision of kind" in done.output, done.output
        found += json.loads(done.stdout) if done.exit_code == 0 else []
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_to_a_logged_decision_is_explained(paths, kind):
    """Probabilities over answers that were not legal, or without the one that was given."""
    decisions = explained(paths, "mine" if kind == "play" else f"mine/{kind}")
    assert decisions
    assert {each["kind"] for each in decisions} == {kind}
    assert {each["network"] for each in decisions} <= {*SELF_TAUGHT}
    for decision in decisions:
        answers = decision["answers"]
        questions = [[each for each in answers if each.get("to") == to] for to in {each.get("to") for each in answers}]
        assert len(questions) == (3 if kind == "schupf" else 1)
        for answers in questions:
            assert sum(each["played"] for each in answers) == 1
            assert sum(each["probability"] for each in answers) == pytest.approx(1)
            assert [each["probability"] for each in answers] == pytest.approx(
                [np.exp(each["score"]) for each in answers]
            )
            assert answers == sorted(answers, key=lambda each: -each["score"])
        played = [each["answer"] for each in decision["answers"] if each["played"]]
        if kind == "schupf":
            assert set(played) == set(decision["played"])
        elif kind in ("play", "bomb", "dragon"):
            assert played == [decision["played"]]
        elif kind == "wish":
            assert played == [str(decision["played"] or "none")]
        else:
            assert played == ["yes" if decision["played"] else "no"]


def test_probabilities_are_those_that_the_player_plays_by(paths):
    """An explanation of another player: by another precision, or of what the seat did not see."""
    decisions = [each for each in explained(paths, "mine") if each["round"] == 0]
    played, scratch = round_of(SOUND_GAME, 0), np.zeros(1, dtype=WALK)[0]
    logged, buffer = (played.rows, played.before, played.history), np.zeros(1, dtype=DECISION_BUFFER)[0]
    find_decisions(*logged, scratch, np.int64(1 << PLAY), 0, WHO_ACTS, DECISIONS_AT_ONCE, buffer)
    agent = agent_from("candidate:mine,temperature=1", paths.runs)
    views = buffer["at"]["seen"][: len(decisions)]
    for i in range(0, len(decisions), 7):
        many = views[i : i + 1].repeat(500)
        many["key"] = np.arange(500) * 977
        drawn = [labels(int(cards)) for cards in agent.decide(PLAY, many)]
        for answer in decisions[i]["answers"]:
            assert drawn.count(answer["answer"]) / 500 == pytest.approx(answer["probability"], abs=0.08)


def test_a_decision_is_shown(paths):
    """Figures without the words that they belong to."""
    (first,) = [each for each in explained(paths, "mine/grand") if each["round"] == 0 and each["seat"] == 2]
    ask = ("--file", str(SOUND_GAME), "--round", "0", "--seat", "2")
    shown = tichu(paths, "explain", "mine/grand", *ask)
    assert "before play, seat 2: grand" in shown
    assert all(f"{answer['probability']:.1%}" in shown for answer in first["answers"])


def test_what_cannot_be_explained_is_named(paths, monkeypatch, tmp_path):
    """A traceback for a network that is not there."""
    ask = ("--file", str(SOUND_GAME), "--round", "0")
    assert "there are grand, tichu" in tichu(paths, "explain", "mine/critic", *ask, status=1)
    assert "no run of this name" in tichu(paths, "explain", "nobody/grand", *ask, status=1)
    monkeypatch.setattr(files, "CHAMPION", tmp_path / "nothing")
    assert "this installation has no champion" in tichu(paths, "explain", "champion", *ask, status=1)


def test_a_network_that_reads_turns_is_named(tmp_path):
    """A traceback, or probabilities of a network that is asked without the turns that it reads."""
    make_self_taught(tmp_path / "runs", "turns", "DTRLNet", ())
    question = ("explain", "turns", "--file", str(SOUND_GAME), "--round", "0", "--data", str(tmp_path))
    done = CliRunner().invoke(app, question)
    assert done.exit_code == 1
    assert "turns is a DTRLNet" in done.output


def test_the_champion_is_explained_and_plays_without_runs(tmp_path, monkeypatch):
    """A player that ships with the package, and commands that look for it among the runs."""
    monkeypatch.setattr(files, "CHAMPION", make_champion(tmp_path / "package"))
    empty = DataPaths(tmp_path / "empty")
    ask = ("--file", str(SOUND_GAME), "--round", "0", "--json")
    for name in ("champion", "champion/schupf"):
        assert json.loads(tichu(empty, "explain", name, *ask))
    facts = json.loads(
        tichu(empty, "tournament", "champion:deals=2", "champion:fast", "random", "--deals", "4", "--json")
    )
    assert len(facts["pairings"]) == 3
    command = ["play", "--agents", "champion:fast,temperature=.5", "--hint", "--data", str(empty.root)]
    played = CliRunner().invoke(app, command, input="n\nq\n")
    assert played.exit_code == 0, played.output
    assert "grand by champion/grand" in played.output


def test_runs_of_self_play_are_listed_with_their_points(paths):
    """A run whose figures nobody sees, or a list that ends in a traceback."""
    told = tichu(paths, "runs")
    assert "+81.2 (+79.0 .. +83.5) points a round against heuristic" in told
    assert "1,234,567 rounds of self-play" in told
    (facts,) = json.loads(tichu(paths, "runs", "--json"))
    assert (facts["network"], facts["figures"]) == ("CandidateRLNet", POINTS)
    page = overview.write(paths).path.read_text()
    assert "points a round against heuristic" in page
    assert "candidate:mine" in entrants(paths).agents


def test_stages_that_judge_imitation_leave_self_play_alone(paths):
    """A player that learned to be better than the logs, and counts as bad for that; or a stage that stops at it."""
    standings = {standing.stage: standing for standing in status(paths)}
    assert standings["training_runs"].state is State.MISSING
    with pytest.raises(ComparisonError, match="no finished run"):
        compare(paths, 100)
    assert "takes no goals" in tichu(paths, "calibrate", "mine", status=1)
    assert "| mine |" not in results_page._trials(results_page.runs(paths))


def test_goals_of_self_play_are_tried(paths, tmp_path):
    """A goal that never reaches the network, or a score that is not that of the games."""
    made = DataPaths(tmp_path / "data")
    folder = made.runs / make_self_taught(made.runs, "asked", "GCPolicyRLNet", seed=4)
    (folder / FIGURES).write_text(json.dumps(POINTS))
    facts = json.loads(tichu(made, "calibrate", "asked", "--goal", "300", "--goal", "-300", "--deals", "8", "--json"))
    assert facts["goals"][0]["achieved"] != facts["goals"][1]["achieved"]
    games = json.loads(tichu(made, "calibrate", "asked", "--score", "700:900", "--deals", "8", "--json"))
    assert (games["score"], games["games"]) == ([700, 900], 16)
    assert json.loads((folder / GAMES).read_text()) == {"700:900": games}
    selfplay_page.main(made.root, tmp_path / "selfplay.md")
    text = (tmp_path / "selfplay.md").read_text()
    assert "| 700:900 |" in text
    assert "| +300 |" in text
    assert "than without goals at 900:700" in tichu(made, "calibrate", "asked", "--score", "700:900", "--deals", "8")
    for score in ("700", "700:1000", "7:900"):
        assert "expected a score below 1,000" in tichu(made, "calibrate", "asked", "--score", score, status=2)
    assert "plays alike at any score" in tichu(paths, "calibrate", "mine", "--score", "700:900", status=1)


def test_a_tournament_is_played_again_when_a_network_in_a_subfolder_changes(paths, tmp_path):
    """Results of a player who has learned since to call."""
    copy = DataPaths(tmp_path / "data")
    make_self_taught(copy.runs, "mine", seed=1)
    command = ("tournament", "policy:mine", "random", "--deals", "2", "--workers", "1", "--name", "cup")
    tichu(copy, *command)
    assert "was there" in tichu(copy, *command)
    make_run(copy.runs / "mine", "GrandRLNet", "grand", seed=9)
    assert "was there" not in tichu(copy, *command)


def test_a_tournament_is_played_again_when_the_champion_changes(tmp_path, monkeypatch):
    """Results of the champion before."""
    monkeypatch.setattr(files, "CHAMPION", make_champion(tmp_path / "package"))
    empty = DataPaths(tmp_path / "empty")
    command = ("tournament", "champion:fast", "random", "--deals", "2", "--workers", "1", "--name", "cup")
    tichu(empty, *command)
    assert "was there" in tichu(empty, *command)
    make_run(tmp_path / "package" / "champion", "WishRLNet", "wish", seed=9)
    assert "was there" not in tichu(empty, *command)
