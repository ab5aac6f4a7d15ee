"""Games as environments of PettingZoo, in which players act one after another (AEC): for any game and its options.

    env = GameEnv("clever", players="2")

What an agent sees has two parts: `observation`, and `action_mask`, which is all zeros for who is not on turn. Rewards
come at the end: what each seat has won, or its score. An action that is not legal raises `IllegalAction`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from tichu_models.game import CHANCE, OVER
from tichu_models.games.registry import game


class GameEnv(AECEnv):
    """A game between agents, which are called by the letters of their seats."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "is_parallelizable": False, "name": "games_v0"}

    def __init__(self, name: str, render_mode: str | None = None, **options: str) -> None:
        super().__init__()
        self._game, self.render_mode = game(name), render_mode
        self._options = self._game.read_options(options)
        self._seat = {self._game.seats[seat]: seat for seat in self._game.seats_of(self._options)}
        self.possible_agents = list(self._seat)
        seen = Box(0.0, 1.0, (self._game.observation,), np.float32)
        mask = Box(0, 1, (self._game.actions,), np.int8)
        self._seen, self._can = Dict({"observation": seen, "action_mask": mask}), Discrete(self._game.actions)
        self._generator, _ = seeding.np_random(None)

    def observation_space(self, agent: str) -> Dict:
        """The same for all."""
        return self._seen

    def action_space(self, agent: str) -> Discrete:
        """Likewise."""
        return self._can

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game."""
        if seed is not None:
            self._generator, _ = seeding.np_random(seed)
        key = int(self._generator.integers(0, 1 << 64, dtype=np.uint64))
        self.state_of_game = self._game.new(self._options, key)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._next()

    def _next(self) -> str:
        """Who acts, once chance has acted; nobody new when the game is over."""
        state = self.state_of_game
        while self._game.kernels.mover(state) == CHANCE:
            self._game.kernels.chance(state)
        seat = self._game.kernels.mover(state)
        return self.agents[0] if seat == OVER else self._game.seats[seat]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees, and what it may do."""
        seen, mask = np.zeros(self._game.observation, np.float32), np.zeros(self._game.actions, np.int8)
        self._game.kernels.observe(self.state_of_game, self._seat[agent], seen)
        if self._game.kernels.mover(self.state_of_game) == self._seat[agent]:
            mask[self._game.legal(self.state_of_game)] = 1
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Makes an action of the agent on turn; when the game is over, agents leave by None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent}: expected an action, the game goes on")
        self._game.step(self.state_of_game, int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = self._next()
        if self._game.kernels.mover(self.state_of_game) == OVER:
            returns = self._game.returns(self.state_of_game)
            self.rewards = {each: float(returns[self._seat[each]]) for each in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The game as text."""
        return self._game.notation.text(self.state_of_game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing has to be closed."""
