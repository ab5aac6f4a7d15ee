"""Masked PPO for games for one player. Without a mask every action is an answer, and an illegal one costs what the
environment says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tichu_models.algorithms.afterstate_player import UNIT
from tichu_models.algorithms.arrays import fill
from tichu_models.algorithms.masked_policy import PlayedGames, play_games
from tichu_models.algorithms.masked_ppo import MaskedPPO, PPOSettings
from tichu_models.algorithms.solo_batch import SoloBatch, drawn_keys
from tichu_models.algorithms.student import generator_of
from tichu_models.game import Game


@dataclass(frozen=True)
class SoloPPOSettings(PPOSettings):
    """How a policy learns to play alone."""

    mask: bool = True
    penalty: float = 0.0  # points that an illegal action costs


class SoloWorld:
    """Games for one player, always going on: where one has ended, the next one begins."""

    unit = UNIT

    def __init__(self, game: Game, options: np.ndarray, actions: int, settings: SoloPPOSettings) -> None:
        self.inputs, self.actions = game.observation, actions
        self.batch = SoloBatch(game, options, settings.games, actions, settings.penalty)
        self.batch.begin(drawn_keys(generator_of(settings.seed), settings.games))
        self._all = None if settings.mask else np.ones_like(self.batch.masks)
        self._scores, self._over = np.zeros(settings.games), list[np.ndarray]()

    @property
    def seen(self) -> np.ndarray:
        """What the players see."""
        return self.batch.observations

    @property
    def masks(self) -> np.ndarray:
        """The legal actions, or all."""
        return self.batch.masks if self._all is None else self._all

    def step(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Makes an action in each game."""
        batch = self.batch
        batch.step(chosen, again=True)
        self._scores += batch.rewards
        self._over.append(np.stack((self._scores[batch.ended], batch.invalid[batch.ended])))
        self._scores[batch.ended], batch.invalid[batch.ended] = 0.0, 0
        return batch.rewards, (~batch.ended).astype(np.float32)

    def figures(self) -> dict[str, float]:
        """Games, their mean score, and actions that were not legal."""
        scores, invalid = np.concatenate([np.zeros((2, 0)), *self._over], axis=1)
        self._over.clear()
        means = {"score": float(scores.mean()), "invalid": float(invalid.mean())} if len(scores) else {}
        return {"games": float(len(scores)), **means}

    def arrays(self) -> dict[str, np.ndarray]:
        """The games that go on, by name."""
        batch = self.batch
        return {
            "states": batch.states.view(np.uint8).reshape(len(batch.states), -1),
            "keys": batch.keys.view(np.int64),
            "seen": batch.observations,
            "masks": batch.masks,
            "invalid": batch.invalid,
            "scores": self._scores,
        }

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Goes on with these games."""
        fill(self.arrays(), arrays)


class SoloPPO(MaskedPPO):
    """A training of a policy that plays alone."""

    def __init__(self, game: Game, options: np.ndarray, actions: int, settings: SoloPPOSettings) -> None:
        super().__init__(SoloWorld(game, options, actions, settings), settings)
        self._game, self._options, self._of_solo = game, options, settings

    def evaluate(self, keys: np.ndarray) -> PlayedGames:
        """A game for each key, by the likeliest actions."""
        settings = self._of_solo
        asked = (self._game, self._options, self.policy.ask, self.world.actions, keys)
        return play_games(*asked, mask=settings.mask, penalty=settings.penalty)
