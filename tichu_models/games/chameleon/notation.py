"""How positions and moves of Chameleon Chess are written: as JSON for programs, as words for people.

A field is written as on a chessboard: columns a to h, rows 1 to 8 from the bottom. In JSON it is [row, column], from
the top.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tichu_models.game import OVER, IllegalAction, State
from tichu_models.games.chameleon.board import BISHOP, COLOUR_OF_PAWN, COLOURS, KNIGHT, LETTERS, ROLE, ROLES, ROOK
from tichu_models.games.chameleon.rules import GONE, PASS, PAWNS, PLAYERS, STATE, enclose, mover, place

COLUMNS = "abcdefgh"
MOVE = re.compile(r"([a-h])([1-8])\W*([a-h])([1-8])")


def read_options(words: Any) -> np.ndarray:
    """`players` (letters, all by default) and `limit` of moves (none by default)."""
    unknown = set(words) - {"players", "limit"}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; there are players and limit")
    players = words.get("players", LETTERS).upper()
    if len(players) < 2 or len(set(players)) != len(players) or not set(players) <= set(LETTERS):
        raise ValueError(f"players={players}: expected two to four of {LETTERS}")
    limit = words.get("limit", "0")
    if not limit.isdecimal() or int(limit) >= 1 << 31:
        raise ValueError(f"limit={limit}: expected a number of moves, 0 for none")
    return np.array([sum(1 << LETTERS.index(player) for player in players), int(limit)], dtype=np.int64)


def seats_of(options: np.ndarray) -> tuple[int, ...]:
    """Who takes part, in the order of turns."""
    return tuple(player for player in (0, 3, 2, 1) if int(options[0]) >> player & 1)


def write_state(state: State) -> dict[str, Any]:
    """A position as JSON."""
    pawns = [
        {
            "player": LETTERS[pawn // PAWNS],
            "knight_field": LETTERS[COLOUR_OF_PAWN[pawn]],
            "row": int(state.field[pawn]) // 8,
            "col": int(state.field[pawn]) % 8,
        }
        for pawn in range(PLAYERS * PAWNS)
        if state.field[pawn] != GONE
    ]
    return {"pawns": pawns, "limits": state.limits.tolist(), "turn": LETTERS[state.turn]}


def read_state(written: Any) -> State:
    """A position from JSON. Players and colours may be letters, or numbers in the order R G Y B."""
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    fields = np.full(PLAYERS * PAWNS, GONE, dtype=np.int8)
    try:
        for pawn in written["pawns"]:
            player, colour = _letter(pawn["player"]), _letter(pawn["knight_field"])
            row, column = _below(pawn["row"], 8), _below(pawn["col"], 8)
            at = PAWNS * player + (colour - player) % PAWNS
            if fields[at] != GONE or 8 * row + column in fields:
                raise IllegalAction(f"{pawn}: a pawn or a field that was given already")
            fields[at] = 8 * row + column
        limits = [_below(limit, 8) for limit in written["limits"]]
        turn = _letter(written["turn"])
    except (KeyError, TypeError, ValueError) as error:
        raise IllegalAction(f"no position: {error!r}; expected pawns, limits and turn") from error
    if len(limits) != 4 or limits[1] - limits[0] < 2 or limits[3] - limits[2] < 2:
        raise IllegalAction(f"limits {limits}: expected first and last row, first and last column, 3 at least")
    place(state, fields, 15)
    state.limits[:] = limits
    enclose(state)
    state.turn, state.loose = turn, 1
    if not state.occupied or int(state.occupied) & ~int(state.inside):
        raise IllegalAction("expected pawns, all of them inside the limits")
    if not state.pawns[turn]:
        raise IllegalAction(f"{LETTERS[turn]} has no pawns, and cannot be on turn")
    return state


def _letter(word: Any) -> int:
    return LETTERS.index(word.upper()) if isinstance(word, str) and len(word) == 1 else _below(word, 4)


def _below(number: Any, limit: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < limit:
        raise ValueError(f"{number!r}: expected a number below {limit}")
    return number


def write_action(state: State, action: int) -> dict[str, Any]:
    """A move as JSON."""
    if action == PASS:
        return {"pass": True}
    return {"from": list(divmod(_from(state, action), 8)), "to": list(divmod(action & 63, 8))}


def read_action(state: State, written: Any) -> int:
    """A move from JSON, legal or not. A field without a pawn of the mover's is no move at all."""
    if isinstance(written, dict) and written.get("pass") is True:
        return PASS
    try:
        (row, column), (to_row, to_column) = written["from"], written["to"]
        field, to = (8 * _below(r, 8) + _below(c, 8) for r, c in ((row, column), (to_row, to_column)))
    except (KeyError, TypeError, ValueError) as error:
        raise IllegalAction(f"no move: {error!r}; expected from and to as [row, column], or pass") from error
    return _code(state, field, to)


def say_action(state: State, action: int) -> str:
    """A move as a person writes it: a1-b3."""
    return "pass" if action == PASS else f"{_name(_from(state, action))}-{_name(action & 63)}"


def hear_action(state: State, words: str) -> int:
    """A move that a person has written."""
    if words.strip().lower() == "pass":
        return PASS
    found = MOVE.fullmatch(words.strip().lower())
    if found is None:
        raise IllegalAction(f"{words!r}: expected a move such as a1-b3")
    field, to = (8 * (8 - int(row)) + COLUMNS.index(column) for column, row in (found.group(1, 2), found.group(3, 4)))
    return _code(state, field, to)


def _code(state: State, field: int, to: int) -> int:
    own = state.field[PAWNS * state.turn : PAWNS * (state.turn + 1)].tolist()
    if field not in own:
        raise IllegalAction(f"{_name(field)}: {LETTERS[state.turn]} is on turn and has no pawn there")
    return 64 * own.index(field) + to


def _from(state: State, action: int) -> int:
    return int(state.field[PAWNS * state.turn + (action >> 6)])


def _name(field: int) -> str:
    return f"{COLUMNS[field % 8]}{8 - field // 8}"


def why_not(state: State, action: int) -> str:
    """Why a move is illegal."""
    if mover(state) == OVER:
        return "the game is over"
    if action == PASS:
        return "who can move has to"
    if not 0 <= action < PASS or _from(state, action) == GONE:
        return f"{action}: no move of a pawn that {LETTERS[state.turn]} has"
    field, to = _from(state, action), action & 63
    if not int(state.inside) >> to & 1:
        return f"{_name(to)} is outside the limits"
    if int(state.own[state.turn]) >> to & 1:
        return f"a pawn of one's own is on {_name(to)}"
    role = int(ROLE[COLOUR_OF_PAWN[PAWNS * state.turn + (action >> 6)], field])
    rows, columns = abs(to // 8 - field // 8), abs(to % 8 - field % 8)
    lines = {KNIGHT: {rows, columns} == {1, 2}, BISHOP: rows == columns, ROOK: rows == 0 or columns == 0}
    if lines.get(role, rows == columns or rows == 0 or columns == 0):
        return f"another pawn is in the way from {_name(field)} to {_name(to)}"
    colour = ("red", "green", "yellow", "blue")[COLOURS[field]]
    return f"on {_name(field)} ({colour}) the pawn is a {ROLES[role]}, which does not move to {_name(to)}"
