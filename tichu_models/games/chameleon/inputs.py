"""What a network reads of a position of Chameleon Chess: inputs that are 1, in several encodings.

`attacks`, the default, and `fields` turn the board so that the next player to move sits where Red does: positions that
the symmetry of the game makes equal have the same inputs. The encodings of the thesis, `thesis-386` and `thesis-126`,
are binary numbers of the board as it lies.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.chameleon.board import COLOUR_OF_PAWN, FIELDS, NONE, ROLE, SIDE, bit, reach
from tichu_models.games.chameleon.rules import PAWNS, PLAYERS
from tichu_models.kernels import inlined, inner, ones

# `fields`: a field for each pawn, the four limits, and how many pawns each player has.
AT_LIMITS = FIELDS * PLAYERS * PAWNS
AT_NUMBERS = AT_LIMITS + 4 * SIDE
FIELDS_INPUTS = AT_NUMBERS + PLAYERS * (PAWNS + 1)
FIELDS_ACTIVE = PLAYERS * PAWNS + 4 + PLAYERS
# `attacks` adds, for each pawn, by whom it can be taken, or protected by its own; and how many moves each player has.
AT_ATTACKS = FIELDS_INPUTS
AT_MOVES = AT_ATTACKS + PLAYERS * PLAYERS * PAWNS
MOVES_A_STEP, STEPS = 4, 8
INPUTS = AT_MOVES + PLAYERS * STEPS
MOST_ACTIVE = FIELDS_ACTIVE + PLAYERS * PLAYERS * PAWNS + PLAYERS
# Those of the thesis: for each field status, player and role in two bits each, and whose turn it is; or for each pawn
# row and column in three bits each and whether it lives, the limits in three bits each, and whose turn it is.
THESIS_386, ACTIVE_386 = 6 * FIELDS + 2, 2 * FIELDS + 4 * PLAYERS * PAWNS + 2
THESIS_126 = ACTIVE_126 = 7 * PLAYERS * PAWNS + 3 * 4 + 2
# TURNED[t, f]: where field f comes to when the board is turned clockwise by t quarters, so that the colours fall by t.
TURNED = np.array([[8 * r + c for r in range(8) for c in range(8)]] * 4, dtype=np.int8)
for _turn in range(1, 4):
    for _field in range(FIELDS):
        _row, _column = divmod(int(TURNED[_turn - 1, _field]), SIDE)
        TURNED[_turn, _field] = SIDE * _column + SIDE - 1 - _row


@inner
def fields(state: State, out: np.ndarray) -> int:
    """The board is turned so that the next player to move sits where Red does."""
    turn = np.int64(state.turn)
    n = 0
    for pawn in range(PLAYERS * PAWNS):
        field = state.field[pawn]
        if field >= 0:
            out[n] = FIELDS * ((pawn - PAWNS * turn) & 15) + TURNED[turn, field]
            n += 1
    limits = state.limits
    corner = np.int64(TURNED[turn, 8 * limits[0] + limits[2]])
    opposite = np.int64(TURNED[turn, 8 * limits[1] + limits[3]])
    out[n] = AT_LIMITS + min(corner >> 3, opposite >> 3)
    out[n + 1] = AT_LIMITS + SIDE + max(corner >> 3, opposite >> 3)
    out[n + 2] = AT_LIMITS + 2 * SIDE + min(corner & 7, opposite & 7)
    out[n + 3] = AT_LIMITS + 3 * SIDE + max(corner & 7, opposite & 7)
    n += 4
    for player in range(PLAYERS):
        out[n] = AT_NUMBERS + (PAWNS + 1) * ((player - turn) & 3) + state.pawns[player]
        n += 1
    return n


@inner
def attacks(state: State, out: np.ndarray) -> int:
    """`fields`, and who attacks or protects which pawns, and how many moves each player has."""
    turn = np.int64(state.turn)
    n = fields(state, out)
    inside, occupied = state.inside, state.occupied
    blocked = occupied | ~inside
    for player in range(PLAYERS):
        if state.pawns[player] == 0:
            continue
        reached, moves = NONE, 0
        for pawn in range(PAWNS * player, PAWNS * (player + 1)):
            field = state.field[pawn]
            if field >= 0:
                there = reach(ROLE[COLOUR_OF_PAWN[pawn], field], field, blocked) & inside
                reached |= there
                moves += ones(np.int64(there & ~state.own[player]))
        reached &= occupied
        seat = (player - turn) & 3
        if reached != NONE:
            for pawn in range(PLAYERS * PAWNS):
                field = state.field[pawn]
                if field >= 0 and bit(field) & reached != NONE:
                    out[n] = AT_ATTACKS + PLAYERS * PAWNS * seat + ((pawn - PAWNS * turn) & 15)
                    n += 1
        out[n] = AT_MOVES + STEPS * seat + min((moves + MOVES_A_STEP - 1) // MOVES_A_STEP, STEPS - 1)
        n += 1
    return n


@inlined
def _bits(out: np.ndarray, n: int, at: int, number: int, bits: int) -> int:
    """Adds the bits of a number that are set; returns how many inputs there are then."""
    for i in range(bits):
        if number >> i & 1:
            out[n] = at + i
            n += 1
    return n


@inner
def thesis_386(state: State, out: np.ndarray) -> int:
    """Status (0 empty, 1 a pawn, 2 outside), player and role of each field, and the player on turn."""
    n = 0
    for field in range(FIELDS):
        if state.inside & bit(field) == NONE:
            n = _bits(out, n, 6 * field, 2, 2)
    for pawn in range(PLAYERS * PAWNS):
        field = state.field[pawn]
        if field >= 0:
            n = _bits(out, n, 6 * np.int64(field), 1, 2)
            n = _bits(out, n, 6 * np.int64(field) + 2, pawn >> 2, 2)
            n = _bits(out, n, 6 * np.int64(field) + 4, np.int64(ROLE[COLOUR_OF_PAWN[pawn], field]), 2)
    return _bits(out, n, 6 * FIELDS, np.int64(state.turn), 2)


@inner
def thesis_126(state: State, out: np.ndarray) -> int:
    """Row, column and life of each pawn, the limits, and the player on turn."""
    n = 0
    for pawn in range(PLAYERS * PAWNS):
        field = state.field[pawn]
        if field >= 0:
            n = _bits(out, n, 7 * pawn, np.int64(field), 6)
            n = _bits(out, n, 7 * pawn + 6, 1, 1)
    at = 7 * PLAYERS * PAWNS
    for side in range(4):
        n = _bits(out, n, at + 3 * side, np.int64(state.limits[side]), 3)
    return _bits(out, n, at + 12, np.int64(state.turn), 2)
