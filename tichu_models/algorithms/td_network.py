"""The network of `td` for Python: its weights, learning from games with itself, and choosing a move."""

from __future__ import annotations

import numpy as np

from tichu_models.chance import Key
from tichu_models.game import MOST_SEATS, Game, State


class TDNetwork:
    """Weights for one game, and the memory that its kernels need."""

    def __init__(self, game: Game, hidden: int, seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        spread = np.sqrt(2 / game.most_active)
        self.game = game
        self.first = (random.standard_normal((game.inputs, hidden)) * spread).astype(np.float32)
        self.bias = np.zeros(hidden, dtype=np.float32)
        self.second = np.zeros((MOST_SEATS, hidden), dtype=np.float32)
        self.last = np.zeros(MOST_SEATS, dtype=np.float32)
        self._states = np.zeros(2, dtype=game.state)
        self._actions = np.zeros(game.most_actions, dtype=np.int16)
        self._active = np.zeros(game.most_active, dtype=np.int16)
        self._hidden, self._slopes = np.zeros(hidden, dtype=np.float32), np.zeros(hidden, dtype=np.float32)
        self._values, self._target = np.zeros(MOST_SEATS, dtype=np.float32), np.zeros(MOST_SEATS, dtype=np.float32)
        self._result = np.zeros(MOST_SEATS)

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The weights by name; who writes into them changes the network."""
        return {"first": self.first, "bias": self.bias, "second": self.second, "last": self.last}

    def choose(self, state: State) -> int:
        """The action after which the mover stands best."""
        self._states[0] = state
        choose = self.game.algorithms["choose_afterstate"]
        scratch = (self._hidden, self._values, self._result)
        return int(choose(self._states, self._actions, self._active, *self.weights.values(), *scratch))

    def learn(
        self, options: np.ndarray, key: Key, games: int, epsilon: float, rate: float, trace: float, limit: int
    ) -> int:
        """Plays games with itself and learns from each when it is over, unless it has had more moves than the limit.
        Returns the number of moves."""
        rows = (
            np.zeros((limit, self.game.most_active), dtype=np.int16),
            np.zeros(limit, dtype=np.int64),
            np.zeros((limit, MOST_SEATS)),
            np.zeros(limit, dtype=np.int64),
            np.zeros(limit, dtype=np.bool_),
        )
        return int(
            self.game.algorithms["learn_games"](
                *(self._states, options, key, games, limit, epsilon, rate, trace, self._actions),
                *(*rows, self._active, *self.weights.values()),
                *(self._hidden, self._values, self._slopes, self._result, self._target),
            )
        )
