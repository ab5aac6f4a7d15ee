"""How a position of Chameleon Chess looks to players: evaluations, results, and what a seat sees. What networks of `td`
read is `inputs`."""

from __future__ import annotations

import numpy as np

from tichu_models.chance import Key, draw
from tichu_models.game import ONE, OVER, State
from tichu_models.games.chameleon.board import COLOUR_OF_PAWN, FIELDS, NONE, ROLE, SIDE, bit
from tichu_models.games.chameleon.rules import PAWNS, PLAYERS, mover, moves_of
from tichu_models.kernels import inlined, inner, ones

# Of pawns p, the worth r of their roles and the moves m that a player would have: 100p+r, p, 10p+r, 100p+m. Then those
# that the thesis leaves for later: 100p and the fields within the limits, 10 for each role that the pawns have, or the
# rows and columns over which they are spread.
EVALUATIONS = ("roles", "pawns", "few-roles", "moves", "size", "variety", "spread")
ROLES, ONLY_PAWNS, FEW_ROLES, MOVES, SIZE, VARIETY, SPREAD = range(7)
A_LITTLE_LESS = ONE * (1 - 2.0**-45)  # so that rounded shares never add up to more than ONE
BITS_OF_FIELD, BITS_OF_TURN = 6, 2
PAWNS_AT_ONCE, BITS_OF_PAWN = 8, np.uint64(7)
OBSERVATION = FIELDS * BITS_OF_FIELD + BITS_OF_TURN


@inlined
def evaluate(state: State, kind: int, values: np.ndarray) -> None:
    """Each player's points divided by all points; when the game is over, what it brought."""
    if mover(state) == OVER:
        for player in range(PLAYERS):
            values[player] = ONE // state.living if state.pawns[player] else 0
        return
    total = 0
    for player in range(PLAYERS):
        pawns = state.pawns[player]
        if kind == ROLES:
            points = _by_roles(state, player)
        elif kind == ONLY_PAWNS:
            points = pawns
        elif kind == FEW_ROLES:
            points = 10 * pawns + state.worth[player]
        elif kind == MOVES:
            points = 100 * pawns + moves_of(state, player)
        else:
            points = 100 * pawns + _extra_points(state, player, kind)
        values[player] = points
        total += points
    share = A_LITTLE_LESS / total
    for player in range(PLAYERS):
        values[player] = np.int64(values[player] * share)


@inlined
def _by_roles(state: State, player: int) -> int:
    return 100 * state.pawns[player] + state.worth[player]


@inner
def _extra_points(state: State, player: int, kind: int) -> int:
    """What the last evaluations add to a player's points for pawns."""
    limits = state.limits
    if state.pawns[player] == 0:
        return 0
    if kind == SIZE:
        return (limits[1] - limits[0] + 1) * (limits[3] - limits[2] + 1)
    roles, rows, columns = NONE, NONE, NONE
    for pawn in range(PAWNS * player, PAWNS * (player + 1)):
        field = state.field[pawn]
        if field >= 0:
            roles |= bit(ROLE[COLOUR_OF_PAWN[pawn], field])
            rows |= bit(field >> 3)
            columns |= bit(field & 7)
    if kind == SPREAD:
        return _width(rows) + _width(columns)
    return 10 * ones(np.int64(roles))


@inlined
def _width(places: np.uint64) -> int:
    """From the first place to the last one, both counted."""
    first, last = SIDE, 0
    for place in range(SIDE):
        if places & bit(place) != NONE:
            first, last = min(first, place), place
    return last - first + 1


@inner
def worth(state: State, seat: int) -> float:
    """A seat's share of the points by roles, 1 if it is left alone."""
    if state.pawns[seat] == 0:
        return 0.0
    total = 0
    for player in range(PLAYERS):
        total += _by_roles(state, player)
    return _by_roles(state, seat) / total


@inlined
def takes_part(state: State, seat: int) -> bool:
    """Whether a player has pawns."""
    return state.pawns[seat] > 0


@inlined
def position_key(state: State) -> Key:
    """Pawns, limits and turn, mixed; where the game is limited to some moves, how many are left."""
    first, second = np.uint64(0), np.uint64(0)
    for pawn in range(PAWNS_AT_ONCE):
        first = first << BITS_OF_PAWN | np.uint64(state.field[pawn] + 1)
        second = second << BITS_OF_PAWN | np.uint64(state.field[PAWNS_AT_ONCE + pawn] + 1)
    rest = np.uint64(state.limit - state.moves if state.limit else 0) << BITS_OF_PAWN | np.uint64(state.turn)
    for side in range(4):
        rest = rest << BITS_OF_PAWN | np.uint64(state.limits[side])
    return draw(draw(first, 0) ^ second, 0) ^ draw(rest << BITS_OF_PAWN | np.uint64(state.loose), 1)


@inlined
def give_turn(state: State, seat: int) -> None:
    """Lets a player move next."""
    state.turn = seat


@inlined
def chance(state: State) -> None:
    """There is none."""


@inner
def returns(state: State, vector: np.ndarray) -> None:
    """1 for who is left alone; with a limit of moves, equal shares for those who live."""
    for player in range(PLAYERS):
        vector[player] = 0.0
        if mover(state) == OVER and state.pawns[player]:
            vector[player] = 1.0 / state.living


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """Two bits each for every field's status (0 empty, 1 a pawn, 2 outside), its pawn's player and role, and for whose
    turn it is: 386 in all. Players are counted from the seat on, so that the board looks alike from all of them once
    it is turned; fields stay where they are."""
    for i in range(OBSERVATION):
        out[i] = 0.0
    for field in range(FIELDS):
        if state.inside & bit(field) == 0:
            _write(out, BITS_OF_FIELD * field, 2)
    for pawn in range(PLAYERS * PAWNS):
        field = state.field[pawn]
        if field >= 0:
            at = BITS_OF_FIELD * field
            _write(out, at, 1)
            _write(out, at + 2, ((pawn >> 2) - seat) & 3)
            _write(out, at + 4, ROLE[COLOUR_OF_PAWN[pawn], field])
    _write(out, OBSERVATION - BITS_OF_TURN, (state.turn - seat) & 3)


@inlined
def _write(out: np.ndarray, at: int, number: int) -> None:
    out[at] = np.float32(number & 1)
    out[at + 1] = np.float32(number >> 1)
