"""Studies of games: what is known beforehand comes out, each is made once, and a page shows them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tests.makers import golden
from tichu_models.games import tic_tac_toe
from tichu_pipeline.cli import app
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.studies import chameleon_arms, depths, dog_arms, madn_arms, study
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools.chameleon_page import collect, page


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder with a run, and with every study as small as can be."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    train_run(made, GameRunRequest("chameleon", "td", "td", "smoke"))
    for name in study.STUDIES:
        study.make(made, name, study.size_of(name, "smoke"))
    return made


def experiment(paths: DataPaths, *arguments: str, status: int = 0) -> str:
    """What the command prints."""
    done = CliRunner().invoke(app, ["games", "experiment", *arguments, "--data", str(paths.root)])
    assert done.exit_code == status, done.output
    return done.stderr if status else done.stdout


def test_tic_tac_toe_is_solved():
    """A worked example that is wrong."""
    assert tic_tac_toe.games() == 255_168
    assert tic_tac_toe.value(tic_tac_toe.EMPTY) == 0
    assert [len(level) for level in tic_tac_toe.plies(2)] == [1, 3, 12]
    assert tic_tac_toe.value("XX.OO....") == 1
    assert tic_tac_toe.value("XX..O...O") == 1
    assert tic_tac_toe.value("XO..X...O") == 1
    assert tic_tac_toe.value("XX.OO.X..") == -1
    assert tic_tac_toe.moves("XXXOO....") == []
    assert len({tic_tac_toe.alike(board) for board in ("X........", "..X......", "......X..", "........X")}) == 1


def test_what_is_known_comes_out(paths):
    """Tables that contradict the rules, the published sessions, or each other."""
    tree = json.loads(experiment(paths, "tic-tac-toe", "--preset", "smoke", "--json"))
    assert (tree["games"], tree["positions"], tree["positions_alike"], tree["value"]) == (255_168, 5_478, 765, 0)
    assert tree["reused"]
    sessions = json.loads(experiment(paths, "sessions", "--preset", "smoke", "--json"))["sessions"]
    assert sessions == {"1": [[6, 0]] * 4}
    listed = json.loads(experiment(paths, "classification", "--preset", "smoke", "--json"))["games"]
    kinds = {each["name"]: each for each in listed}
    assert (kinds["chameleon"]["chance"], kinds["chameleon"]["constant_sum"]) == (False, True)
    assert (kinds["clever"]["chance"], kinds["clever"]["constant_sum"]) == (True, False)
    assert {name: each["open"] for name, each in kinds.items() if name in ("chameleon", "clever", "madn", "dog")} == {
        **dict.fromkeys(("chameleon", "clever", "madn"), True),
        "dog": False,
    }


def test_the_policy_takes_no_depth_that_was_too_slow():
    """A move that takes longer than a second because its depth was fast elsewhere."""
    rows = [(3, 1, 0.1), (3, 2, 0.4), (3, 3, 2.0), (4, 1, 0.1), (4, 2, 0.2), (12, 1, 0.5), (12, 2, 3.0)]
    searches = [{"pawns": pawns, "depth": depth, "seconds": seconds} for pawns, depth, seconds in rows]
    chosen = {each["pawns"]: each["depth"] for each in depths.policy({"limit": 1.0, "searches": searches})}
    assert chosen == {"2 to 4": 2, "5 to 7": 0, "8 to 10": 0, "11 to 13": 1, "14 to 16": 0}


@pytest.mark.parametrize("of", [chameleon_arms.ARMS, madn_arms.ARMS, dog_arms.ARMS])
def test_every_arm_can_be_read(of):
    """An arm that fails after hours of others, or that changes nothing."""
    known = of.read()
    read = [of.request(name, arm, "laptop", {}).read() for name, arm in known.items()]
    assert len(set(map(repr, read))) == len(known)


def test_the_page_has_every_study(paths):
    """A page that is written by hand from then on, because a study is missing."""
    text = page(collect(paths, {}))
    for name in study.studies_of("chameleon"):
        assert f"tichu games experiment {name}" in text
        assert study.study_of(name).about in text
    assert "255,168" in text


def test_a_page_that_is_filled_in_parts_loses_nothing(paths, tmp_path):
    """Studies of another machine that vanish, because this one has not made them."""
    facts = collect(paths, {"duels": {}})
    assert collect(DataPaths(tmp_path), json.loads(json.dumps(facts))) == facts


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("depth",), "did you mean 'depths'?"),
        (("depths", "--preset", "huge"), "expected one of smoke"),
        (("depths", "--set", "games=3"), "keys: positions"),
        (("depths", "--set", "positions=many"), "expected such as"),
        (("arms", "--set", "arms=nothing"), "no arm is called 'nothing'"),
        (("overtaking", "--set", "run=nobody"), "no run nobody"),
    ],
)
def test_mistakes_are_named(paths, arguments, expected):
    """A study of another size than was asked for."""
    assert expected in experiment(paths, *arguments, status=1)


def test_studies_are_listed(paths):
    """A study that nobody finds."""
    assert all(name in experiment(paths) for name in study.STUDIES)


def test_studies_change_only_with_their_version(paths):
    """Figures of another study that count as up to date."""
    found = {}
    for name in ("tic-tac-toe", "complexity", "sessions"):
        facts = study.make(paths, name, study.size_of(name, "smoke")).facts
        found[name] = golden.digest({key: value for key, value in facts.items() if key != "stamp"})
    golden.check("game_studies", study, found)
