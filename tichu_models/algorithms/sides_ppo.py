"""Masked PPO for games of two sides, with itself on both. What the other side expects of a position is turned over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tichu_models.algorithms.lockstep_batch import LockstepBatch
from tichu_models.algorithms.masked_ppo import MaskedPPO, PPOSettings
from tichu_models.algorithms.solo_batch import drawn_keys
from tichu_models.algorithms.student import generator_of
from tichu_models.game import Game


@dataclass(frozen=True)
class SidesPPOSettings(PPOSettings):
    """How a policy learns to play against itself."""

    opening: int = 8  # random actions at the beginning of a game, at most
    opened: float = 0.0  # share of the training at its beginning in which all hands are open


class SidesWorld:
    """Games of two sides, always going on: where one has ended, the next one begins. The last action of a game brings
    its side 1 if it has won, -1 if it has lost."""

    unit = 1.0

    def __init__(self, game: Game, options: np.ndarray, settings: SidesPPOSettings) -> None:
        self._options, self._seed, self._is_open = options, settings.seed, settings.opened > 0
        of_first = game.opened(options) if self._is_open else options
        self.batch = LockstepBatch(game, of_first, settings.games, settings.opening)
        self.batch.begin(drawn_keys(generator_of(settings.seed), settings.games))
        self.inputs, self.actions = self.batch.inputs, game.actions
        self._ended, self._steps = 0, 0

    @property
    def seen(self) -> np.ndarray:
        """What the movers see."""
        return self.batch.seen.astype(np.float32)

    @property
    def masks(self) -> np.ndarray:
        """The legal actions."""
        return self.batch.masks

    def close(self) -> None:
        """Begins games with hidden hands, if they were open until now."""
        if self._is_open:
            self._is_open, self.batch.options = False, self._options
            self.batch.begin(drawn_keys(generator_of(self._seed, 0, 1), len(self.batch.states)))

    def step(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Makes an action in each game."""
        self.batch.step(chosen)
        self._ended += int((self.batch.relations == 0).sum())
        self._steps += len(chosen)
        return self.batch.rewards, self.batch.relations

    def figures(self) -> dict[str, float]:
        """Games, and about how many actions one had."""
        found = {"games": float(self._ended), **({"length": self._steps / self._ended} if self._ended else {})}
        self._ended = self._steps = 0
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        """The games that go on, by name."""
        return {**self.batch.arrays(), "is_open": np.array(self._is_open)}

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Goes on with these games."""
        self.batch.load({name: array for name, array in arrays.items() if name != "is_open"})
        self._is_open = bool(arrays.get("is_open", False))  # which older runs do not say
        if not self._is_open:
            self.batch.options = self._options


class SidesPPO(MaskedPPO):
    """A training of a policy that plays both sides."""

    def __init__(self, game: Game, options: np.ndarray, settings: SidesPPOSettings) -> None:
        self._games, self._opened = SidesWorld(game, options, settings), settings.opened
        super().__init__(self._games, settings)

    def iterate(self, share: float) -> dict[str, float]:
        """Likewise; from some share of the training on with hidden hands."""
        if share >= self._opened:
            self._games.close()
        return super().iterate(share)
