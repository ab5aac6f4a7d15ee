"""A player that looks one action ahead.

A template of a kernel: `tichu_models.game.bound` makes one for a game that has one function more: `worth`, how a
position looks to a seat by rules of thumb. It must read nothing that is hidden from the seat.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State, legal, mover, step


def worth(state: State, seat: int) -> float:
    """How a position looks to a seat: the higher, the better."""
    raise NotImplementedError


def choose_by_worth(states: np.ndarray, actions: np.ndarray) -> int:
    """The action in states[0] after which its mover stands best; the first of equals. `states` has room for two."""
    seat, n = mover(states[0]), legal(states[0], actions)
    chosen, best = actions[0], -np.inf
    if n > 1:
        for i in range(n):
            states[1] = states[0]
            step(states[1], actions[i])
            value = worth(states[1], seat)
            if value > best:
                chosen, best = actions[i], value
    return chosen
