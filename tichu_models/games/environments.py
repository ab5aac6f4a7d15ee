"""Games for one player as environments of Gymnasium, alone and thousands at a time.

    gymnasium.make("tichu_models.games.environments:clever-v0")
    gymnasium.make_vec("tichu_models.games.environments:clever-prototype-v0", num_envs=4096, dice="4")

Actions of the full game are numbered from 0 to 246 as `games.clever.rules` says, those of the prototype are its 16
boxes. Rewards are points, so that those of a game add up to its score. `info["action_mask"]` says which actions are
legal, and `action_masks()` likewise, by which sb3-contrib asks. An illegal action costs the penalty; in the full game
it changes nothing, in the prototype the step is lost, which is also what happens if no box fits.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tichu_models.algorithms.solo_batch import SoloBatch, drawn_keys
from tichu_models.games.registry import game
from tichu_models.games.solo_actions import ACTIONS

LONGEST = 1_000  # actions, after which a game is broken off


def _batch(name: str, options: dict[str, str], number: int, penalty: float) -> SoloBatch:
    of = game(name)
    return SoloBatch(of, of.read_options(options), number, ACTIONS[name], penalty)


def _spaces(batch: SoloBatch) -> tuple[Box, Discrete]:
    """What is seen and what can be done in one game."""
    return Box(0.0, 1.0, (batch.of.observation,), np.float32), Discrete(ACTIONS[batch.of.name])


class SoloEnv(gymnasium.Env):
    """One game for one player."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - declared by the base

    def __init__(self, name: str, penalty: float = 0.0, render_mode: str | None = None, **options: str) -> None:
        self._batch = _batch(name, options, 1, penalty)
        self.observation_space, self.action_space = _spaces(self._batch)
        self.render_mode, self._steps = render_mode, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """A new game."""
        super().reset(seed=seed)
        self._batch.begin(drawn_keys(self.np_random, len(self._batch.keys)))
        self._steps = 0
        return self._batch.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Makes an action."""
        batch = self._batch
        if batch.ended[0] and self._steps:
            raise gymnasium.error.ResetNeeded("the game is over: reset comes first")
        batch.step(np.array([action], dtype=np.int64), again=False)
        self._steps += 1
        ended = bool(batch.ended[0])
        longest = not ended and self._steps >= LONGEST
        return batch.observations[0].copy(), float(batch.rewards[0]), ended, longest, self._info()

    def action_masks(self) -> np.ndarray:
        """Which actions are legal."""
        return self._batch.masks[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._batch.masks[0].copy(), "invalid": int(self._batch.invalid[0])}

    def render(self) -> str | None:
        """The game as text."""
        return self._batch.of.notation.text(self._batch.states[0]) if self.render_mode == "ansi" else None


class SoloVectorEnv(VectorEnv):
    """Many games for one player, which a kernel steps together. A game that ends begins anew in the same step;
    `info["score"]` has what it brought, where `info["_score"]` is true."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - declared by the base

    def __init__(self, name: str, num_envs: int = 1, penalty: float = 0.0, **options: str) -> None:
        self._batch = _batch(name, options, num_envs, penalty)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces(self._batch)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._scores = np.zeros(num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """New games."""
        super().reset(seed=seed)
        self._batch.begin(drawn_keys(self.np_random, len(self._batch.keys)))
        self._scores[:] = 0.0
        return self._batch.observations.copy(), {"action_mask": self._batch.masks.copy()}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Makes an action in each game."""
        batch = self._batch
        batch.step(np.asarray(actions, dtype=np.int64), again=True)
        ended = batch.ended.copy()
        self._scores += batch.rewards
        info: dict[str, Any] = {"action_mask": batch.masks.copy()}
        if ended.any():
            info |= {"score": np.where(ended, self._scores, 0.0), "_score": ended}
            info |= {"invalid": np.where(ended, batch.invalid, 0), "_invalid": ended}
            self._scores[ended], batch.invalid[ended] = 0.0, 0
        none = np.zeros(self.num_envs, dtype=np.bool_)
        return batch.observations.copy(), batch.rewards.copy(), ended, none, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, a row a game."""
        return self._batch.masks.astype(np.bool_)


for _name in ACTIONS:
    gymnasium.register(
        f"{_name}-v0",
        entry_point="tichu_models.games.environments:SoloEnv",
        vector_entry_point="tichu_models.games.environments:SoloVectorEnv",
        kwargs={"name": _name},
    )
