"""Chameleon Chess

Two to four players have four pawns each on a board of 8 x 8 fields in four colours. The player who is left alone wins.

1. Every pawn has a colour of its own, and a role that depends on the field on which it stands: on a field of its own
   colour it is a knight, on the colours that follow in the order red, green, yellow, blue it is a queen, a bishop and a
   rook. A player's four pawns have four different colours, and begin on fields of their own.
2. Red, Blue, Yellow and Green move in this order, those of them who play and live; the first of them begins. Whoever
   can move has to, whoever cannot passes.
3. Pawns move as the chessmen of their roles, inside the limits. One's own pawns are in the way; to land on another's
   captures it. Nothing is ever promoted, castled or in check.
4. The limits are the rows and columns between the outermost pawns, from the beginning on: who leaves an edge empty
   makes the board smaller. No side becomes shorter than 3: a shorter one grows back inside the old limits, upwards,
   then downwards, then to the left, then to the right.
5. Once the limits are 3 x 3, the pawn on the centre is removed after a move if it is a knight there, whoever's it is,
   unless its player is the only one left.
6. A player without pawns is out. The last one wins; there is no draw.

Deviations: an option, `limit`, ends a game after so many moves, as a draw between those who live; without it there is
no limit. A position that is read may have wider limits than rule 4 gives; they are put right after the next move.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import OVER, State
from tichu_models.games.chameleon.board import (
    BETWEEN_COLUMNS,
    BETWEEN_ROWS,
    BISHOP,
    COLOUR_OF_PAWN,
    KNIGHT,
    LEAPS,
    NONE,
    RAYS,
    ROLE,
    ROOK,
    STARTS,
    WORTH,
    bit,
    reach,
)
from tichu_models.kernels import inlined, inner, ones, trailing_zeros

PLAYERS, PAWNS = 4, 4
GONE = -1
PASS = 256  # in place of 64 * (which of the mover's pawns) + field
SMALLEST = 3
FIRST_ROW, LAST_ROW, FIRST_COLUMN, LAST_COLUMN = range(4)
BEGIN = np.array(STARTS, dtype=np.int8)

# fmt: off
STATE = np.dtype([
    ("occupied", np.uint64),    # fields with a pawn
    ("inside", np.uint64),      # fields inside the limits
    ("own", np.uint64, 4),      # fields with a pawn of each player
    ("field", np.int8, 16),     # of each pawn, or GONE
    ("worth", np.int16, 4),     # of the roles of each player's pawns together
    ("pawns", np.int8, 4),      # how many each player has
    ("limits", np.int8, 4),     # first and last row, first and last column
    ("turn", np.int8),          # who moves next
    ("living", np.int8),        # how many players have pawns
    ("loose", np.int8),         # 1: the limits may be wider than the rules give
    ("moves", np.int32),        # so far, passes too
    ("limit", np.int32),        # the game ends after so many moves; 0: never
], align=True)
# fmt: on


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: a bit for each player who takes part, and the limit of moves."""
    place(state, BEGIN, options[0])
    state.turn = 0
    if state.pawns[0] == 0:
        state.turn = _next(state)
    state.limit = options[1]
    for side in range(0, 4, 2):
        state.limits[side], state.limits[side + 1] = 0, 7
    _shrink(state)


@inner
def place(state: State, fields: np.ndarray, players: int) -> None:
    """Puts the pawns of some players on their fields, and nothing else; limits and turn are the caller's."""
    state.occupied = NONE
    state.living = state.loose = state.moves = state.limit = 0
    for player in range(PLAYERS):
        state.own[player] = NONE
        state.worth[player] = state.pawns[player] = 0
        for pawn in range(PAWNS * player, PAWNS * (player + 1)):
            field = fields[pawn]
            if players >> player & 1 == 0 or field < 0:
                state.field[pawn] = GONE
                continue
            state.field[pawn] = field
            state.own[player] |= bit(field)
            state.worth[player] += WORTH[COLOUR_OF_PAWN[pawn], field]
            state.pawns[player] += 1
        state.occupied |= state.own[player]
        state.living += state.pawns[player] > 0


@inlined
def mover(state: State) -> int:
    """The player who moves, or OVER."""
    if state.living <= 1 or (state.limit > 0 and state.moves >= state.limit):
        return OVER
    return state.turn


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The moves in the order of pawns, directions and distance; PASS if there is none."""
    player = state.turn
    own, inside, occupied = state.own[player], state.inside, state.occupied
    n = 0
    for i in range(PAWNS):
        field = state.field[PAWNS * player + i]
        if field < 0:
            continue
        code = 64 * i
        role = ROLE[COLOUR_OF_PAWN[PAWNS * player + i], field]
        if role == KNIGHT:
            for j in range(8):
                to = np.int64(LEAPS[field, j])
                if to < 0:
                    break
                if bit(to) & inside & ~own:
                    out[n] = code + to
                    n += 1
            continue
        for direction in range(4 if role == ROOK else 0, 4 if role == BISHOP else 8):
            for j in range(8):
                to = np.int64(RAYS[direction, field, j])
                if to < 0 or bit(to) & inside & ~own == NONE:
                    break
                out[n] = code + to
                n += 1
                if bit(to) & occupied:
                    break
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@inlined
def moves_of(state: State, player: int) -> int:
    """How many moves a player would have."""
    own, inside = state.own[player], state.inside
    blocked = state.occupied | ~inside
    n = 0
    for pawn in range(PAWNS * player, PAWNS * (player + 1)):
        field = state.field[pawn]
        if field >= 0:
            n += ones(np.int64(reach(ROLE[COLOUR_OF_PAWN[pawn], field], field, blocked) & inside & ~own))
    return n


@inlined
def count(state: State) -> int:
    """How many actions are legal."""
    return max(moves_of(state, state.turn), 1)


@inlined
def step(state: State, action: int) -> None:
    """Makes a move, or passes."""
    state.moves += 1
    if action != PASS:
        player, to = state.turn, action & 63
        pawn = PAWNS * player + (action >> 6)
        field = state.field[pawn]
        if state.occupied & bit(to):
            remove(state, to)
        state.field[pawn] = to
        state.own[player] ^= bit(field) | bit(to)
        state.occupied ^= bit(field) | bit(to)
        colour = COLOUR_OF_PAWN[pawn]
        state.worth[player] += WORTH[colour, to] - WORTH[colour, field]
        row, column, limits = field >> 3, field & 7, state.limits
        at_edge = (row == limits[0]) | (row == limits[1]) | (column == limits[2]) | (column == limits[3])
        if at_edge or state.loose:  # else nothing has become empty
            _shrink(state)
        if limits[1] - limits[0] == 2 and limits[3] - limits[2] == 2:
            _clear_centre(state)
    state.turn = _next(state)


@inner
def remove(state: State, field: int) -> None:
    """Takes the pawn on a field from the board."""
    for pawn in range(PLAYERS * PAWNS):
        if state.field[pawn] == field:
            player = pawn >> 2
            state.field[pawn] = GONE
            state.own[player] ^= bit(field)
            state.occupied ^= bit(field)
            state.worth[player] -= WORTH[COLOUR_OF_PAWN[pawn], field]
            state.pawns[player] -= 1
            if state.pawns[player] == 0:
                state.living -= 1


@inlined
def _clear_centre(state: State) -> None:
    centre = 8 * (state.limits[FIRST_ROW] + 1) + state.limits[FIRST_COLUMN] + 1
    if state.living > 1 and state.occupied & bit(centre):
        for pawn in range(PLAYERS * PAWNS):
            if state.field[pawn] == centre and ROLE[COLOUR_OF_PAWN[pawn], centre] == KNIGHT:
                remove(state, centre)


@inlined
def _next(state: State) -> int:
    """The next player after the one on turn who lives; the same one if no other does."""
    player = (state.turn + 3) & 3
    while state.pawns[player] == 0:
        player = (player + 3) & 3
    return player


@inner
def _shrink(state: State) -> None:
    """The limits by rule 4."""
    rows = columns = 0
    occupied = state.occupied
    while occupied:
        field = trailing_zeros(np.int64(occupied))
        rows |= 1 << (field >> 3)
        columns |= 1 << (field & 7)
        occupied ^= bit(field)
    _set_side(state, FIRST_ROW, rows)
    _set_side(state, FIRST_COLUMN, columns)
    state.loose = 0
    enclose(state)


@inner
def _set_side(state: State, side: int, seen: int) -> None:
    """Limits of the rows, or columns, from the bits of those that are occupied."""
    lowest, highest = state.limits[side], state.limits[side + 1]
    first, last = lowest, highest
    while seen >> first & 1 == 0:
        first += 1
    while seen >> last & 1 == 0:
        last -= 1
    while last - first + 1 < SMALLEST:
        if first > lowest:
            first -= 1
        if last - first + 1 < SMALLEST and last < highest:
            last += 1
    state.limits[side], state.limits[side + 1] = first, last


@inner
def enclose(state: State) -> None:
    """The set of fields that belongs to the limits."""
    limits = state.limits
    rows = BETWEEN_ROWS[limits[FIRST_ROW], limits[LAST_ROW]]
    state.inside = rows & BETWEEN_COLUMNS[limits[FIRST_COLUMN], limits[LAST_COLUMN]]
