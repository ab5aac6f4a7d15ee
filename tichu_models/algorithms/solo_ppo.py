"""Masked PPO for games for one player: the steps of many games side by side, by `ppo.improve`.

An iteration makes some steps in every game. Policy and critic are two networks; the critic says how many points are
still to come. Decisions with one legal action teach the policy nothing and are left out. Without a mask every action is
an answer, and an illegal one costs what the environment says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from tichu_models.algorithms.afterstate_player import UNIT
from tichu_models.algorithms.masked_policy import PlayedGames, actor, layers, play_games
from tichu_models.algorithms.masked_steps import advantages_of_steps, pick_masked
from tichu_models.algorithms.ppo import CUT, Chosen, Weights, improve
from tichu_models.algorithms.returns import normalised
from tichu_models.algorithms.solo_batch import SoloBatch, drawn_keys
from tichu_models.algorithms.student import Student, between, fabric_of_cpu, fit, generator_of
from tichu_models.chance import draw
from tichu_models.game import Game

ACTOR, CRITIC, GAMES = "actor.", "critic.", "games."  # how the names of tensors begin


@dataclass(frozen=True)
class SoloPPOSettings:
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
    mask: bool = True
    penalty: float = 0.0  # points that an illegal action costs
    seed: int = 1


class Experience(NamedTuple):
    """The steps of an iteration: a row for each step, a column for each game."""

    seen: np.ndarray
    allowed: np.ndarray  # bool: the actions that the policy chose among
    chosen: np.ndarray
    logs: np.ndarray  # of the probability of the chosen one
    rewards: np.ndarray
    ended: np.ndarray
    last: np.ndarray  # what is seen after the last step


class SoloPPO:
    """A training in memory. Its state is what `tensors` gives, the games that go on included, and how many iterations
    it has had."""

    def __init__(self, game: Game, options: np.ndarray, actions: int, settings: SoloPPOSettings) -> None:
        self.game, self.options, self.actions, self.settings = game, options, actions, settings
        torch.manual_seed(settings.seed)
        fabric = fabric_of_cpu()
        self.policy = Student(fabric, actor(game, settings.hidden, actions), settings.rate)
        self.critic = Student(fabric, layers(game.observation, settings.hidden, 1, 1.0), settings.rate)
        self.batch = SoloBatch(game, options, settings.games, actions, settings.penalty)
        self.batch.begin(drawn_keys(generator_of(settings.seed), settings.games))
        self.scores, self.iteration = np.zeros(settings.games), 0

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self.iteration * self.settings.games * self.settings.horizon

    def iterate(self, share: float) -> dict[str, float]:
        """Makes steps and learns from them; `share` of the training is done. Returns figures."""
        settings, generator = self.settings, generator_of(self.settings.seed, self.iteration + 1)
        experience, figures = self._collect(generator)
        values = self._values(experience)
        advantages = np.zeros(experience.rewards.shape, dtype=np.float32)
        advantages_of_steps(experience.rewards / UNIT, values, experience.ended, settings.trace, advantages)
        for student in (self.policy, self.critic):
            student.set_rate(between(settings.rate, settings.last_rate, share))
        figures |= self._improve(experience, advantages, share, generator)
        seen, targets = _flat(experience.seen), (advantages + values[:-1]).ravel()
        for _ in range(settings.epochs):
            figures["error"] = UNIT**2 * fit(
                *(self.critic, targets, lambda rows: self.critic.ask(torch.from_numpy(seen[rows])).squeeze(1)),
                *(np.arange(len(seen)), settings.batch, generator),
            )
        self.iteration += 1
        return figures

    def _collect(self, generator: np.random.Generator) -> tuple[Experience, dict[str, float]]:
        """Makes the steps of an iteration; the figures are of the games that ended."""
        settings, batch = self.settings, self.batch
        shape = (settings.horizon, settings.games)
        found = Experience(
            seen=np.zeros((*shape, self.game.observation), dtype=np.float32),
            allowed=np.ones((*shape, self.actions), dtype=np.bool_),
            chosen=np.zeros(shape, dtype=np.int64),
            logs=np.zeros(shape, dtype=np.float32),
            rewards=np.zeros(shape),
            ended=np.zeros(shape, dtype=np.bool_),
            last=batch.observations,
        )
        key, scores, invalid = generator.integers(0, 1 << 64, dtype=np.uint64), [], []
        for k in range(settings.horizon):
            found.seen[k] = batch.observations
            if settings.mask:
                found.allowed[k] = batch.masks
            with torch.inference_mode():
                asked = self.policy.ask(torch.from_numpy(found.seen[k])).float().numpy()
            pick_masked(asked, found.allowed[k], 1.0, np.uint64(draw(key, k)), found.chosen[k], found.logs[k])
            batch.step(found.chosen[k], again=True)
            found.rewards[k], found.ended[k] = batch.rewards, batch.ended
            self.scores += batch.rewards
            scores.append(self.scores[batch.ended])
            invalid.append(batch.invalid[batch.ended])
            self.scores[batch.ended], batch.invalid[batch.ended] = 0.0, 0
        over = np.concatenate(scores)
        means = {"score": over.mean(), "invalid": np.concatenate(invalid).mean()} if len(over) else {}
        return found, {"games": float(len(over)), **{name: float(mean) for name, mean in means.items()}}

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
        settings, allowed = self.settings, experience.allowed.reshape(-1, self.actions)
        counts = allowed.sum(axis=1)
        rows = np.flatnonzero(counts > 1)
        allowed, seen = allowed[rows], _flat(experience.seen)[rows]
        picked = experience.chosen.ravel()[rows]
        before = np.arange(self.actions) < picked[:, None]
        decisions = Chosen(
            counts=counts[rows],
            chosen=(allowed & before).sum(axis=1),
            logs=experience.logs.ravel()[rows],
            advantages=normalised(advantages.ravel()[rows], np.zeros(len(rows)), CUT),
        )

        def scores(part: np.ndarray) -> Tensor:
            return self.policy.ask(torch.from_numpy(seen[part]))[torch.from_numpy(allowed[part])]

        entropy = settings.entropy if share < settings.entropy_until else 0.0
        weights = Weights(settings.clip, entropy)
        return improve(self.policy, decisions, scores, weights, settings.batch, settings.epochs, generator)

    def evaluate(self, keys: np.ndarray) -> PlayedGames:
        """A game for each key, by the likeliest actions."""
        settings = self.settings
        asked = (self.game, self.options, self.policy.ask, self.actions, keys)
        return play_games(*asked, mask=settings.mask, penalty=settings.penalty)

    def tensors(self) -> dict[str, Tensor]:
        """Copies of weights, moments of the optimisers, and the games that go on, by name."""
        batch = self.batch
        arrays: dict[str, np.ndarray] = {
            "states": batch.states.view(np.uint8).reshape(len(batch.states), -1),
            "keys": batch.keys.view(np.int64),
            "seen": batch.observations,
            "masks": batch.masks,
            "invalid": batch.invalid,
            "scores": self.scores,
        }
        return {
            **{ACTOR + name: tensor for name, tensor in self.policy.tensors().items()},
            **{CRITIC + name: tensor for name, tensor in self.critic.tensors().items()},
            **{GAMES + name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
        }

    def load(self, tensors: Mapping[str, Tensor], iteration: int) -> None:
        """Restores what `tensors` gave after so many iterations."""
        batch, of_games = self.batch, _named(tensors, GAMES)
        self.policy.load(_named(tensors, ACTOR))
        self.critic.load(_named(tensors, CRITIC))
        batch.states[:] = of_games["states"].numpy().reshape(-1).view(batch.states.dtype)
        batch.keys[:] = of_games["keys"].numpy().view(np.uint64)
        batch.observations[:], batch.masks[:] = of_games["seen"].numpy(), of_games["masks"].numpy()
        batch.invalid[:], self.scores[:] = of_games["invalid"].numpy(), of_games["scores"].numpy()
        self.iteration = iteration


def _flat(steps: np.ndarray) -> np.ndarray:
    return steps.reshape(-1, steps.shape[-1])


def _named(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}
