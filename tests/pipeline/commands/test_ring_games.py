"""`tichu games` with MADN and DOG: known moves as programs send them, switches on the command line, and a person."""

from __future__ import annotations

import json

import pytest

from tests.makers.games_command import answer, run
from tests.makers.pachisi import HAND, MADN_VECTORS, VECTORS, Vector

CASES = [("dog", each) for each in VECTORS] + [("madn", each) for each in MADN_VECTORS]
STATE = {"pins": [[37, 35, 40, -1], [6, 14, 44, -1]], "turn": 0, "distance": 10}


@pytest.mark.parametrize(("name", "vector"), CASES)
def test_known_moves(name: str, vector: Vector):
    """A switch of --rules that does not come to the position, or an answer with other pins."""
    hand = {"hand": HAND} if name == "dog" else {}
    state = json.dumps({"pins": vector.pins, "turn": vector.turn, "distance": 10, **hand})
    rules = ",".join(f"{key}={value}" for key, value in vector.words().items())
    found = answer("apply", name, "--state", state, "--action", json.dumps(vector.action), "--rules", rules)
    assert found["legal"] == (vector.after is not None)
    assert found["state"]["pins"] == (vector.after or vector.pins)
    assert (found["reason"] is None) == found["legal"]


def test_legal_actions_have_their_numbers():
    """A number that is another action's in the documented table."""
    found = answer("legal", "dog", "--state", json.dumps({**STATE, "hand": ["joker", "5"]}), "--index")["actions"]
    by_index = {action.pop("index"): action for action in found}
    assert by_index[0 * 48 + 6] == {"card": "joker", "swap": [0, 1, 0]}
    assert by_index[676 + 4] == {"card": "5", "pin": 0, "move": 5}
    assert {"card": "joker", "seven": [0, 7, 0, 0]} in by_index.values()
    numbered = answer("legal", "madn", "--state", json.dumps({**STATE, "die": 5}), "--index")["actions"]
    assert {"pin": 1, "move": 5, "index": 10} in numbered
    assert all(action["move"] == 5 for action in numbered)


def test_boards_are_drawn():
    """A picture without the pins, or a hand that is not the mover's."""
    state = json.dumps({**STATE, "hands": [["5", "joker"], ["13"]]})
    text = run("legal", "dog", "--state", state)[1]
    assert "A: joker 5" in text
    assert "B: 1 cards" in text
    assert "B2" in text
    assert run("legal", "dog", "--state", state, "--svg")[1].startswith("<svg")
    assert "the die shows 5" in run("legal", "madn", "--state", json.dumps({**STATE, "die": 5}))[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["match", "madn", "rules", "random", "--rules", "dice_rethrow=1"], "dice_rethrow"),
        (["match", "madn", "rules", "random", "--rules", "joker=1"], "joker"),
        (["match", "dog", "expectimax", "random"], "does not play dog"),
        (["match", "dog", "rules", "random", "random", "random"], "seats"),
        (["legal", "madn", "--state", json.dumps(STATE), "--rules", "teams=1"], "teams"),
        (["legal", "madn", "--state", json.dumps({**STATE, "pins": [[99] * 4] * 2})], "expected -1"),
        (["legal", "dog", "--state", json.dumps({**STATE, "hand": ["ace"]})], "joker"),
        (["perft", "madn"], "madn"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, complaint):
    """A traceback, or a game by other rules."""
    status, output, complaints = run(*arguments)
    assert (status, output) == (1, "")
    assert complaint in complaints


def test_a_match_of_teams():
    """Partners of whom one is somebody else, or a win that is counted for nobody."""
    found = answer("match", "dog", "rules", "random", "--games", "4", "--rules", "distance=5")
    assert [(agent["seats"], agent["illegal"]) for agent in found["agents"]] == [(2, 0)] * 2
    assert sum(agent["wins"] for agent in found["agents"]) == 4
    assert found["seatings"] == 2


def test_a_person_plays():
    """A hand that nobody sees, or a card that cannot be given."""
    status, output, complaints = run("play", "dog", "--players", "AB", "--agents", "rules", typed="l\nx\nq\n")
    assert status == 0, complaints
    assert "A to move" in output
    assert "expected pin and number" in output
    status, output, _ = run("play", "dog", "--agents", "rules", "--seat", "D", typed="q\n")
    assert status == 0
    assert output.count("an action that nobody else sees") == 3
    assert "give" not in output
    assert run("play", "madn", "--agents", "random", typed="l\n0 1\nq\n")[0] == 0
    assert "MADN" in run("rules", "madn")[1]
