"""TD(lambda) on afterstates: a network learns from games with itself how a position after a move will end. Where the
game has chance, that is the position before chance acts: what it does then is averaged by learning.

Templates of kernels: `tichu_models.game.bound` makes them for each game. Values are vectors, one number for each seat,
the probability to win. A position is a short list of active inputs (`features`), as its next mover sees it, so that the
first layer adds up a few rows (`td_layers`). Its outputs are counted from the mover on.

After a game every afterstate but the last learns its lambda-return: the mean of later values and the result, whose
weights fall by lambda with each move. What comes before a move by which the network explores does not learn from what
comes after it.

Some games may be played by rules of thumb instead: a network that knows nothing wanders about for thousands of moves,
and what it learns of players who come to an end is worth more to it. Or one seat is the network's, and all others are
those of a rival, who moves by chance or by rules of thumb; that is the world it learns, so all positions are learned.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.algorithms.td_layers import forward, learn
from tichu_models.chance import Key, draw, draw_below, draw_unit
from tichu_models.game import (
    CHANCE,
    MOST_SEATS,
    ONE,
    OVER,
    State,
    begin,
    chance,
    features,
    legal,
    mover,
    returns,
    step,
    takes_part,
)

Network: TypeAlias = Any  # inputs that are 1, the four weights, and memory: hidden numbers, probabilities, result
ITSELF, RANDOM, RULES = range(3)  # whom a network plays with
OF_LEARNER = -1  # the counter of a game's key that no move draws at
ALMOST_ONE = ONE * (1 - 2.0**-18)  # so that rounded probabilities never add up to more than ONE


def seen_by(state: State) -> int:
    """The seat from which inputs are seen and outputs are counted. A game puts its `mover` here, or with chance
    or hidden cards a function that knows the seat whatever happens next."""
    raise NotImplementedError


def guide(states: np.ndarray, actions: np.ndarray) -> int:
    """The action in states[0] by rules of thumb, as `greedy.choose_by_worth`."""
    raise NotImplementedError


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
    if n == 1:
        return actions[0]
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
            value = np.float64(values[(who - seen_by(child)) % MOST_SEATS])
        if value > best:
            best, chosen = value, actions[i]
    return chosen


def evaluate_by_network(state: State, network: Network, values: np.ndarray) -> None:
    """How each seat stands by a network, in the place of a game's `evaluate` in a search: its probability, as a share
    of ONE, and of a finished game what it brought."""
    active, first, bias, second, last, hidden, probabilities, result = network
    if mover(state) == OVER:
        returns(state, result)
        for seat in range(MOST_SEATS):
            values[seat] = np.int64(result[seat] * ONE)
        return
    forward(active, features(state, active), first, bias, second, last, hidden, probabilities)
    who = seen_by(state)
    for seat in range(MOST_SEATS):
        values[seat] = np.int64(np.float64(probabilities[(seat - who) % MOST_SEATS]) * ALMOST_ONE)


def seat_of_learner(state: State, key: Key) -> int:
    """One of the seats that take part, each as likely as the others."""
    playing = 0
    for seat in range(MOST_SEATS):
        playing += takes_part(state, seat)
    before = draw_below(key, OF_LEARNER, playing)
    for seat in range(MOST_SEATS):
        if takes_part(state, seat):
            if before == 0:
                return seat
            before -= 1
    return 0


def learn_games(
    states: np.ndarray,
    options: np.ndarray,
    key: Key,
    games: int,
    guided: int,
    rival: int,
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
    """Plays games, learns from each when it is over, and returns how many moves they had. Games of more than `bound`
    moves are not learned from. `seen`, `counts`, `past`, `frames` and `explored` have a row for each move of a game:
    inputs, how many, values of the seats, the next mover, and whether the network has moved by chance, to explore.
    The first `guided` games are played by rules of thumb; in the others all seats but one are the `rival`'s.
    `choose_afterstate` is the game's."""
    total = 0
    for game in range(games):
        game_key = np.uint64(draw(key, game))
        begin(states[0], options, np.uint64(draw(game_key, 0)))
        n, learner = 0, seat_of_learner(states[0], game_key)
        while mover(states[0]) != OVER and n < bound:
            if mover(states[0]) == CHANCE:
                chance(states[0])
                continue
            of_rival = rival != ITSELF and game >= guided and mover(states[0]) != learner
            explored[n] = not of_rival and draw_unit(game_key, 2 * n + 1) < epsilon
            if explored[n] or (of_rival and rival == RANDOM):
                found = legal(states[0], actions)
                step(states[0], actions[draw_below(game_key, 2 * n + 2, found)])
            elif of_rival or game < guided:
                step(states[0], guide(states, actions))
            else:
                step(
                    states[0],
                    choose_afterstate(states, actions, active, first, bias, second, last, hidden, values, result),
                )
            if mover(states[0]) != OVER:
                who = seen_by(states[0])
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
