"""Expectimax for any number of seats: every seat chooses what is best for itself, and chance is averaged.

A template of a kernel: `tichu_models.game.bound` makes one for a game that has three functions more: how many outcomes
chance has in a state, how likely each is, as whole numbers, and a way to let one happen.

A position has a value for each seat, as in MaxN (`maxn`). Depth counts actions: between two of them all outcomes of
chance are tried, and their values averaged; below the last action the position is judged before chance acts. Averages
are rounded down to whole numbers, so that equal values stay equal.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import CHANCE, MOST_SEATS, ONE, OVER, State, evaluate, legal, mover, step

MOST_DEPTH = 4
MOST_FRAMES = 2 * MOST_DEPTH + 1  # chance may act before every action
LOWEST = -(MOST_SEATS + 1) * ONE  # below every value

FRAME = np.dtype(
    [
        ("values", np.int64, MOST_SEATS),  # of the best action so far, or the sum of the outcomes so far
        ("mover", np.int64),  # who chooses, or CHANCE
        ("count", np.int64),  # how many actions or outcomes there are
        ("next", np.int64),  # the one to be tried next
        ("chosen", np.int64),  # the best action, or the odds of all outcomes so far
        ("weight", np.int64),  # the odds of the outcome that is being tried
    ],
    align=True,
)


def outcomes(state: State) -> int:
    """How many outcomes chance has."""
    raise NotImplementedError


def odds(state: State, outcome: int) -> int:
    """How likely an outcome is beside the others; their sum is below 2**20."""
    raise NotImplementedError


def let_happen(state: State, outcome: int) -> None:
    """Lets chance have an outcome."""
    raise NotImplementedError


def search_expectimax(
    states: np.ndarray, actions: np.ndarray, frames: np.ndarray, values: np.ndarray, depth: int, kind: int
) -> int:
    """Searches from states[0], in which a seat acts, `depth` actions deep; returns the best action. Its values are in
    frames[0]. `kind` is that of the evaluation; states, actions and frames have a row for each frame."""
    ply, made, enter = 0, 0, True
    while True:
        frame = frames[ply]
        if enter:
            state = states[ply]
            frame.mover, frame.next, frame.chosen = mover(state), 0, 0
            by_chance = frame.mover == CHANCE
            for seat in range(MOST_SEATS):
                frame.values[seat] = 0 if by_chance else LOWEST
            frame.count = outcomes(state) if by_chance else legal(state, actions[ply])
            enter = False
        by_chance = frame.mover == CHANCE
        if frame.next == frame.count:
            if ply == 0:
                return frame.chosen
            for seat in range(MOST_SEATS):
                values[seat] = frame.values[seat] // frame.chosen if by_chance else frame.values[seat]
            ply -= 1
            frame = frames[ply]
            by_chance = frame.mover == CHANCE
            made -= not by_chance
        else:
            states[ply + 1] = states[ply]
            child = states[ply + 1]
            if by_chance:
                frame.weight = odds(states[ply], frame.next)
                let_happen(child, frame.next)
            else:
                step(child, actions[ply, frame.next])
            frame.next += 1
            who = mover(child)
            if who != OVER and (by_chance or made + 1 < depth):
                ply += 1
                made += not by_chance
                enter = True
                continue
            evaluate(child, kind, values)
        # An action or an outcome of this frame has these values.
        if by_chance:
            frame.chosen += frame.weight
            for seat in range(MOST_SEATS):
                frame.values[seat] += frame.weight * values[seat]
        elif values[frame.mover] > frame.values[frame.mover]:
            frame.chosen = actions[ply, frame.next - 1]
            for seat in range(MOST_SEATS):
                frame.values[seat] = values[seat]
