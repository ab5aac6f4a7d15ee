"""The network of `td` for Python: its weights, learning from games with itself, and choosing a move."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tichu_models.algorithms.td import ITSELF
from tichu_models.chance import Key
from tichu_models.game import MOST_SEATS, Game, State

DEFAULT = ("attacks", "relu")
SPREAD = 24  # inputs that are 1 at a time, more or less


class TDKernels(NamedTuple):
    """The kernels of `td` for a game, an encoding of its positions and an activation."""

    inputs: int  # how many there are
    most_active: int  # how many can be 1 at once
    choose_afterstate: Any
    learn_games: Any
    # Searches with the network in the place of the game's evaluation, where the game has them.
    search_maxn: Any
    search_expectimax: Any = None


class TDNetwork:
    """Weights for one game, and the memory that its kernels need. `kind`: encoding and activation."""

    def __init__(self, game: Game, hidden: int, seed: int = 1, kind: tuple[str, str] = DEFAULT) -> None:
        random = np.random.default_rng(seed)
        self.game, self._kernels = game, game.algorithms["td"][kind]
        shape = (self._kernels.inputs, hidden)
        self.first = (random.standard_normal(shape) * np.sqrt(2 / SPREAD)).astype(np.float32)
        self.bias = np.zeros(hidden, dtype=np.float32)
        self.second = np.zeros((MOST_SEATS, hidden), dtype=np.float32)
        self.last = np.zeros(MOST_SEATS, dtype=np.float32)
        self._states = np.zeros(2, dtype=game.state)
        self._actions = np.zeros(game.most_actions, dtype=np.int16)
        self._active = np.zeros(self._kernels.most_active, dtype=np.int16)
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
        choose = self._kernels.choose_afterstate
        scratch = (self._hidden, self._values, self._result)
        return int(choose(self._states, self._actions, self._active, *self.weights.values(), *scratch))

    @property
    def search_kernel(self) -> Any:
        """MaxN with the network as its evaluation, whose kind is `as_evaluation`."""
        return self._kernels.search_maxn

    @property
    def expectimax_kernel(self) -> Any:
        """Likewise expectimax; None where the game has none."""
        return self._kernels.search_expectimax

    @property
    def as_evaluation(self) -> tuple[np.ndarray, ...]:
        """The network as kernels of searches take it."""
        return self._active, *self.weights.values(), self._hidden, self._values, self._result

    def learn(
        self,
        options: np.ndarray,
        key: Key,
        games: int,
        epsilon: float,
        rate: float,
        trace: float,
        limit: int,
        guided: int = 0,
        rival: int = ITSELF,
    ) -> int:
        """Plays games with itself or a rival, the first `guided` of them by rules of thumb, and learns from each when
        it is over, unless it has had more moves than the limit. Returns the number of moves."""
        rows = (
            np.zeros((limit, self._kernels.most_active), dtype=np.int16),
            np.zeros(limit, dtype=np.int64),
            np.zeros((limit, MOST_SEATS)),
            np.zeros(limit, dtype=np.int64),
            np.zeros(limit, dtype=np.bool_),
        )
        return int(
            self._kernels.learn_games(
                *(self._states, options, key, games, guided, rival, limit, epsilon, rate, trace, self._actions),
                *(*rows, self._active, *self.weights.values()),
                *(self._hidden, self._values, self._slopes, self._result, self._target),
            )
        )
