"""Simple players of Ganz schön clever, alone: one by chance, one who looks an action ahead. Others are held against
them.

None of them passes while there is something else to do. By chance every other action is as likely as the next, a reroll
too. The greedy one rolls again only if nothing fits; it takes the action after which the points and what WORTH says are
highest, of equal ones the first.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.clever.entries import AGAIN, PASS, ROLLS
from tichu_models.games.clever.rules import begin, legal, mover, step
from tichu_models.games.clever.sheet import BLUE, GREEN, marks_of
from tichu_models.games.clever.turns import chance
from tichu_models.games.clever.views import points_of, score
from tichu_models.kernels import inlined, inner, kernel, ones

# In points: dice that can be rolled again, crosses in blue and green, bonuses to enter, extra dice, foxes.
WORTH = np.array([8.0, 14.0, 7.0, 12.0, 4.0, 3.0])
NO_WORTH = np.zeros(len(WORTH))


@inner
def worth(state: State, player: int, weights: np.ndarray) -> float:
    """How a sheet stands: its points without foxes, and what these weights say."""
    value = 0.0
    for area in range(5):
        value += points_of(state, player, area)
    if state.roll < ROLLS:
        value += weights[0] * ones(np.int64(state.pool))
    marked, owed = state.marked[player], state.owed
    value += weights[1] * marks_of(marked, BLUE) + weights[2] * marks_of(marked, GREEN)
    while owed:
        value += weights[3] * (owed & 15)
        owed >>= 4
    return value + weights[4] * state.extras[player] + weights[5] * state.foxes[player]


@inlined
def _greedy(states: np.ndarray, actions: np.ndarray, n: int, weights: np.ndarray) -> int:
    best, found = -1.0, actions[0]
    for i in range(n):
        states[1] = states[0]
        step(states[1], actions[i])
        value = worth(states[1], states[0].turn, weights)
        if value > best:
            best, found = value, actions[i]
    return found


@kernel
def play_simple_games(
    states: np.ndarray,
    options: np.ndarray,
    key: np.uint64,
    weights: np.ndarray,
    by_chance: bool,
    actions: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Plays a game for each of the scores; returns how many actions they had. `states` has room for two."""
    state, total = states[0], 0
    for game in range(len(scores)):
        begin(state, options, draw(key, game))
        choices = draw(draw(key, game), -1)
        while mover(state) != OVER:
            if mover(state) == CHANCE:
                chance(state)
                continue
            n = legal(state, actions)
            if n > 1 and actions[n - 1] == PASS:
                n -= 1
            if by_chance:
                step(state, actions[draw_below(choices, total, n)])
            else:
                if n > 1 and actions[n - 1] == AGAIN:
                    n -= 1
                elif n > 1 and actions[0] == AGAIN:  # nothing fits
                    n = 1
                step(state, _greedy(states, actions, n, weights))
            total += 1
        scores[game] = score(state, 0)
    return total
