"""Games of MADN and DOG for tests: known moves, random rules, and games beside the slow reference."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from tests.oracles import pachisi as plain
from tests.oracles.pachisi_board import Board
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.pachisi.board import SWITCHES
from tichu_models.games.pachisi.options import RingOptions
from tichu_models.games.registry import game

LETTERS = {
    "C": "circular_board", "J": "jump_in_goal_area", "B": "start_blocking", "F": "friendly_fire",
    "T": "must_traverse_start",
}  # fmt: skip
AWAY, OTHERS = [-1, -1, -1, -1], [6, 14, 44, -1]
TWO = [[37, 35, 40, -1], OTHERS]
BARRED = [[37, 35, 3, 0], OTHERS]
SWAPPED = [[-1, 1, 41, 38], [6, 14, 44, 10]]


class Vector(NamedTuple):
    """A known move of two players with d = 10: who moves by which rules, and what comes of it; None if illegal."""

    rules: str  # letters of the switches that are on
    pins: list[list[int]]
    turn: int
    action: dict[str, Any]
    after: list[list[int]] | None

    def words(self) -> dict[str, str]:
        """The rules by name."""
        return {name: str(int(letter in self.rules)) for letter, name in LETTERS.items()}


def _moved(pins: list[list[int]], turn: int, **cells: int) -> list[list[int]]:
    after = [list(each) for each in pins]
    for name, cell in cells.items():
        after[turn][int(name[-1])] = cell
    return after


def _steps(pin: int, number: int) -> dict[str, Any]:
    if number == 7:
        return {"seven": [7 * (i == pin) for i in range(4)]}
    return {"pin": pin, "move": number}


def _step(rules: str, pins: list[list[int]], turn: int, pin: int, number: int, to: int | None) -> Vector:
    after = None if to is None else _moved(pins, turn, **{f"pin{pin}": to})
    return Vector(rules, pins, turn, _steps(pin, number), after)


VECTORS = [
    _step("JT", [AWAY, OTHERS], 0, 2, 11, 0),
    _step("JT", [AWAY, OTHERS], 1, 3, 13, 10),
    _step("JT", TWO, 0, 0, 5, 41),
    _step("JT", TWO, 0, 0, 3, None),
    _step("CJT", TWO, 0, 0, 3, 0),
    _step("CJT", TWO, 0, 0, 8, 5),
    _step("CJT", TWO, 0, 0, 4, 1),
    _step("JT", TWO, 1, 0, 6, 45),
    _step("JT", TWO, 1, 0, 5, None),
    _step("CJT", TWO, 1, 0, 4, 10),
    _step("CJT", TWO, 1, 0, 9, 15),
    _step("CJT", TWO, 1, 0, 5, 11),
    _step("CT", [[37, 35, 42, -1], OTHERS], 0, 0, 7, 4),
    _step("T", [[37, 35, 42, -1], OTHERS], 0, 0, 7, None),
    _step("CT", [[37, 35, 42, -1], [6, 15, 46, -1]], 1, 0, 8, 14),
    Vector("CJFT", [[37, 35, 40, 0], OTHERS], 0, _steps(1, 2), [[-1, 37, 40, 0], OTHERS]),
    _step("CJBF", BARRED, 0, 0, 3, 40),
    _step("CJBF", BARRED, 0, 0, 7, None),
    Vector("JT", SWAPPED, 0, {"swap": [1, 1, 3]}, [[-1, 10, 41, 38], [6, 14, 44, 1]]),
    Vector("JBT", SWAPPED, 0, {"swap": [1, 1, 3]}, None),
    Vector(
        "CBT", [[37, 36, 41, 1], [9, 10, 11, 12]], 0, {"seven": [0, 7, 0, 0]}, [[-1, 3, 41, -1], [9, 10, 11, 12]]
    ),
    _step("JT", [[12, 5, 40, -1], OTHERS], 0, 1, 8, 13),
    Vector("JT", [[12, 5, 40, -1], OTHERS], 0, _steps(0, 2), [[14, 5, 40, -1], [6, -1, 44, -1]]),
    _step("CJBT", [[37, 35, 40, 0], OTHERS], 0, 0, 3, None),
    _step("CJBT", [[37, 35, 43, 0], [6, 14, 44, 10]], 0, 0, 5, None),
]  # fmt: skip
MADN_VECTORS = [each for each in VECTORS if each.action.get("move", 13) <= 6]
# Every card once: whatever is played is in the hand.
HAND = ["swap", "2", "3", "4", "5", "6", "7", "8", "9", "1|11", "13"]

NOT_WITH = {"teams": lambda w: w["players"] != "4", "start_blocking": lambda w: w["distance"] == "4"}


def random_words(name: str, generator: np.random.Generator) -> dict[str, str]:
    """Random rules that go together."""
    words = {"players": str(generator.integers(2, 5)), "distance": str(generator.integers(4, 9))}
    for switch in SWITCHES:
        if switch in RingOptions.names_of(name):
            off = switch in NOT_WITH and NOT_WITH[switch](words)
            words[switch] = "0" if off else str(generator.integers(2))
    if words.get("dice") == "0":
        words["dice_rethrow"] = "0"
    return words


def board_of(words: dict[str, str]) -> Board:
    """The board of the reference with these rules."""
    on = {name for name in SWITCHES if words.get(name) == "1"}
    return Board(int(words["players"]), int(words["distance"]), on)


def as_set(actions: list[Any]) -> set[str]:
    """Actions that can be compared."""
    found = {json.dumps(action, sort_keys=True) for action in actions}
    assert len(found) == len(actions)
    return found


def compare(state: State, table: plain.Madn | plain.Dog) -> None:
    """Both have the same position."""
    board = table.board
    cells = [[board.cell(player, square) for square in pins] for player, pins in enumerate(board.pins)]
    assert state.pins[: board.players].tolist() == cells
    for cell, pin in enumerate(state.at.tolist()):
        assert pin == -1 or state.pins[pin // 4, pin % 4] == cell
    assert (state.at >= 0).sum() == sum(cell >= 0 for pins in cells for cell in pins)
    if not board.winners():
        assert state.turn == table.turn
        assert state.own == board.moved_by(table.turn)


def check_game(name: str, words: dict[str, str], key: int, most: int = 100_000) -> int:
    """Compares a random game with the reference, position by position; returns how many actions it had."""
    of = game(name)
    options = of.read_options(words)
    state, generator = of.new(options, key), np.random.default_rng(key)
    table: Any = (plain.Madn if name == "madn" else plain.Dog)(board_of(words))
    for made in range(most):
        compare(state, table)
        winners = table.board.winners()
        if of.kernels.mover(state) == OVER:
            share = 1 / len(winners)
            assert of.returns(state).tolist() == [share if player in winners else 0 for player in range(4)]
            return made
        assert not winners
        if of.kernels.mover(state) == CHANCE:
            of.kernels.chance(state)
            _take_up(of.notation.write_state(state), table)
        found = of.legal(state)
        assert found == sorted(found)
        written = [of.notation.write_action(state, action) for action in found]
        assert as_set(written) == as_set(table.actions())
        chosen = int(generator.integers(len(found)))
        of.kernels.step(state, found[chosen])
        table.act(written[chosen])
    return most


def _take_up(written: dict[str, Any], table: Any) -> None:
    if isinstance(table, plain.Madn):
        table.die = written["die"]
        assert 1 <= table.die <= 6
        return
    assert table.phase == "deal"
    size = table.dealt(written["hands"])
    assert [len(hand) for hand in written["hands"]] == [size] * table.board.players
