"""Games for one player that `solo` steps together, and the arrays that its kernels write."""

from __future__ import annotations

import numpy as np

from tichu_models.chance import Key, fill
from tichu_models.game import Game


def keys_of(key: Key, number: int) -> np.ndarray:
    """Keys of so many games, the same for the same key."""
    keys = np.empty(number, dtype=np.uint64)
    fill(key, keys)
    return keys


def drawn_keys(generator: np.random.Generator, number: int) -> np.ndarray:
    """Keys of so many games."""
    return generator.integers(0, 1 << 64, size=number, dtype=np.uint64)


class SoloBatch:
    """Games of one kind. `actions` is how many a mask has; `penalty` are the points that an illegal action costs."""

    def __init__(self, of: Game, options: np.ndarray, number: int, actions: int, penalty: float = 0.0) -> None:
        if len(of.seats_of(options)) != 1:
            raise ValueError(f"{of.name}: expected a game for one player")
        self.of, self.options, self.penalty = of, options, penalty
        self.states = np.zeros(number, dtype=of.state).view(np.recarray)
        self.keys = np.zeros(number, dtype=np.uint64)
        self.legal = np.zeros(of.most_actions, dtype=np.int16)
        self.observations = np.zeros((number, of.observation), dtype=np.float32)
        self.masks = np.zeros((number, actions), dtype=np.int8)
        self.rewards = np.zeros(number)
        self.ended, self.invalid = np.zeros(number, dtype=np.bool_), np.zeros(number, dtype=np.int64)

    def _shared(self) -> tuple[np.ndarray, ...]:
        return self.states, self.options, self.keys, self.legal, self.observations, self.masks

    def begin(self, keys: np.ndarray) -> None:
        """Begins all games with new keys."""
        self.keys[:] = keys
        self.invalid[:] = 0
        self.of.algorithms["begin_all"](*self._shared())

    def step(self, chosen: np.ndarray, again: bool) -> None:
        """Makes an action in each game."""
        step = self.of.algorithms["step_all"]
        step(*self._shared(), chosen, self.penalty, again, self.rewards, self.ended, self.invalid)
