"""Many games for one player in lock-step, whose actions a network chooses by the positions that follow.

Templates of kernels: `tichu_models.game.bound` makes them for a game that has two functions more. `points` are those
of a state so far, 0 at the beginning and the score at the end; `take_key` gives it other chances. An afterstate is the
position after an action, before chance acts; it is worth its points and what the network thinks is still to come.

A step of all games is `expand`, one run of the network over all rows that it writes, and `advance`. Actions without a
choice are made at once and have no rows.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import Key, draw, draw_below, draw_unit
from tichu_models.game import CHANCE, OVER, State, begin, chance, features, legal, mover, step
from tichu_models.kernels import kernel


def points(state: State) -> int:
    """The points of the only player so far."""
    raise NotImplementedError


def take_key(state: State, key: Key) -> None:
    """Makes chance act by another key from now on."""
    raise NotImplementedError


def to_choice(state: State, actions: np.ndarray, made: np.ndarray, game: int) -> int:
    """Lets chance act and makes actions without a choice, which are counted in `made`; returns how many are legal then,
    0 if the game is over."""
    while mover(state) != OVER:
        if mover(state) == CHANCE:
            chance(state)
            continue
        n = legal(state, actions)
        if n > 1:
            return n
        step(state, actions[0])
        made[game] += 1
    return 0


def begin_choices(
    states: np.ndarray, options: np.ndarray, keys: np.ndarray, actions: np.ndarray, made: np.ndarray
) -> None:
    """Begins a game for each key, up to its first choice. `made` counts the actions of each."""
    for i in range(len(states)):
        begin(states[i], options, keys[i])
        made[i] = 0
        to_choice(states[i], actions, made, i)


def expand(
    states: np.ndarray,
    after: np.ndarray,
    actions: np.ndarray,
    active: np.ndarray,
    one: int,
    counts: np.ndarray,
    codes: np.ndarray,
    so_far: np.ndarray,
    final: np.ndarray,
    inputs: np.ndarray,
) -> int:
    """Writes a row for every afterstate of every game that goes on, and returns how many: the action, the points,
    whether the game is over then, and its inputs, where each that is 1 is written as `one`. `counts` are the rows of
    each game; `after` has room for a state."""
    rows = 0
    for i in range(len(states)):
        counts[i] = 0
        if mover(states[i]) == OVER:
            continue
        counts[i] = legal(states[i], actions)
        for k in range(counts[i]):
            after[0] = states[i]
            step(after[0], actions[k])
            codes[rows], so_far[rows], final[rows] = actions[k], points(after[0]), mover(after[0]) == OVER
            inputs[rows] = 0
            if not final[rows]:
                for j in range(features(after[0], active)):
                    inputs[rows, active[j]] = one
            rows += 1
    return rows


def advance(
    states: np.ndarray,
    actions: np.ndarray,
    counts: np.ndarray,
    codes: np.ndarray,
    totals: np.ndarray,
    epsilon: float,
    key: Key,
    chosen: np.ndarray,
    best: np.ndarray,
    explored: np.ndarray,
    made: np.ndarray,
) -> int:
    """Makes in each game the action with the highest total, the first of equals, or with probability `epsilon` a random
    one, and goes on to the next choice. Notes the row of the action, the highest total, and whether the action was
    random; in games that were over before, -1. Returns how many were not."""
    at, played = 0, 0
    for i in range(len(states)):
        chosen[i], best[i], explored[i] = -1, 0.0, False
        if counts[i] == 0:
            continue
        row = at
        for k in range(at + 1, at + counts[i]):
            if totals[k] > totals[row]:
                row = k
        best[i] = totals[row]
        if epsilon > 0 and draw_unit(key, 2 * i) < epsilon:
            explored[i] = True
            row = at + draw_below(key, 2 * i + 1, counts[i])
        chosen[i] = row
        step(states[i], codes[row])
        made[i] += 1
        to_choice(states[i], actions, made, i)
        at += counts[i]
        played += 1
    return played


def roll_ahead(
    states: np.ndarray,
    games: np.ndarray,
    codes: np.ndarray,
    rolls: int,
    key: Key,
    actions: np.ndarray,
    ahead: np.ndarray,
    so_far: np.ndarray,
    made: np.ndarray,
) -> None:
    """For each of some actions, each with the row of its game, writes as many states as `rolls`: the next choice, or
    the end, that it leads to by chances of its own. All actions of a game meet the same chances, none of them those
    that the game will have. `so_far` are the points there."""
    at = 0
    for i in range(len(games)):
        of_game = np.uint64(draw(key, games[i]))
        for roll in range(rolls):
            ahead[at] = states[games[i]]
            take_key(ahead[at], np.uint64(draw(of_game, roll)))
            step(ahead[at], codes[i])
            to_choice(ahead[at], actions, made, at)
            so_far[at] = points(ahead[at])
            at += 1


@kernel
def candidates(counts: np.ndarray, totals: np.ndarray, width: int, margin: float, rows: np.ndarray) -> int:
    """Writes the rows of the best actions of each game, `width` at most and no worse than the best by more than the
    margin, if there are several such; returns how many rows."""
    n, at = 0, 0
    for i in range(len(counts)):
        end, first = at + counts[i], n
        for _ in range(min(width, counts[i])):
            best = -1
            for k in range(at, end):
                taken = False
                for j in range(first, n):
                    taken = taken or rows[j] == k
                if not taken and (best < 0 or totals[k] > totals[best]):
                    best = k
            if n > first and totals[best] < totals[rows[first]] - margin:
                break
            rows[n] = best
            n += 1
        if n == first + 1:
            n = first
        at = end
    return n


@kernel
def lambda_totals(
    best: np.ndarray, explored: np.ndarray, lengths: np.ndarray, scores: np.ndarray, weight: float, totals: np.ndarray
) -> None:
    """The lambda-returns of the afterstates that were chosen, as totals of the whole game: a row for each choice, a
    column for each game, which has so many choices.

    The last one's is the score. An earlier one's is the mean, by lambda as `weight`, of the next one's and of the
    highest total that was seen there; after a random action only the latter counts.
    """
    for i in range(len(lengths)):
        ahead = np.float64(scores[i])
        for k in range(lengths[i] - 1, -1, -1):
            totals[k, i] = ahead
            ahead = best[k, i] if explored[k, i] else weight * ahead + (1 - weight) * best[k, i]
