"""`tichu review`: from a log to JSON and to the table, and what is said of logs and players that are not there."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from tests.paths import SOUND_GAME
from tichu_models.review import settings
from tichu_pipeline.cli import app
from tichu_pipeline.review.terminal import marks, sentence
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths

SOUND = SOUND_GAME.read_text()
HEADER = "---------------Gr.Tichukarten------------------\n"
FIRST, *REST = SOUND.split(HEADER)[1:]


def run(*arguments: object) -> Result:
    """The command with a quick referee, in this process."""
    given = ["--workers", "serial", *(str(argument) for argument in arguments)]
    return CliRunner().invoke(app, ["review", "--by", "heuristic", *given])


@pytest.fixture
def log(tmp_path):
    """A log of two rounds, the first of which is broken, and a fragment."""
    path = tmp_path / "4711.tch"
    broken = FIRST.replace("Ergebnis: ", "Ergebnis: 1", 1)
    path.write_text(HEADER + HEADER.join([broken, REST[0], REST[1][:700]]))
    return path


def test_json_names_games_players_and_decisions(log):
    """A log whose broken round is judged, or silently missing."""
    done = run(log, "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    (game,) = record["games"]
    assert (game["game_id"], game["rounds"], len(game["left_out"])) == (4711, 1, 2)
    assert [each["round_index"] for each in game["left_out"]] == [0, 2]
    assert "at line" in game["left_out"][0]["reason"]
    assert record["referee"]["agent"] == "heuristic"
    assert len(record["players"]) == 4
    assert {each["round_index"] for each in record["decisions"]} == {1}
    assert run(log, "--json").stdout == done.stdout


def test_the_table_says_what_was_certain(log):
    """A review for programs alone."""
    record = json.loads(run(log, "--json").stdout)
    said = " ".join(run(log).output.split())
    for player in record["players"]:
        assert player["name"] in said
    assert "round 0 is left out" in said
    assert "open decisions" in said
    assert "Referee: heuristic, 48 deals" in said


def test_a_player_alone(log):
    """Names that are matched by half; a typing error that yields an empty review."""
    names = [player["name"] for player in json.loads(run(log, "--json").stdout)["players"]]
    record = json.loads(run(log, "--player", names[1], "--json").stdout)
    assert [player["name"] for player in record["players"]] == [names[1]]
    done = run(log, "--player", names[1][:-1])
    assert done.exit_code == 1
    assert f"no player '{names[1][:-1]}'" in done.output
    assert names[1] in done.output


def test_what_cannot_be_reviewed_is_said(tmp_path, log):
    """A traceback for a file that is not there, or for an agent that cannot play on."""
    assert "no such file" in run(tmp_path / "no.tch").output
    (tmp_path / "5.tch").write_text("<html>")
    done = run(tmp_path / "5.tch", log)
    assert done.exit_code == 1
    assert "no round with a result" in done.output
    assert "open decisions" in done.output
    refused = CliRunner().invoke(app, ["review", str(log), "--by", "crowd", "--data", str(tmp_path)])
    assert refused.exit_code == 1
    unknown = run(log, "--by", "nobody")
    assert unknown.exit_code == 1
    assert "unknown name" in unknown.output


def test_a_page_of_a_log_with_hostile_names(log, tmp_path):
    """A page in another language than asked for, or of other games; a name in a log that ends its element."""
    hostile, out = "<script>alert('\u202e')</script>", tmp_path / "new" / "page.html"
    log.write_text(log.read_text().replace("anna", hostile), encoding="utf-8")
    done = run(log, "--out", out, "--lang", "de")
    assert done.exit_code == 0, done.output
    assert str(out) in done.output.replace("\n", "")
    content = out.read_text()
    assert '<html lang="de">' in content
    assert "\\u003cscript>alert('\\ufffd')\\u003c/script>" in content
    assert content.count("<script") == 2
    assert run(log, "--out", out, "--lang", "de").exit_code == 0
    assert out.read_text() == content
    assert run(log, "--lang", "fr").exit_code == 2


def test_deep_looks_closer_at_everything(log, monkeypatch):
    """An option that changes nothing."""
    monkeypatch.setattr(settings, "DEEP", settings.JudgeSettings(deals=40, more=8, again=48))
    referee = json.loads(run(log, "--deep", "--json").stdout)["referee"]
    assert (referee["deals"], referee["again"]) == (40, 48)


def test_stored_games_go_by_their_number(tmp_path, log):
    """A player who has a data folder, and must look for the log of a game again."""
    raw, data = tmp_path / "raw", tmp_path / "data"
    (raw / "202403").mkdir(parents=True)
    (raw / "202403" / "4711.tch").write_bytes(log.read_bytes())
    ingest(raw, DataPaths(data))
    stored, from_log = (json.loads(run(*each, "--json").stdout) for each in ((4711, "--data", data), (log,)))
    assert stored["games"][0]["file"] == "game 4711"
    assert [each["round_index"] for each in stored["games"][0]["left_out"]] == [0, 2]
    assert stored["decisions"] == from_log["decisions"]
    assert "not among the rounds" in run(4712, "--data", data).output


def test_games_are_pooled(tmp_path, log):
    """Several evenings of which only the last one counts."""
    (tmp_path / "4712.tch").write_bytes(log.read_bytes())
    record = json.loads(run(log, tmp_path / "4712.tch", "--json").stdout)
    assert [game["game_id"] for game in record["games"]] == [4711, 4712]
    assert {player["rounds"] for player in record["players"]} == {2}
    assert {each["game_id"] for each in record["decisions"]} == {4711, 4712}


def test_a_second_opinion_is_shown(log):
    """A disagreement that only programs see."""
    done = run(log, "--beside", "random")
    assert done.exit_code == 0, done.output
    assert "Beside: random disagrees on" in " ".join(done.output.split())
    assert json.loads(run(log, "--beside", "random", "--json").stdout)["referee"]["beside"] == "random"
    assert "unknown name" in run(log, "--beside", "nobody").output


def test_the_marks_say_what_is_doubtful():
    """A loss that a second referee denies, shown as if all agreed."""
    assert marks({"certain": True, "disagree": False}) == marks({"certain": True}) == ""
    assert marks({"certain": False, "disagree": False}) == " ?"
    assert marks({"certain": True, "disagree": True}) == " !"


def test_the_sentence_counts_what_is_certain():
    """Points that are only possible, counted as lost."""

    def lost(loss: float, half: float, certain: bool, player: str = "anna") -> dict:
        return {"player": player, "loss": loss, "interval": [loss - half, loss + half], "certain": certain}

    decisions = [lost(20, 3, True), lost(11, 4, True), lost(9, 8, False), lost(0, 9, False), lost(50, 1, True, "bert")]
    said = sentence({"decisions": decisions}, "anna")
    assert said == "of 4 open decisions 2 cost something for certain: 31 ± 5 points"
    assert sentence({"decisions": []}, "anna").endswith("0 cost something for certain: nothing")
