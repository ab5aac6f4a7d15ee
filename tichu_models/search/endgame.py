"""Endgame solver: the exact value of a known deal when both teams play their best, by minimax with alpha-beta pruning.

The value is the points of team 20 less those of team 31, announcements included: team 20 maximises, team 31 minimises.
Feasible for the last dozen cards. The caller limits the positions; beyond the limit the answer is UNSOLVED.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, kernel
from tichu_models.rules.asking import BOMB_THROW, PLAY, POSITION, ROUND_OVER, Position, next_question, perform
from tichu_models.rules.cards import count
from tichu_models.rules.combinations import LENGTH_WEIGHT, cards_of, rank_of
from tichu_models.rules.legal import PLAYS
from tichu_models.search.position import QUESTIONS, choices, lead_of_team_20

MOST_DEPTH = 256
MOST_MOVES = 16384  # of all positions on the path
MOST_ANSWERS = 2048  # of one position; a hand has 1,674 plays at most
WORST = 1 << 20  # no round is won or lost by so many points
UNSOLVED = 1 << 30

# A position on the path from the root, and how far its answers have been searched.
FRAME = np.dtype(
    [
        ("position", POSITION),
        ("alpha", np.int64),
        ("beta", np.int64),
        ("best", np.int64),
        ("next", np.int64),  # place in `move` of the answer to be searched next
        ("end", np.int64),  # where its answers end, and those of the next frame begin
        ("maximises", np.int8),  # 1: team 20 is asked
    ],
    align=True,
)
SOLVING: np.dtype = np.dtype(
    [("frame", FRAME, MOST_DEPTH), ("move", np.int64, MOST_MOVES), ("plays", PLAYS), ("visited", np.int64)], align=True
)
Solving: TypeAlias = Any  # a record of SOLVING


@inlined
def _urgency(move: int) -> int:
    """Ranks answers: the more cards the higher, then the lower rank."""
    return LENGTH_WEIGHT * count(cards_of(move)) - rank_of(move)


@inlined
def _sort_moves(moves: np.ndarray, begin: int, end: int) -> None:
    """Sorts plays for the search: those with many cards first, of equals the lowest; the pass last."""
    for i in range(begin + 1, end):
        move = moves[i]
        urgency = _urgency(move)
        k = i - 1
        while k >= begin and _urgency(moves[k]) < urgency:
            moves[k + 1] = moves[k]
            k -= 1
        moves[k + 1] = move


@inlined
def _enter(scratch: Solving, depth: int, begin: int) -> bool:
    """Moves a frame's position on to the next choice and writes its answers from `begin` on; False if the round ends
    before there is one."""
    frame = scratch.frame[depth]
    position, plays = frame.position, scratch.plays
    while True:
        scratch.visited += 1
        kind = next_question(position, QUESTIONS, plays)
        if kind == ROUND_OVER:
            return False
        n = choices(position, plays)
        if n > 1:
            break
        perform(position, plays.move[0])
    for i in range(n):
        scratch.move[begin + i] = plays.move[i]
    if kind == PLAY or kind == BOMB_THROW:
        _sort_moves(scratch.move, begin, begin + n)
    frame.next, frame.end = begin, begin + n
    frame.maximises = position.seat & 1 == 0
    frame.best = -WORST if frame.maximises else WORST
    return True


@kernel
def solve(position: Position, alpha: int, beta: int, limit: int, scratch: Solving) -> int:
    """The value of a position if it lies between alpha and beta, else a bound on its side of them; UNSOLVED if that
    takes more than `limit` positions."""
    frames = scratch.frame
    scratch.visited = 0
    frames[0].position = position
    frames[0].alpha, frames[0].beta = alpha, beta
    if not _enter(scratch, 0, 0):
        return lead_of_team_20(frames[0].position.state)
    depth = 0
    while True:
        frame = frames[depth]
        if frame.next < frame.end and frame.alpha < frame.beta:
            if scratch.visited > limit or depth + 1 >= MOST_DEPTH or frame.end + MOST_ANSWERS > MOST_MOVES:
                return UNSOLVED
            below = frames[depth + 1]
            below.position = frame.position
            below.alpha, below.beta = frame.alpha, frame.beta
            perform(below.position, scratch.move[frame.next])
            frame.next += 1
            if _enter(scratch, depth + 1, frame.end):
                depth += 1
                continue
            value = lead_of_team_20(below.position.state)
        else:
            if depth == 0:
                return frame.best
            value = frame.best
            depth -= 1
            frame = frames[depth]
        if frame.maximises:
            frame.best = max(frame.best, value)
            frame.alpha = max(frame.alpha, value)
        else:
            frame.best = min(frame.best, value)
            frame.beta = min(frame.beta, value)
