"""Tic-tac-toe, solved: the worked example beside which larger games are described. Plain Python.

A board is a text of nine fields, X, O or a dot, row by row; X begins. Values are 1 where X wins with best play, -1
where O does, 0 for a draw.
"""

from __future__ import annotations

from functools import cache

EMPTY = "." * 9
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def mover(board: str) -> str:
    """Who moves next."""
    return "X" if board.count("X") == board.count("O") else "O"


def winner(board: str) -> str:
    """X or O if a line is full, else nothing."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return ""


def moves(board: str) -> list[str]:
    """The boards after each move; none when the game is over."""
    if winner(board):
        return []
    who = mover(board)
    return [board[:field] + who + board[field + 1 :] for field in range(9) if board[field] == "."]


@cache
def value(board: str) -> int:
    """What a board is worth to X with best play of both."""
    if won := winner(board):
        return 1 if won == "X" else -1
    following = [value(after) for after in moves(board)]
    if not following:
        return 0
    return max(following) if mover(board) == "X" else min(following)


@cache
def games(board: str = EMPTY) -> int:
    """How many games go on from a board."""
    return sum(map(games, moves(board))) or 1


def alike(board: str) -> str:
    """One of the boards that turning and mirroring make of a board, the same for all of them."""
    found = []
    for _ in range(4):
        board = "".join(board[3 * (2 - column) + row] for row in range(3) for column in range(3))
        found += [board, "".join(board[3 * row + 2 - column] for row in range(3) for column in range(3))]
    return min(found)


def plies(depth: int) -> list[list[str]]:
    """The boards after 0, 1, .. moves, each once for all that are alike."""
    levels = [[EMPTY]]
    for _ in range(depth):
        following = [alike(after) for board in levels[-1] for after in moves(board)]
        levels.append(list(dict.fromkeys(following)))
    return levels
