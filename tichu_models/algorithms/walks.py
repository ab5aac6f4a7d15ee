"""Whole games and game trees without thought: perft, and games of random actions.

Templates of kernels: `tichu_models.game.bound` makes one for each game.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.game import CHANCE, OVER, State, begin, chance, count, legal, mover, returns, step


def perft(states: np.ndarray, actions: np.ndarray, place: np.ndarray, depth: int) -> int:
    """How many sequences of `depth` actions begin in states[0]; shorter ones, to the end of the game, do not count.

    `states` has room for `depth` states, `actions` (int16) a row and `place` (int64, 2 columns) a row for each.
    """
    if mover(states[0]) == OVER:
        return 0
    total, ply = 0, 0
    if depth == 1:
        return count(states[0])
    place[0, 0], place[0, 1] = 0, legal(states[0], actions[0])
    while ply >= 0:
        at = place[ply, 0]
        if at == place[ply, 1]:
            ply -= 1
            continue
        place[ply, 0] = at + 1
        states[ply + 1] = states[ply]
        child = states[ply + 1]
        step(child, actions[ply, at])
        if mover(child) == OVER:
            continue
        if ply + 2 == depth:
            total += count(child)
        else:
            ply += 1
            place[ply, 0], place[ply, 1] = 0, legal(child, actions[ply])
    return total


def play_random(
    state: State,
    options: np.ndarray,
    key: np.uint64,
    bound: int,
    actions: np.ndarray,
    made: np.ndarray,
    widths: np.ndarray,
) -> int:
    """A game of random actions, until it is over or has had `bound` of them; returns how many. Notes the actions in
    `made`, and how many were legal each time in `widths`."""
    begin(state, options, key)
    choices = draw(key, 1)
    n = 0
    while n < bound:
        who = mover(state)
        if who == OVER:
            break
        if who == CHANCE:
            chance(state)
            continue
        widths[n] = legal(state, actions)
        made[n] = actions[draw_below(choices, n, widths[n])]
        step(state, made[n])
        n += 1
    return n


def play_random_games(
    state: State,
    options: np.ndarray,
    key: np.uint64,
    bound: int,
    actions: np.ndarray,
    made: np.ndarray,
    widths: np.ndarray,
    lengths: np.ndarray,
    choices: np.ndarray,
    results: np.ndarray,
) -> None:
    """Games of random actions, one for each row: how many actions each had, how many were legal at each of them
    together, and what each seat won. `play_random` is the game's."""
    for i in range(len(lengths)):
        n = play_random(state, options, draw(key, i), bound, actions, made, widths)
        lengths[i], choices[i] = n, widths[:n].sum()
        returns(state, results[i])
