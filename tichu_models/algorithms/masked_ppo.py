"""Masked PPO: a policy over numbered actions learns from the steps of many games side by side, by `ppo.improve`.

An iteration makes some steps in every game. Policy and critic are two networks; the critic says what is still to come.
Decisions with one legal action teach the policy nothing and are left out. The games are a `World`: for one player
(`solo_ppo`), or of two sides that the policy plays against itself (`sides_ppo`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from tichu_models.algorithms.masked_policy import Body, actor, layers
from tichu_models.algorithms.masked_steps import advantages_of_steps, pick_masked
from tichu_models.algorithms.ppo import CUT, Chosen, Weights, improve
from tichu_models.algorithms.returns import normalised
from tichu_models.algorithms.student import Student, between, fabric_of_cpu, fit, generator_of
from tichu_models.chance import draw

ACTOR, CRITIC, GAMES = "actor.", "critic.", "games."  # how the names of tensors begin


@dataclass(frozen=True)
class PPOSettings:
    """How a policy learns."""

    games: int = 1024  # side by side
    horizon: int = 32  # steps of each in an iteration
    batch: int = 2048
    epochs: int = 3
    rate: float = 1e-3
    last_rate: float = 3e-5
    clip: float = 0.2
    entropy: float = 0.01
    entropy_until: float = 1.0  # the share of the training after which entropy is worth nothing
    trace: float = 0.95  # lambda
    hidden: tuple[int, ...] = (256, 256)
    blocks: int = 0  # residual blocks of the policy after them
    dropout: float = 0.0  # share of units in the blocks that are left out while learning
    seed: int = 1


class World(Protocol):
    """Games side by side, as PPO steps them."""

    inputs: int  # numbers that the networks read
    actions: int
    unit: float  # points for which the critic says 1

    @property
    def seen(self) -> np.ndarray:
        """Observations of the movers, float32."""

    @property
    def masks(self) -> np.ndarray:
        """The actions among which the policy chooses."""

    def step(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Makes an action in each game. Returns each mover's reward, and the sign of the next value for that mover: 1
        if the same side moves next, -1 if the other one does, 0 if the game is over, and another one has begun."""

    def figures(self) -> dict[str, float]:
        """How many games have ended since this was asked last, and means of them."""

    def arrays(self) -> dict[str, np.ndarray]:
        """The games that go on, by name."""

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Goes on with these games."""


class Experience(NamedTuple):
    """The steps of an iteration: a row for each step, a column for each game."""

    seen: np.ndarray
    allowed: np.ndarray  # bool: the actions that the policy chose among
    chosen: np.ndarray
    logs: np.ndarray  # of the probability of the chosen one
    rewards: np.ndarray
    follows: np.ndarray  # signs of the values of the next steps
    last: np.ndarray  # what is seen after the last step


class MaskedPPO:
    """A training in memory. Its state is what `tensors` gives, the games that go on included, and how many iterations
    it has had."""

    def __init__(self, world: World, settings: PPOSettings) -> None:
        self.world, self.settings = world, settings
        torch.manual_seed(settings.seed)
        fabric = fabric_of_cpu()
        body = Body(settings.hidden, settings.blocks, settings.dropout)
        self.policy = Student(fabric, actor(world.inputs, body, world.actions).eval(), settings.rate)
        self.critic = Student(fabric, layers(world.inputs, Body(settings.hidden), 1, 1.0), settings.rate)
        self.iteration = 0

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self.iteration * self.settings.games * self.settings.horizon

    def iterate(self, share: float) -> dict[str, float]:
        """Makes steps and learns from them; `share` of the training is done. Returns figures."""
        settings, unit, generator = self.settings, self.world.unit, generator_of(self.settings.seed, self.iteration + 1)
        experience = self._collect(generator)
        figures, values = self.world.figures(), self._values(experience)
        advantages = np.zeros(experience.rewards.shape, dtype=np.float32)
        advantages_of_steps(experience.rewards / unit, values, experience.follows, settings.trace, advantages)
        for student in (self.policy, self.critic):
            student.set_rate(between(settings.rate, settings.last_rate, share))
        figures |= self._improve(experience, advantages, share, generator)
        seen, targets = _flat(experience.seen), (advantages + values[:-1]).ravel()
        for _ in range(settings.epochs):
            figures["error"] = unit**2 * fit(
                *(self.critic, targets, lambda rows: self.critic.ask(torch.from_numpy(seen[rows])).squeeze(1)),
                *(np.arange(len(seen)), settings.batch, generator),
            )
        self.iteration += 1
        return figures

    def _collect(self, generator: np.random.Generator) -> Experience:
        """Makes the steps of an iteration."""
        settings, world = self.settings, self.world
        shape = (settings.horizon, settings.games)
        found = Experience(
            seen=np.zeros((*shape, world.inputs), dtype=np.float32),
            allowed=np.zeros((*shape, world.actions), dtype=np.bool_),
            chosen=np.zeros(shape, dtype=np.int64),
            logs=np.zeros(shape, dtype=np.float32),
            rewards=np.zeros(shape),
            follows=np.zeros(shape, dtype=np.float32),
            last=np.zeros((settings.games, world.inputs), dtype=np.float32),
        )
        key = generator.integers(0, 1 << 64, dtype=np.uint64)
        for k in range(settings.horizon):
            found.seen[k], found.allowed[k] = world.seen, world.masks
            with torch.inference_mode():
                asked = self.policy.ask(torch.from_numpy(found.seen[k])).float().numpy()
            pick_masked(asked, found.allowed[k], 1.0, np.uint64(draw(key, k)), found.chosen[k], found.logs[k])
            found.rewards[k], found.follows[k] = world.step(found.chosen[k])
        found.last[:] = world.seen
        return found

    def _values(self, experience: Experience) -> np.ndarray:
        """What the critic says before every step and after the last one."""
        values = np.zeros((self.settings.horizon + 1, self.settings.games), dtype=np.float32)
        with torch.inference_mode():
            for k, seen in enumerate((*experience.seen, experience.last)):
                values[k] = self.critic.ask(torch.from_numpy(seen)).float().squeeze(1).numpy()
        return values

    def _improve(
        self, experience: Experience, advantages: np.ndarray, share: float, generator: np.random.Generator
    ) -> dict[str, float]:
        """The policy learns from the steps in which there was a choice."""
        settings, actions = self.settings, self.world.actions
        allowed = experience.allowed.reshape(-1, actions)
        counts = allowed.sum(axis=1)
        rows = np.flatnonzero(counts > 1)
        allowed, seen = allowed[rows], _flat(experience.seen)[rows]
        picked = experience.chosen.ravel()[rows]
        before = np.arange(actions) < picked[:, None]
        decisions = Chosen(
            counts=counts[rows],
            chosen=(allowed & before).sum(axis=1),
            logs=experience.logs.ravel()[rows],
            advantages=normalised(advantages.ravel()[rows], np.zeros(len(rows)), CUT),
        )

        def scores(part: np.ndarray) -> Tensor:
            of_all = self.policy.ask(torch.from_numpy(seen[part])).reshape(-1)
            return of_all.index_select(0, torch.from_numpy(np.flatnonzero(allowed[part])))  # twice as fast as a mask

        entropy = settings.entropy if share < settings.entropy_until else 0.0
        weights = Weights(settings.clip, entropy)
        torch.manual_seed(int(generator_of(settings.seed, self.iteration + 1, 1).integers(1 << 62)))  # of dropout
        self.policy.network.train()
        improved = improve(self.policy, decisions, scores, weights, settings.batch, settings.epochs, generator)
        self.policy.network.eval()
        return improved

    def tensors(self) -> dict[str, Tensor]:
        """Copies of weights, moments of the optimisers, and the games that go on, by name."""
        return {
            **{ACTOR + name: tensor for name, tensor in self.policy.tensors().items()},
            **{CRITIC + name: tensor for name, tensor in self.critic.tensors().items()},
            **{GAMES + name: torch.from_numpy(array.copy()) for name, array in self.world.arrays().items()},
        }

    def load(self, tensors: Mapping[str, Tensor], iteration: int) -> None:
        """Restores what `tensors` gave after so many iterations."""
        self.policy.load(_named(tensors, ACTOR))
        self.critic.load(_named(tensors, CRITIC))
        self.world.load({name: tensor.numpy() for name, tensor in _named(tensors, GAMES).items()})
        self.iteration = iteration


def _flat(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, rows.shape[-1])


def _named(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}
