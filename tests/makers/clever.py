"""Games of Ganz schön clever that the slow reference follows, question by question."""

from __future__ import annotations

from tests.makers.games import options_of
from tests.oracles import clever as plain
from tichu_models.game import CHANCE, OVER
from tichu_models.games.clever import views
from tichu_models.games.registry import game

CLEVER = game("clever")
KEPT = ("rerolls", "extras", "foxes")


def new(players: str = "1", seed_rules: str = "0", key: int = 0):
    """A game at its beginning."""
    return CLEVER.new(options_of(CLEVER, players=players, seed_rules=seed_rules), key)


def compare(state, table: plain.Table) -> None:
    """Both have the same sheets."""
    for player, sheet in enumerate(CLEVER.notation.write_state(state)["players"]):
        expected = table.sheets[player]
        orange = [number * times for number, times in zip(expected.orange, plain.ORANGE, strict=False)]
        assert sheet["yellow"] == expected.yellow
        assert sheet["blue"] == expected.blue
        assert (sheet["green"], sheet["orange"], sheet["purple"]) == (expected.green, orange, expected.purple)
        assert [sheet[name] for name in KEPT] == [expected.rerolls, expected.extras, expected.foxes]
        assert [views.points_of(state, player, area) for area in range(5)] == list(expected.areas().values())
        assert views.score(state, player) == expected.score()


def check_game(players: str, seed_rules: str, key: int, choose) -> plain.Table:
    """Compares a game with the reference, question by question. `choose` takes a state and its legal actions."""
    state = new(players, seed_rules, key)
    table = plain.Table([plain.Sheet() for _ in range(int(players))], seed_rules == "1")
    course = table.play()
    question = next(course)
    while True:
        compare(state, table)
        if isinstance(question, plain.Roll):
            assert CLEVER.kernels.mover(state) == CHANCE
            before = state.dice.copy()
            CLEVER.kernels.chance(state)
            rolled = dict(zip(plain.DICE, state.dice.tolist(), strict=True))
            assert all(rolled[die] == before[i] for i, die in enumerate(plain.DICE) if die not in question.dice)
            tray = [die for i, die in enumerate(plain.DICE) if question.tray and not state.entered >> i & 1]
            question = course.send(plain.Rolled(rolled, tray))
            continue
        assert CLEVER.kernels.mover(state) == question.player
        found = CLEVER.legal(state)
        assert found == sorted(question.actions)
        action = choose(state, found)
        CLEVER.kernels.step(state, action)
        try:
            question = course.send(action)
        except StopIteration:
            break
    compare(state, table)
    assert CLEVER.kernels.mover(state) == OVER
    scores = [sheet.score() for sheet in table.sheets]
    assert CLEVER.returns(state).tolist() == scores + [0] * (4 - len(scores))
    return table
