"""A second implementation of Chameleon Chess, slow and obvious, with which tests compare the kernels.

It shares nothing with them: the board is letters, a pawn is a tuple, and every rule is read off the text.
"""

from __future__ import annotations

from typing import NamedTuple

BOARD = ["BRBYGRBY", "RGRBYGRB", "GYRGRBBY", "YBGYGRYG", "BRYBRBGR", "RGGYBYRB", "GYBRGYBY", "RGYBRGYG"]
STARTS = {
    "R": {"R": (7, 0), "G": (7, 1), "Y": (7, 2), "B": (7, 3)},
    "G": {"G": (7, 7), "Y": (6, 7), "B": (5, 7), "R": (4, 7)},
    "Y": {"Y": (0, 7), "B": (0, 6), "R": (0, 5), "G": (0, 4)},
    "B": {"B": (0, 0), "R": (1, 0), "G": (2, 0), "Y": (3, 0)},
}
TURNS = "RBYG"
DIAGONALS = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
STRAIGHTS = [(1, 0), (-1, 0), (0, 1), (0, -1)]
JUMPS = [(2, 1), (1, 2), (-2, 1), (-1, 2), (2, -1), (1, -2), (-2, -1), (-1, -2)]


class Pawn(NamedTuple):
    """One pawn: whose, its own colour, where."""

    player: str
    colour: str
    place: tuple[int, int]


class Move(NamedTuple):
    """From where to where."""

    start: tuple[int, int]
    to: tuple[int, int]


class Position(NamedTuple):
    """The pawns in the order of the list, the limits (first row, last row, first column, last column), whose turn."""

    pawns: tuple[Pawn, ...]
    limits: tuple[int, int, int, int]
    turn: str


def begin(players: str) -> Position:
    """The start of a game."""
    pawns = tuple(Pawn(p, colour, place) for p in STARTS if p in players for colour, place in STARTS[p].items())
    return Position(pawns, shrunk(pawns, (0, 7, 0, 7)), next(p for p in TURNS if p in players))


def role(pawn: Pawn) -> str:
    """What a pawn is on its field."""
    row, column = pawn.place
    steps = "RGYB".index(BOARD[row][column]) - "RGYB".index(pawn.colour)
    return ["knight", "queen", "bishop", "rook"][steps % 4]


def moves(position: Position) -> list[Move]:
    """The moves of who is on turn; none: a pass."""
    found = []
    by_place = {pawn.place: pawn.player for pawn in position.pawns}
    first_row, last_row, first_column, last_column = position.limits

    def enter(pawn: Pawn, row: int, column: int) -> bool:
        """Notes a move, if it is one; whether the pawn could go on."""
        if not (first_row <= row <= last_row and first_column <= column <= last_column):
            return False
        owner = by_place.get((row, column))
        if owner != pawn.player:
            found.append(Move(pawn.place, (row, column)))
        return owner is None

    for pawn in position.pawns:
        if pawn.player != position.turn:
            continue
        row, column = pawn.place
        if role(pawn) == "knight":
            for rows, columns in JUMPS:
                enter(pawn, row + rows, column + columns)
            continue
        lines = {"queen": DIAGONALS + STRAIGHTS, "bishop": DIAGONALS, "rook": STRAIGHTS}[role(pawn)]
        for rows, columns in lines:
            distance = 1
            while enter(pawn, row + distance * rows, column + distance * columns):
                distance += 1
    return found


def after(position: Position, move: Move | None) -> Position:
    """The position after a move, or a pass."""
    pawns, limits = position.pawns, position.limits
    if move is not None:
        pawns = tuple(pawn for pawn in pawns if pawn.place != move.to)
        pawns = tuple(pawn._replace(place=move.to) if pawn.place == move.start else pawn for pawn in pawns)
        if not is_smallest(limits):
            limits = shrunk(pawns, limits)
        if is_smallest(limits) and len(living(pawns)) > 1:
            centre = (limits[0] + 1, limits[2] + 1)
            pawns = tuple(pawn for pawn in pawns if pawn.place != centre or role(pawn) != "knight")
    turn = position.turn
    while True:
        turn = TURNS[(TURNS.index(turn) + 1) % 4]
        if turn in living(pawns):
            return Position(pawns, limits, turn)


def living(pawns: tuple[Pawn, ...]) -> set[str]:
    """Who has pawns."""
    return {pawn.player for pawn in pawns}


def is_smallest(limits: tuple[int, int, int, int]) -> bool:
    """Whether the board is 3 x 3."""
    return limits[1] - limits[0] == 2 and limits[3] - limits[2] == 2


def shrunk(pawns: tuple[Pawn, ...], old: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """The limits of these pawns inside the old ones."""
    sides = []
    for side in range(2):
        places = [pawn.place[side] for pawn in pawns]
        first, last = min(places), max(places)
        while last - first < 2:
            if first > old[2 * side]:
                first -= 1
            if last - first < 2 and last < old[2 * side + 1]:
                last += 1
        sides += [first, last]
    return sides[0], sides[1], sides[2], sides[3]


def perft(position: Position, depth: int) -> int:
    """How many sequences of so many moves there are."""
    if len(living(position.pawns)) == 1:
        return 0
    found = moves(position) or [None]
    return len(found) if depth == 1 else sum(perft(after(position, move), depth - 1) for move in found)


def points(position: Position, player: str, evaluation: str) -> int:
    """A player's points by an evaluation, before they are divided by all points."""
    own = [pawn for pawn in position.pawns if pawn.player == player]
    if not own:
        return 0
    roles = [role(pawn) for pawn in own]
    worth = sum({"knight": 1, "bishop": 2, "rook": 3, "queen": 5}[each] for each in roles)
    rows, columns = [pawn.place[0] for pawn in own], [pawn.place[1] for pawn in own]
    first_row, last_row, first_column, last_column = position.limits
    return {
        "roles": 100 * len(own) + worth,
        "pawns": len(own),
        "few-roles": 10 * len(own) + worth,
        "moves": 100 * len(own) + len(moves(position._replace(turn=player))),
        "size": 100 * len(own) + (last_row - first_row + 1) * (last_column - first_column + 1),
        "variety": 100 * len(own) + 10 * len(set(roles)),
        "spread": 100 * len(own) + (max(rows) - min(rows) + 1) + (max(columns) - min(columns) + 1),
    }[evaluation]
