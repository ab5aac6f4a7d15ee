"""`tichu games`: what programs read, what persons type, and what is refused."""

from __future__ import annotations

import json

import pytest

from tests.makers.games_command import answer, run
from tichu_models.runs.files import CURVES

KNIGHTS = {
    "pawns": [
        {"player": "R", "knight_field": "R", "row": 7, "col": 0},
        {"player": "G", "knight_field": "G", "row": 0, "col": 7},
    ],
    "limits": [0, 7, 0, 7],
    "turn": "R",
}


def test_games_are_listed_with_their_rules():
    """A game that nobody finds, or whose rules nobody can read."""
    assert [game["name"] for game in answer("list")] == ["chameleon", "clever", "clever-prototype", "dog", "madn"]
    assert "Chameleon Chess" in run("list")[1]
    assert "3 x 3" in run("rules", "chameleon")[1]


def test_perft_is_as_promised():
    """Counts that cannot be compared with those of another program."""
    found = answer("perft", "chameleon", "--players", "RGYB", "--depth", "4")
    assert found == {"players": "RGYB", "leaves": [13, 169, 2197, 28561]}
    assert "28,561" in run("perft", "chameleon")[1]


def test_the_size_of_a_game_is_told():
    """A table without the exact numbers, or that a program cannot read."""
    found = answer("complexity", "chameleon", "--games", "60")
    assert found["arrangements"] == 14108373601591606657646377984
    assert [size["players"] for size in found["random_games"]] == [2, 3, 4]
    assert "412,324,167,744" in run("complexity", "chameleon", "--games", "60")[1]


def test_the_best_play_of_the_prototype_is_known():
    """A learner that nobody can hold against the optimum, or an optimum of a game that is too large for it."""
    found = answer("optimum", "clever-prototype", "--dice", "2")
    assert set(found) >= {"dice", "optimum", "random", "invalid_per_game"}
    assert found["optimum"] == pytest.approx(65.471, abs=5e-4)
    assert "65.471" in run("optimum", "clever-prototype")[1]
    status, _, complaints = run("optimum", "clever")
    assert status != 0
    assert "too large" in complaints


def test_legal_actions_and_their_numbers():
    """A program that is told other moves than those it may make."""
    found = answer("legal", "chameleon", "--state", json.dumps(KNIGHTS))
    assert found == {"actions": [{"from": [7, 0], "to": [5, 1]}, {"from": [7, 0], "to": [6, 2]}]}
    numbered = answer("legal", "chameleon", "--state", json.dumps(KNIGHTS), "--index")["actions"]
    assert [action["index"] for action in numbered] == [41, 50]
    assert "a1-b3" in run("legal", "chameleon", "--state", json.dumps(KNIGHTS))[1]
    assert run("legal", "chameleon", "--state", json.dumps(KNIGHTS), "--svg")[1].startswith("<svg")


def test_an_action_is_made_or_refused_with_a_reason():
    """A state that changes although the action is illegal, or a refusal without a reason."""
    made = answer("apply", "chameleon", "--state", json.dumps(KNIGHTS), "--action", '{"from": [7, 0], "to": [5, 1]}')
    assert (made["legal"], made["reason"]) == (True, None)
    assert made["state"]["limits"] == [0, 5, 1, 7]
    assert made["state"]["turn"] == "G"
    refused = answer("apply", "chameleon", "--state", json.dumps(KNIGHTS), "--action", '{"from": [7, 0], "to": [0, 0]}')
    assert refused["legal"] is False
    assert "knight" in refused["reason"]
    assert refused["state"] == KNIGHTS


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["rules", "chess"], "chameleon"),
        (["perft", "chameleon", "--players", "RX"], "RX"),
        (["legal", "chameleon", "--state", "{"], "JSON"),
        (["legal", "chameleon", "--state", "{}"], "pawns"),
        (["legal", "chameleon", "--state", json.dumps(KNIGHTS | {"turn": "B"})], "no pawns"),
        (["legal", "chameleon", "--state", json.dumps(KNIGHTS | {"limits": [0, 6, 0, 7]})], "inside"),
        (["legal", "chameleon", "--state", json.dumps(KNIGHTS | {"pawns": KNIGHTS["pawns"][:1] * 2})], "already"),
        (["match", "chameleon", "maxm"], "maxn"),
        (["match", "chameleon", "random", "greedy", "random:depth=1"], "no such option"),
        (["match", "chameleon", "random", "greedy", "maxn:depth=1"], "seats"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, complaint):
    """A traceback, or an answer to another question."""
    status, output, complaints = run(*arguments)
    assert (status, output) == (1, "")
    assert complaint in complaints


def test_a_match_says_who_is_better_and_how_sure_it_is():
    """A result without its uncertainty, or that cannot be played again."""
    found = answer("match", "chameleon", "greedy", "random", "--games", "12", "--seed", "3")
    assert (found["game"], found["games"]) == ("chameleon", 12)
    assert {agent["name"] for agent in found["agents"]} == {"greedy", "random"}
    for agent in found["agents"]:
        assert agent["interval"][0] <= agent["share"] <= agent["interval"][1]
        assert agent["illegal"] == 0
    assert set(found["seats"]) == set("RGYB")
    text = run("match", "chameleon", "greedy", "random", "--games", "7")[1]
    assert "95% interval" in text
    assert "equally often" in text


def test_a_person_plays():
    """A game in which a slip of the keyboard is a move, or the end."""
    status, output, _ = run("play", "chameleon", "--players", "RY", "--agents", "random", typed="l\na1-a2\na1-b3\nq\n")
    assert status == 0
    assert "a1-b3, a1-c2" in output
    assert "knight, which does not move" in output
    assert "Y (random):" in output
    assert run("play", "chameleon", "--seat", "X")[0] == 2


def test_a_game_is_played_to_its_end():
    """A table that hangs, or does not say who has won."""
    from tichu_models.games.agents import agent_of
    from tichu_models.games.registry import game
    from tichu_pipeline.table.board_game import play_board_game

    of, said = game("chameleon"), []
    agents = dict.fromkeys(range(4), agent_of(of, "random"))
    play_board_game(of, of.read_options({}), agents, 1, lambda _: "q", said.append)
    assert "has won" in said[-1]


def test_a_network_learns_and_plays(tmp_path):
    """A run whose weights nobody finds again, or that is trained anew each time it is asked for."""
    train = ("train", "chameleon", "x", "--preset", "smoke", "--data", str(tmp_path))
    found = answer(*train)
    assert (found["agent"], found["figures"]["games"], found["reused"]) == ("td:x", 100, False)
    assert (tmp_path / "board_games" / "chameleon" / "x" / CURVES).is_file()
    assert answer(*train)["reused"]
    _, output, _ = run(*train)
    assert "100 games" in output
    assert "of games against random" in output
    found = answer("match", "chameleon", "td:x", "random", "--games", "6", "--data", str(tmp_path))
    assert found["agents"][0]["name"] == "td:x"
    assert "hidden = 20, not 8" in run(*train, "--set", "hidden=8")[2]
    assert answer(*train, "--set", "hidden=8", "--replace")["reused"] is False


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["match", "chameleon", "td:y", "random"], 1, "does not exist; tichu games train makes it"),
        (["match", "chameleon", "ppo:y", "random"], 1, "expected td"),
        (["train", "chameleon", "--method", "guess"], 2, "expected td"),
        (["train", "chameleon", "--method", "muzero"], 1, "chameleon is not learned by 'muzero'; expected td"),
        (["train", "chameleon", "--preset", "huge"], 2, "laptop"),
        (["train", "chameleon", "../x"], 1, "expected letters"),
        (["train", "chameleon", "--set", "hiden=3"], 1, "did you mean 'hidden'?"),
    ],
)
def test_mistakes_about_runs_are_named(tmp_path, arguments, status, complaint):
    """A setting that is silently left out, or a folder outside of the data folder."""
    found, _, complaints = run(*arguments, "--data", str(tmp_path))
    assert found == status
    assert complaint in " ".join(complaints.replace("│", " ").split())


def test_a_game_for_one_gives_its_scores():
    """A mean of shares, all of them 1, in place of points; or a search that ends in a traceback where dice decide."""
    found = answer("match", "clever", "random", "--games", "20")
    (agent,) = found["agents"]
    low, high = agent["score_interval"]
    assert (agent["share"], agent["illegal"]) == (1, 0)
    assert 30 < low < agent["score_mean"] < high < 120
    found = answer("match", "clever", "random", "random", "--games", "4", "--players", "2")
    assert found["agents"][0]["share"] == 1
    assert found["agents"][0]["score_mean"] < 120
    for arguments in (["match", "clever", "greedy"], ["perft", "clever"], ["train", "clever", "--method", "muzero"]):
        status, _, complaints = run(*arguments)
        assert status != 0
        assert "clever" in complaints
        assert "Traceback" not in complaints


def test_a_game_for_one_is_played_in_the_terminal():
    """A person who cannot play where there is nobody else."""
    status, output, _ = run("play", "clever", typed="l\nq\n")
    assert status == 0
    assert "purple" in output


def test_a_game_for_one_is_learned_and_hints_are_given(tmp_path):
    """A run whose agent nobody can ask, or hints that are not those of the agent."""
    data = ("--data", str(tmp_path))
    found = answer(
        "train", "clever-prototype", "x", "--method", "ppo", "--preset", "smoke", "--set", "rules=dice=4", *data
    )
    assert found["agent"] == "ppo:x"
    assert found["figures"]["results"][0]["opponent"] == "alone"
    status, output, _ = run("play", "clever-prototype", "--hints", "ppo:x", *data, typed="h\nq\n")
    assert status == 0
    assert "%  " in output
    assert "gives no hints" in run("play", "clever", "--hints", "random", typed="q\n")[2]
    assert "nobody gives hints" in run("play", "clever", typed="h\nq\n")[1]
    assert "thesis" in run("train", "clever", "--method", "ppo", "--preset", "huge")[2]
