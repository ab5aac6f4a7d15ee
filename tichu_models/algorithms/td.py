"""TD(lambda) on afterstates: a network learns from games with itself how a position after a move will end. For games
without chance.

Templates of kernels: `tichu_models.game.bound` makes them for each game. Values are vectors, one number for each seat,
the probability to win. A position is a short list of active inputs (`features`), as its next mover sees it, so that the
first layer adds up a few rows. One hidden layer of ReLU, then a softmax over the seats, counted from the mover on.

After a game every afterstate but the last learns its lambda-return: the mean of later values and the result, whose
weights fall by lambda with each move. What comes before a random move does not learn from what comes after it.
"""

from __future__ import annotations

import math

import numpy as np

from tichu_models.chance import Key, draw, draw_below, draw_unit
from tichu_models.game import MOST_SEATS, OVER, begin, features, legal, mover, returns, step
from tichu_models.kernels import inner


@inner
def forward(
    active: np.ndarray,
    n: int,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
) -> None:
    """Writes the hidden numbers, and the probabilities of the seats from the mover on."""
    width = len(bias)
    for j in range(width):
        hidden[j] = bias[j]
    for i in range(n):
        row = first[active[i]]
        for j in range(width):
            hidden[j] += row[j]
    for j in range(width):
        hidden[j] = max(hidden[j], np.float32(0.0))
    highest = np.float32(-1e30)
    for seat in range(MOST_SEATS):
        row, score = second[seat], last[seat]
        for j in range(width):
            score += row[j] * hidden[j]
        values[seat] = score
        highest = max(highest, score)
    total = np.float32(0.0)
    for seat in range(MOST_SEATS):
        values[seat] = math.exp(values[seat] - highest)
        total += values[seat]
    for seat in range(MOST_SEATS):
        values[seat] /= total


@inner
def learn(
    active: np.ndarray,
    n: int,
    target: np.ndarray,
    rate: float,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
) -> None:
    """One step down the gradient of the cross-entropy between the target and the network's probabilities."""
    forward(active, n, first, bias, second, last, hidden, values)
    width, step_size = len(bias), np.float32(rate)
    for j in range(width):
        slopes[j] = np.float32(0.0)
    for seat in range(MOST_SEATS):
        row, error = second[seat], (values[seat] - target[seat]) * step_size
        for j in range(width):
            slopes[j] += error * row[j]
            row[j] -= error * hidden[j]
        last[seat] -= error
    for j in range(width):
        slopes[j] = slopes[j] if hidden[j] > 0 else np.float32(0.0)
        bias[j] -= slopes[j]
    for i in range(n):
        row = first[active[i]]
        for j in range(width):
            row[j] -= slopes[j]


def choose_afterstate(
    states: np.ndarray,
    actions: np.ndarray,
    active: np.ndarray,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
    result: np.ndarray,
) -> int:
    """The action of states[0] with the best afterstate for its mover, the first of equals. states[1] is scratch."""
    who = mover(states[0])
    n = legal(states[0], actions)
    best, chosen = -1.0, actions[0]  # a network that has run away gives no numbers that could be compared
    for i in range(n):
        states[1] = states[0]
        child = states[1]
        step(child, actions[i])
        if mover(child) == OVER:
            returns(child, result)
            value = result[who]
        else:
            forward(active, features(child, active), first, bias, second, last, hidden, values)
            value = np.float64(values[(who - mover(child)) % MOST_SEATS])
        if value > best:
            best, chosen = value, actions[i]
    return chosen


def learn_games(
    states: np.ndarray,
    options: np.ndarray,
    key: Key,
    games: int,
    bound: int,
    epsilon: float,
    rate: float,
    trace: float,
    actions: np.ndarray,
    seen: np.ndarray,
    counts: np.ndarray,
    past: np.ndarray,
    frames: np.ndarray,
    explored: np.ndarray,
    active: np.ndarray,
    first: np.ndarray,
    bias: np.ndarray,
    second: np.ndarray,
    last: np.ndarray,
    hidden: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
    result: np.ndarray,
    target: np.ndarray,
) -> int:
    """Plays games with itself, learns from each when it is over, and returns how many moves they had. Games of more
    than `bound` moves are not learned from. `seen`, `counts`, `past`, `frames` and `explored` have a row for each move
    of a game: inputs, how many, values of the seats, the next mover, and whether the move was random.
    `choose_afterstate` is the game's."""
    total = 0
    for game in range(games):
        game_key = np.uint64(draw(key, game))
        begin(states[0], options, game_key)
        n = 0
        while mover(states[0]) != OVER and n < bound:
            explored[n] = draw_unit(game_key, 2 * n + 1) < epsilon
            if explored[n]:
                found = legal(states[0], actions)
                step(states[0], actions[draw_below(game_key, 2 * n + 2, found)])
            else:
                step(
                    states[0],
                    choose_afterstate(states, actions, active, first, bias, second, last, hidden, values, result),
                )
            who = mover(states[0])
            if who != OVER:
                frames[n] = who
                counts[n] = features(states[0], seen[n])
                forward(seen[n], counts[n], first, bias, second, last, hidden, values)
                for seat in range(MOST_SEATS):
                    past[n, seat] = values[(seat - who) % MOST_SEATS]
            n += 1
        total += n
        if mover(states[0]) != OVER:
            continue
        returns(states[0], result)
        for at in range(n - 2, -1, -1):
            if explored[at + 1]:
                for seat in range(MOST_SEATS):
                    result[seat] = past[at, seat]
                continue
            for seat in range(MOST_SEATS):
                target[(seat - frames[at]) % MOST_SEATS] = result[seat]
                result[seat] = trace * result[seat] + (1 - trace) * past[at, seat]
            learn(seen[at], counts[at], target, rate, first, bias, second, last, hidden, values, slopes)
    return total
