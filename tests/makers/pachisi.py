"""Games of MADN and DOG for tests: random rules, and games beside the slow reference."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tests.oracles import pachisi as plain
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.pachisi.board import SWITCHES
from tichu_models.games.pachisi.options import RingOptions
from tichu_models.games.registry import game

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


def board_of(words: dict[str, str]) -> plain.Board:
    """The board of the reference with these rules."""
    on = {name for name in SWITCHES if words.get(name) == "1"}
    return plain.Board(int(words["players"]), int(words["distance"]), on)


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
