"""What a game of Ganz schön clever looks like: points by area, results, and the numbers that a network reads."""

from __future__ import annotations

import numpy as np

from tichu_models.game import OVER, State
from tichu_models.games.clever.entries import BITS_OF_BONUS, ENDED, PLAYERS, ROLLS, SIDES
from tichu_models.games.clever.rules import mover
from tichu_models.games.clever.sheet import (
    BLUE,
    BOXES,
    CROSSES_IN_BLUE,
    CROSSES_IN_GREEN,
    GREEN,
    MOST,
    ORANGE,
    ROW,
    YELLOW,
    marks_of,
    yellow_points,
)
from tichu_models.kernels import inlined, inner

MOST_POINTS = 624  # all areas, and five foxes
MOST_ROUNDS, KINDS = 6, 8  # kinds of bonuses that are entered at once
FULL = np.array(MOST, dtype=np.float32)
A_LOT = 8.0  # rerolls, extra dice or foxes
# What `observe` writes, and how many numbers each.
PARTS = {
    "boxes": BOXES,
    "dice": 6 * SIDES,
    "pool": 6,
    "entered": 6,
    "used": 6,
    "phase": ENDED,
    "owed": KINDS,
    "above": SIDES,
    "round": MOST_ROUNDS,
    "roll": ROLLS,
    "rolling": 1,
    "kept": 3,
    "points": 5,
    "on turn": 1,
    "best of the others": 1,
}
OBSERVATION = sum(PARTS.values())


@inlined
def points_of(state: State, player: int, area: int) -> int:
    """The points that an area has by now."""
    marked = state.marked[player]
    if area == YELLOW:
        return yellow_points(marked)
    if area == BLUE:
        return CROSSES_IN_BLUE[marks_of(marked, BLUE)]
    if area == GREEN:
        return CROSSES_IN_GREEN[marks_of(marked, GREEN)]
    points, first = 0, ROW * (area - ORANGE)
    for i in range(first, first + ROW):
        points += state.written[player, i]
    return points


@inner
def score(state: State, player: int) -> int:
    """The points that a player has by now, foxes included."""
    total, lowest = 0, 1000
    for area in range(5):
        points = points_of(state, player, area)
        total += points
        lowest = min(lowest, points)
    return total + state.foxes[player] * lowest


@inlined
def own_points(state: State) -> int:
    """The points of who plays alone."""
    return score(state, 0)


@inlined
def refuse(state: State) -> None:
    """An action that is not legal changes nothing."""


@inlined
def takes_part(state: State, seat: int) -> bool:
    """Whether a seat plays."""
    return seat < state.players


@inner
def returns(state: State, vector: np.ndarray) -> None:
    """The points of each player."""
    for player in range(PLAYERS):
        vector[player] = 0.0
        if mover(state) == OVER and player < state.players:
            vector[player] = score(state, player)


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """What PARTS lists: bits for boxes, dice by number, sets of dice and what comes by one of several; the rest as
    shares of the most there can be."""
    for i in range(OBSERVATION):
        out[i] = 0.0
    marked, at = state.marked[seat], BOXES
    for box in range(BOXES):
        out[box] = np.float32(marked >> box & 1)
    for die in range(6):
        if state.dice[die]:
            out[at + SIDES * die + state.dice[die] - 1] = 1.0
        out[at + 6 * SIDES + die] = np.float32(state.pool >> die & 1)
        out[at + 6 * SIDES + 6 + die] = np.float32(state.entered >> die & 1)
        out[at + 6 * SIDES + 12 + die] = np.float32(state.used >> die & 1)
    at += 6 * SIDES + 18
    if state.phase < ENDED:
        out[at + state.phase] = 1.0
    at += ENDED
    if seat == state.turn:
        for kind in range(KINDS):
            out[at + kind] = min(1.0, (state.owed >> BITS_OF_BONUS * kind & 15) / 3.0)
    at += KINDS
    out[at + state.above[seat]] = 1.0
    at += SIDES
    out[at + state.rounds - 1] = 1.0
    at += MOST_ROUNDS
    if state.roll > 0:
        out[at + state.roll - 1] = 1.0
    at += ROLLS
    out[at] = state.rolling
    out[at + 1] = min(1.0, state.rerolls[seat] / A_LOT)
    out[at + 2] = min(1.0, state.extras[seat] / A_LOT)
    out[at + 3] = min(1.0, state.foxes[seat] / A_LOT)
    at += 4
    for area in range(5):
        out[at + area] = points_of(state, seat, area) / FULL[area]
    out[at + 5] = np.float32(seat == state.turn)
    best = 0
    for player in range(state.players):
        if player != seat:
            best = max(best, score(state, player))
    out[at + 6] = best / np.float32(MOST_POINTS)
