"""The rules of Chameleon Chess: known numbers of positions, and a slow second implementation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tests.oracles import chameleon as plain
from tichu_models.algorithms.counting import count_sequences, random_games
from tichu_models.game import ONE, IllegalAction
from tichu_models.games.chameleon.complexity import arrangements, sizes, smallest_boards
from tichu_models.games.registry import game
from tichu_models.kernel_cache import closure

CHAMELEON = game("chameleon")
LINE_UPS = ["".join(players) for n in (2, 3, 4) for players in combinations("RGYB", n)]
# Leaves at depth 1, 2, ..
PERFT = {
    "RY": [13, 169, 3496, 71470, 1576357, 34376304],
    "RG": [13, 130, 2112, 27722, 440761, 6172329],
    "RB": [10, 130, 1736, 27494, 387766, 6038082],
    "RGY": [13, 169, 2197, 44620, 898653],
    "RGYB": [13, 169, 2197, 28561, 570778],
}
SHALLOW, SHALLOW_OF_REFERENCE = 5, 3


def start(players: str):
    """The beginning of a game of these players."""
    return CHAMELEON.new(options_of(CHAMELEON, players=players))


def as_plain(state) -> plain.Position:
    """A state as the reference has it."""
    written = CHAMELEON.notation.write_state(state)
    pawns = tuple(plain.Pawn(p["player"], p["knight_field"], (p["row"], p["col"])) for p in written["pawns"])
    return plain.Position(pawns, tuple(written["limits"]), written["turn"])


def moves_of(state) -> list[plain.Move | None]:
    """The legal moves of a state, in their order."""
    written = [CHAMELEON.notation.write_action(state, action) for action in CHAMELEON.legal(state)]
    return [None if "pass" in move else plain.Move(tuple(move["from"]), tuple(move["to"])) for move in written]


def check_game(players: str, key: int) -> int:
    """Compares a random game with the reference, position by position; returns how many moves it had."""
    position, state = plain.begin(players), start(players)
    made = random_game(CHAMELEON, options_of(CHAMELEON, players=players), key).actions
    for action in made:
        assert as_plain(state) == position
        found = moves_of(state)
        assert found == (plain.moves(position) or [None])
        position = plain.after(position, found[CHAMELEON.legal(state).index(action)])
        CHAMELEON.kernels.step(state, action)
    assert len(plain.living(position.pawns)) == 1
    assert CHAMELEON.returns(state)["RGYB".index(position.turn)] == 1
    return len(made)


@pytest.mark.parametrize("players", ["RGYB", "RY", "RGY"])
def test_evaluations_are_those_of_the_reference(players):
    """A search that plays for something else than its evaluation says, or for players who are gone."""
    made = random_game(CHAMELEON, options_of(CHAMELEON, players=players), 3).actions
    state, values = start(players), np.zeros(4, dtype=np.int64)
    for action in made[:-1]:
        position = as_plain(state)
        for kind, name in enumerate(CHAMELEON.evaluations):
            CHAMELEON.kernels.evaluate(state, kind, values)
            expected = np.array([plain.points(position, player, name) for player in "RGYB"])
            np.testing.assert_allclose(values / ONE, expected / expected.sum(), atol=1e-9)
        CHAMELEON.kernels.step(state, action)


@pytest.mark.parametrize("players", PERFT)
def test_perft(players):
    """A rule that is wrong in one position of a hundred thousand."""
    assert count_sequences(CHAMELEON, start(players), SHALLOW) == PERFT[players][:SHALLOW]


@pytest.mark.proof
@pytest.mark.parametrize("players", PERFT)
def test_deep_perft(players):
    """A rule that is wrong in one position of thirty million."""
    assert count_sequences(CHAMELEON, start(players), len(PERFT[players])) == PERFT[players]


@pytest.mark.parametrize("players", LINE_UPS)
def test_every_line_up_has_as_many_positions_as_in_the_reference(players):
    """A line-up for which nobody has published a count."""
    depth = SHALLOW_OF_REFERENCE
    assert count_sequences(CHAMELEON, start(players), depth)[-1] == plain.perft(plain.begin(players), depth)


@pytest.mark.proof
@pytest.mark.parametrize("players", LINE_UPS)
def test_every_line_up_deeper(players):
    """As above, where captures are frequent."""
    depth = SHALLOW_OF_REFERENCE + 1
    assert count_sequences(CHAMELEON, start(players), depth)[-1] == plain.perft(plain.begin(players), depth)


def test_random_games_are_those_of_the_reference():
    """Moves, limits or removals that differ late in a game, where perft does not come."""
    assert sum(check_game(LINE_UPS[key % len(LINE_UPS)], key) for key in range(22)) > 1000


@pytest.mark.proof
def test_many_random_games_are_those_of_the_reference():
    """As above, over 10,000 moves."""
    assert sum(check_game(LINE_UPS[key % len(LINE_UPS)], key) for key in range(200)) > 10_000


def position(pawns: dict[str, str], limits: list[int], turn: str):
    """A position from words such as {"RG": "a1"}: player and own colour, field."""
    fields = {word: (8 - int(field[1]), "abcdefgh".index(field[0])) for word, field in pawns.items()}
    return CHAMELEON.notation.read_state(
        {
            "pawns": [{"player": w[0], "knight_field": w[1], "row": r, "col": c} for w, (r, c) in fields.items()],
            "limits": limits,
            "turn": turn,
        }
    )


def test_a_knight_on_the_centre_of_the_smallest_board_is_removed_whoever_it_is():
    """A player who moves there lives on, or the last one is removed as well."""
    state = position({"RG": "b1", "RR": "c3", "BR": "b2", "YB": "a3"}, [5, 7, 0, 2], "R")
    assert plain.role(plain.Pawn("B", "R", (6, 1))) != "knight"
    state = position({"RG": "c1", "RR": "a1", "BY": "b2", "YB": "a3"}, [5, 7, 0, 2], "R")
    assert plain.role(plain.Pawn("B", "Y", (6, 1))) == "knight"
    assert state.pawns[3] == 1  # nothing happens before the move
    CHAMELEON.step(state, CHAMELEON.notation.hear_action(state, "c1-c2"))
    assert state.pawns[3] == 0
    assert CHAMELEON.notation.write_state(state)["turn"] == "Y"


def test_who_cannot_move_passes():
    """A game that stops because somebody is shut in, or a pass of who could move."""
    state = position({"YY": "b2", "RB": "a1", "RG": "c3"}, [5, 7, 0, 2], "Y")
    assert moves_of(state) == [None]  # the knight of the middle reaches no field of a board of 3 x 3
    CHAMELEON.step(state, CHAMELEON.legal(state)[0])
    assert CHAMELEON.notation.write_state(state)["turn"] == "R"
    with pytest.raises(IllegalAction, match="has to"):
        CHAMELEON.step(state, 256)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("a1-e4", "outside"),
        ("a1-b1", "own"),
        ("a1-a3", "knight, which does not move"),
        ("b1-d3", "knight"),
        ("a4-a3", "no pawn"),
        ("a9-a3", "expected a move"),
    ],
)
def test_an_illegal_move_is_explained(words, reason):
    """A person who is refused and not told why."""
    state = start("RB")
    with pytest.raises(IllegalAction, match=reason):
        CHAMELEON.step(state, CHAMELEON.notation.hear_action(state, words))


def test_limits_that_are_read_too_wide_are_put_right():
    """A position of somebody else's, in which the board would stay as large as it was written."""
    state = position({"RR": "b2", "YY": "d4", "YB": "c6"}, [0, 7, 0, 7], "R")
    CHAMELEON.step(state, CHAMELEON.legal(state)[0])
    assert tuple(state.limits.tolist()) == plain.shrunk(as_plain(state).pawns, (0, 7, 0, 7))


def test_a_limit_of_moves_ends_in_a_draw_of_the_living():
    """A game that two cautious players never end."""
    options = options_of(CHAMELEON, limit="5")
    state = CHAMELEON.new(options)
    for action in random_game(CHAMELEON, options, 1).actions:
        CHAMELEON.step(state, action)
    assert state.moves == 5
    np.testing.assert_allclose(CHAMELEON.returns(state), 0.25)


@pytest.mark.parametrize(
    "words", [{"players": "R"}, {"players": "RX"}, {"players": "RR"}, {"limit": "-1"}, {"speed": "1"}]
)
def test_options_that_make_no_sense_are_refused(words):
    """A game of one, or of a colour that there is not."""
    with pytest.raises(ValueError, match=r"expected|unknown"):
        CHAMELEON.read_options(words)


def test_the_board_looks_the_same_from_all_seats():
    """A table that has one quarter of the board turned the wrong way: an advantage for a seat."""
    for row in range(8):
        for column in range(8):
            turned = plain.BOARD[7 - column][row]
            assert "RGYB".index(turned) == ("RGYB".index(plain.BOARD[row][column]) + 1) % 4


def test_random_games_are_as_long_as_known():
    """A rule that lets games end too soon, or a seat that chance prefers. The figures are those of other programs."""
    played = random_games(CHAMELEON, options_of(CHAMELEON), 20_000, 1)
    assert abs(played.lengths.mean() - 97) < 1
    assert abs(played.choices.sum() / played.lengths.sum() - 15.7) < 0.1
    np.testing.assert_allclose(played.results.mean(0), 0.25, atol=0.013)


def test_numbers_of_arrangements():
    """A sum that counts the empty board, or a board of 3 x 3 that lies outside."""
    assert arrangements(64) == 14108373601591606657646377984
    assert arrangements(9) == 11_453_449_104
    assert smallest_boards() == 412_324_167_744
    assert arrangements(2, 1) == 2


def test_sizes_of_random_games():
    """A branching that is averaged over games instead of moves, a line-up that is left out. Red against Yellow alone
    has 16.33 legal moves and a length of 59.6 in other programs; neighbours have fewer."""
    two, three, four = sizes(CHAMELEON, 6_000, 1)
    assert [size.players for size in (two, three, four)] == [2, 3, 4]
    assert two.length < three.length < four.length
    assert abs(four.branching - 15.7) < 0.1
    assert abs(four.power - four.length * np.log10(four.branching)) < 1e-9


def test_what_is_written_and_drawn_compiles_nothing():
    """An edit of a drawing that costs the compilation of all searches."""
    room = "tichu_models.games.chameleon"
    assert f"{room}.rules" in closure(f"{room}.bound")
    assert closure(f"{room}.bound").isdisjoint(
        f"{room}.{part}" for part in ("notation", "drawing", "complexity", "game")
    )
