"""TD(lambda) on afterstates for games for one player, whose result is points.

Many games are played in lock-step with the present network and a few random actions. Then every afterstate that was
chosen learns what its lambda-return says is still to come, once, in minibatches. Random actions and the learning rate
fall with the share of the training that is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.algorithms.afterstate_player import UNIT, AfterstatePlayer, PointsNet
from tichu_models.algorithms.afterstates import lambda_totals
from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.algorithms.student import Student, between, fabric_of_cpu, generator_of
from tichu_models.game import Game


@dataclass(frozen=True)
class SoloTDSettings:
    """How a network learns."""

    games: int = 1_800_000
    at_once: int = 2048  # games of an iteration
    hidden: tuple[int, ...] = (256, 256)
    trace: float = 0.8  # lambda
    epsilon: float = 0.05  # share of random actions; falls to 0
    rate: float = 1e-3
    last_rate: float = 2e-5
    batch: int = 2048
    seed: int = 1


class SoloTD:
    """A training in memory. Its state is what `tensors` gives, and how many iterations it has had."""

    def __init__(self, game: Game, options: np.ndarray, settings: SoloTDSettings) -> None:
        self.game, self.options, self.settings = game, options, settings
        torch.manual_seed(settings.seed)
        fabric = fabric_of_cpu()
        self.network = PointsNet(game.inputs, settings.hidden)
        self.student = Student(fabric, self.network, settings.rate)
        self.player = AfterstatePlayer(game, self.network)
        self.iteration = 0

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.iteration * self.settings.at_once

    def iterate(self, share: float) -> dict[str, float]:
        """Plays games and learns from them; `share` of the training is done. Returns figures."""
        settings = self.settings
        generator = generator_of(settings.seed, self.iteration)
        keys = keys_of(generator.integers(0, 1 << 64, dtype=np.uint64), settings.at_once)
        self.player.take(self.network)
        epsilon = between(settings.epsilon, 0.0, share)
        played = self.player.play(self.options, keys, epsilon, keep=True)
        totals = np.zeros_like(played.best)
        lambda_totals(played.best, played.explored, played.lengths, played.scores, settings.trace, totals)
        is_choice = np.arange(len(totals))[:, None] < played.lengths
        targets = ((totals - played.so_far) / UNIT)[is_choice]
        inputs = np.concatenate(played.inputs)
        self.student.set_rate(between(settings.rate, settings.last_rate, share))
        loss = self._learn(inputs, targets, generator)
        self.iteration += 1
        return {"score": float(played.scores.mean()), "loss": loss, "choices": float(played.lengths.mean())}

    def _learn(self, inputs: np.ndarray, targets: np.ndarray, generator: np.random.Generator) -> float:
        """Learns from each row once, but for a few that would not fill a minibatch; returns the mean square of the
        error, in points."""
        read = torch.from_numpy(inputs)
        read = read.view(torch.bfloat16) if self.player.is_fast else read
        wanted, total, batch = torch.from_numpy(targets.astype(np.float32)), 0.0, min(self.settings.batch, len(inputs))
        order = torch.from_numpy(generator.permutation(len(inputs)))
        parts = order[: len(inputs) // batch * batch].split(batch)
        for part in parts:
            loss = nn.functional.mse_loss(self.student.ask(read[part]).float(), wanted[part])
            self.student.step(loss)
            total += loss.item()
        return total / len(parts) * UNIT**2

    def tensors(self) -> dict[str, Tensor]:
        """Copies of the weights and of the optimiser's moments, by name."""
        return self.student.tensors()

    def load(self, tensors: Mapping[str, Tensor], iteration: int) -> None:
        """Restores what `tensors` gave after so many iterations."""
        self.student.load(tensors)
        self.iteration = iteration
