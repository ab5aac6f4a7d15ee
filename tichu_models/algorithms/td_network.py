"""The network of `td` for Python: its weights, training with a budget, choosing a move, and its file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tichu_models.chance import draw
from tichu_models.game import MOST_SEATS, Game, State
from tichu_models.whole_files import write_whole

VERSION = 1
BATCH = 20  # games between two looks at the clock


class WeightsError(Exception):
    """A file that has no weights for this game."""


@dataclass(frozen=True)
class TDSettings:
    """How a network learns. `rate` and `epsilon` fall to a tenth and to 0 over the budget."""

    hidden: int = 160
    rate: float = 0.05
    trace: float = 0.7  # lambda
    epsilon: float = 0.1
    limit: int = 1000  # games of more moves are not learned from
    seed: int = 1


class TDNetwork:
    """Weights for one game, and the memory that its kernels need."""

    def __init__(self, game: Game, hidden: int, seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        spread = np.sqrt(2 / game.most_active)
        self.game, self.games = game, 0
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
    def _weights(self) -> tuple[np.ndarray, ...]:
        return self.first, self.bias, self.second, self.last

    def choose(self, state: State) -> int:
        """The action after which the mover stands best."""
        self._states[0] = state
        choose = self.game.algorithms["choose_afterstate"]
        scratch = (self._hidden, self._values, self._result)
        return int(choose(self._states, self._actions, self._active, *self._weights, *scratch))

    def train(
        self,
        options: np.ndarray,
        settings: TDSettings,
        games: int | None,
        seconds: float | None,
        report: Callable[[int, float], None] = lambda *_: None,
    ) -> None:
        """Plays with itself until it has had so many games, or so many seconds. `report` gets the games so far and the
        share of the budget that is used."""
        if games is None and seconds is None:
            raise ValueError("expected a number of games, or of seconds")
        moves, began, done = settings.limit, time.monotonic(), 0
        rows = (
            np.zeros((moves, self.game.most_active), dtype=np.int16),
            np.zeros(moves, dtype=np.int64),
            np.zeros((moves, MOST_SEATS)),
            np.zeros(moves, dtype=np.int64),
            np.zeros(moves, dtype=np.bool_),
        )
        while True:
            parts = [] if games is None else [done / games]
            if seconds is not None:
                parts.append((time.monotonic() - began) / seconds)
            used = max(parts)
            if used >= 1:
                return
            batch = BATCH if games is None else min(BATCH, games - done)
            self.game.algorithms["learn_games"](
                *(self._states, options, np.uint64(draw(np.uint64(settings.seed), self.games)), batch, moves),
                *(settings.epsilon * (1 - used), settings.rate * (1 - 0.9 * used), settings.trace, self._actions),
                *(*rows, self._active, *self._weights),
                *(self._hidden, self._values, self._slopes, self._result, self._target),
            )
            done += batch
            self.games += batch
            report(self.games, used)

    def save(self, path: Path, settings: TDSettings) -> None:
        """Writes the weights, with what they were made by."""
        from safetensors.numpy import save

        about = {"version": VERSION, "game": self.game.name, "games": self.games, "settings": asdict(settings)}
        names = ("first", "bias", "second", "last")
        data = save(dict(zip(names, self._weights, strict=True)), {"about": json.dumps(about)})
        write_whole(path, data)

    @classmethod
    def load(cls, game: Game, path: Path) -> TDNetwork:
        """Reads the weights for a game."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = json.loads((file.metadata() or {}).get("about", "{}"))
                if (about.get("version"), about.get("game")) != (VERSION, game.name):
                    raise WeightsError(f"{path}: no weights of version {VERSION} for {game.name}")
                network = cls(game, len(file.get_tensor("bias")))
                for name, weights in zip(("first", "bias", "second", "last"), network._weights, strict=True):
                    weights[...] = file.get_tensor(name)
        except (OSError, SafetensorError, ValueError) as error:
            raise WeightsError(f"{path}: {error}") from error
        network.games = int(about["games"])
        return network
