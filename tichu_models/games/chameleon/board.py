"""The board of Chameleon Chess as tables: colours, roles, and where each role can move. Fields are 8 * row + column,
rows from the top. A set of fields is an uint64, bit f for field f; uint64 and int64 must not mix in a kernel.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tichu_models.kernels import inlined

Fields: TypeAlias = np.uint64

SIDE, FIELDS = 8, 64
LETTERS = "RGYB"  # of colours and of players
COLOURS = [
    LETTERS.index(letter)
    for row in ("BRBYGRBY", "RGRBYGRB", "GYRGRBBY", "YBGYGRYG", "BRYBRBGR", "RGGYBYRB", "GYBRGYBY", "RGYBRGYG")
    for letter in row
]
ROLES = ("knight", "queen", "bishop", "rook")
KNIGHT, QUEEN, BISHOP, ROOK = range(4)
WORTH_OF_ROLE = (1, 5, 2, 3)
# Pawn i of player p is pawn 4 * p + i; where it begins is a field of its own colour, on which it is a knight.
STARTS = [56, 57, 58, 59, 63, 55, 47, 39, 7, 6, 5, 4, 0, 8, 16, 24]

# (rows, columns) in the order in which moves are listed.
DIAGONALS = ((1, 1), (-1, 1), (1, -1), (-1, -1))
STRAIGHTS = ((1, 0), (-1, 0), (0, 1), (0, -1))
JUMPS = ((2, 1), (1, 2), (-2, 1), (-1, 2), (2, -1), (1, -2), (-2, -1), (-1, -2))

NONE, BIT, S58 = np.uint64(0), np.uint64(1), np.uint64(58)
COLUMN_0, COLUMN_1 = np.uint64(0x0101010101010101), np.uint64(0x0202020202020202)
DIAGONAL = np.uint64(0x0080402010080400)


def _on_board(row: int, column: int) -> bool:
    return 0 <= row < SIDE and 0 <= column < SIDE


def _ray(field: int, rows: int, columns: int) -> list[int]:
    row, column = divmod(field, SIDE)
    steps = [(row + i * rows, column + i * columns) for i in range(1, SIDE)]
    return [SIDE * r + c for r, c in steps if _on_board(r, c)]


def _jumps(field: int) -> list[int]:
    row, column = divmod(field, SIDE)
    return [SIDE * (row + r) + column + c for r, c in JUMPS if _on_board(row + r, column + c)]


def _set(fields: list[int]) -> int:
    return sum(1 << field for field in fields)


def _line(field: int, *directions: tuple[int, int]) -> int:
    return sum(_set(_ray(field, *direction)) for direction in directions)


def _along_a_row(column: int, inner: int) -> int:
    """Where a rook can go in a row; `inner` has a bit for each of the columns 1..6 that is occupied."""
    found = 0
    for columns in (range(column + 1, SIDE), range(column - 1, -1, -1)):
        for each in columns:
            found |= 1 << each
            if inner << 1 >> each & 1:
                break
    return found


# ROLE[k, f]: the role on field f of a pawn whose own colour is k. WORTH: the worth of that role.
ROLE = np.array([[(COLOURS[f] - k) % 4 for f in range(FIELDS)] for k in range(4)], dtype=np.int8)
WORTH = np.array(WORTH_OF_ROLE, dtype=np.int16)[ROLE]
COLOUR_OF_PAWN = np.array([COLOURS[field] for field in STARTS], dtype=np.int8)

# RAYS[d, f]: the fields that a queen on f comes to in a direction, nearest first; the rest is -1. LEAPS[f]: a knight.
RAYS = np.full((8, FIELDS, SIDE), -1, dtype=np.int8)
LEAPS = np.full((FIELDS, 9), -1, dtype=np.int8)
for _f in range(FIELDS):
    LEAPS[_f, : len(_jumps(_f))] = _jumps(_f)
    for _d, _direction in enumerate((*DIAGONALS, *STRAIGHTS)):
        RAYS[_d, _f, : len(_ray(_f, *_direction))] = _ray(_f, *_direction)

LEAP_SET = np.array([_set(_jumps(f)) for f in range(FIELDS)], dtype=np.uint64)
ROW = np.array([_line(f, (0, 1), (0, -1)) for f in range(FIELDS)], dtype=np.uint64)
FALLING = np.array([_line(f, (1, 1), (-1, -1)) for f in range(FIELDS)], dtype=np.uint64)
RISING = np.array([_line(f, (1, -1), (-1, 1)) for f in range(FIELDS)], dtype=np.uint64)
# IN_ROWS[c, inner]: a row's attacks from column c, in every row. IN_COLUMN[r, inner]: from row r, in column 0.
IN_ROWS = np.array([[_along_a_row(c, i) * int(COLUMN_0) for i in range(64)] for c in range(SIDE)], dtype=np.uint64)
IN_COLUMN = np.array(
    [
        # The multiplication that gathers a column puts its rows 1..6 in reverse order.
        [
            _set([SIDE * r for r in range(SIDE) if _along_a_row(row, int(f"{i:06b}"[::-1], 2)) >> r & 1])
            for i in range(64)
        ]
        for row in range(SIDE)
    ],
    dtype=np.uint64,
)
# Sets of fields between two rows or columns: BETWEEN_ROWS[first, last].
BETWEEN_ROWS = np.array(
    [[_set([f for f in range(FIELDS) if a <= f // SIDE <= b]) for b in range(SIDE)] for a in range(SIDE)],
    dtype=np.uint64,
)
BETWEEN_COLUMNS = np.array(
    [[_set([f for f in range(FIELDS) if a <= f % SIDE <= b]) for b in range(SIDE)] for a in range(SIDE)],
    dtype=np.uint64,
)


@inlined
def bit(field: int) -> Fields:
    """The set of one field."""
    return BIT << np.uint64(field)


@inlined
def reach(role: int, field: int, blocked: Fields) -> Fields:
    """The fields that a role reaches, with the first blocked one of each line. Lines are looked up: a multiplication
    gathers their inner fields in six bits."""
    if role == KNIGHT:
        return LEAP_SET[field]
    column = field & 7
    found = NONE
    if role != ROOK:
        falling, rising = FALLING[field], RISING[field]
        found |= IN_ROWS[column, ((falling & blocked) * COLUMN_1) >> S58] & falling
        found |= IN_ROWS[column, ((rising & blocked) * COLUMN_1) >> S58] & rising
    if role != BISHOP:
        row = ROW[field]
        found |= IN_ROWS[column, ((row & blocked) * COLUMN_1) >> S58] & row
        shift = np.uint64(column)
        inner = (((blocked >> shift) & COLUMN_0) * DIAGONAL) >> S58
        found |= IN_COLUMN[field >> 3, inner] << shift
    return found
