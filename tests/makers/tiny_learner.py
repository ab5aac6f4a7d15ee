"""Self-play at a tiny game, by `tichu_models.algorithms` alone, as `tichu_models.rl` does it for Tichu."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import Tensor, nn

from tests.makers.tiny_games import Kuhn, Patience, Played, of_sets
from tichu_models.algorithms.answers import distinct, log_probabilities
from tichu_models.algorithms.matching import match_tensors
from tichu_models.algorithms.ppo import CUT, Chosen, Weights, improve
from tichu_models.algorithms.returns import lambda_returns, normalised
from tichu_models.algorithms.student import Student, between, fit, generator_of

GAMES = 1024  # of an iteration
CRITIC_RATE, CRITIC_BATCH = 2e-2, 1024


@dataclass(frozen=True)
class Recipe:
    """How a policy learns: what falls goes geometrically from the first number to the second."""

    iterations: int
    rate: tuple[float, float] = (1e-2, 2e-4)
    entropy: tuple[float, float] = (0.8, 0.03)
    magnet: float = 0.0
    magnet_every: int = 20
    trace: float = 1.0
    open_hands: bool = True
    batch: int = 256


class Table(nn.Module):
    """A score for each answer in each state, of which the legal ones are taken."""

    def __init__(self, game: Kuhn | Patience) -> None:
        super().__init__()
        self.layer = nn.Linear(game.SEEN, len(game.ANSWERS), bias=False)
        nn.init.zeros_(self.layer.weight)

    def forward(self, seen: Tensor, answers: Tensor, counts: Tensor) -> Tensor:
        return self.layer(seen)[torch.arange(len(seen)).repeat_interleave(counts), answers]


class Vectors(nn.Module):
    """A vector for the state and one for each answer, whose product is the score."""

    def __init__(self, game: Kuhn | Patience, width: int = 16) -> None:
        super().__init__()
        self.state = nn.Sequential(nn.Linear(game.SEEN, 64), nn.ReLU(), nn.Linear(64, width))
        self.answer = nn.Embedding(len(game.ANSWERS), width)

    def forward(self, seen: Tensor, answers: Tensor, counts: Tensor) -> Tensor:
        different, which = distinct(answers.numpy())
        vectors = self.answer(torch.from_numpy(different))
        return match_tensors(self.state(seen), vectors, torch.from_numpy(which), counts, 0.25)


class Critic(nn.Module):
    """What the side that decides can expect."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, state: Tensor) -> Tensor:
        return self.layers(state)[:, 0]


class Learner:
    """A policy and its critic."""

    def __init__(self, game: Kuhn | Patience, network: Callable[..., nn.Module], seed: int, recipe: Recipe) -> None:
        torch.manual_seed(seed)
        fabric = Fabric(accelerator="cpu", devices=1, precision="32-true")
        self.game, self.seed, self.recipe = game, seed, recipe
        self.policy = Student(fabric, network(game), recipe.rate[0])
        self.critic = Student(fabric, Critic(game.OPENED if recipe.open_hands else game.SEEN), CRITIC_RATE)
        self.magnet = copy.deepcopy(self.policy.network)

    def logs(self, network: Callable[..., Tensor], *state: np.ndarray) -> np.ndarray:
        """The logarithms of the probabilities of all answers by a network."""
        with torch.no_grad():
            scores = network(*map(torch.from_numpy, state)).numpy()
        logs = np.empty(len(scores), dtype=np.float32)
        log_probabilities(scores, state[-1], logs)
        return logs

    def probabilities(self, *state: np.ndarray) -> np.ndarray:
        """The probabilities of all answers."""
        return np.exp(self.logs(self.policy.ask, *state))

    def draw(self, generator: np.random.Generator, *state: np.ndarray) -> np.ndarray:
        """Draws an answer for each state."""
        logs = self.logs(self.policy.ask, *state)
        return _highest(logs + generator.gumbel(size=len(logs)), state[-1])

    def likeliest(self, *state: np.ndarray) -> np.ndarray:
        """The likeliest answer for each state."""
        return _highest(self.logs(self.policy.ask, *state), state[-1])

    def play(self, generator: np.random.Generator) -> Played:
        """Plays the games of an iteration."""
        return self.game.play(GAMES, partial(self.draw, generator), generator)

    def judge(self, games: Played) -> tuple[np.ndarray, np.ndarray]:
        """The returns of all decisions, and by how much they exceed what the critic expected."""
        with torch.no_grad():
            values = self.critic.ask(torch.from_numpy(self._read(games))).numpy()
        returns = np.empty_like(values)
        ends = np.flatnonzero(np.diff(games.game, append=-1)) + 1
        lambda_returns(games.results, values, games.signs, ends, self.recipe.trace, returns)
        return returns, returns - values

    def criticise(self, games: Played, returns: np.ndarray, generator: np.random.Generator) -> float:
        """The critic learns what came."""
        read, rows = self._read(games), np.arange(len(returns))
        ask = self.critic.ask
        return fit(self.critic, returns, lambda part: ask(torch.from_numpy(read[part])), rows, CRITIC_BATCH, generator)

    def iterate(self, iteration: int) -> dict[str, float]:
        """Plays games and learns from them."""
        recipe, share = self.recipe, iteration / self.recipe.iterations
        generator = generator_of(self.seed, iteration)
        if recipe.magnet and iteration % recipe.magnet_every == 0:
            self.magnet.load_state_dict(self.policy.network.state_dict())
        games = self.play(generator)
        returns, advantages = self.judge(games)
        first = np.cumsum(games.counts) - games.counts
        logs = self.logs(self.policy.ask, games.seen, games.answers, games.counts)[first + games.chosen]
        advantages = normalised(advantages, np.zeros(len(advantages)), CUT)

        def state(rows: np.ndarray) -> tuple[np.ndarray, ...]:
            counts = games.counts[rows]
            return games.seen[rows], games.answers[of_sets(first[rows], counts)], counts

        self.policy.set_rate(between(*recipe.rate, share))
        figures = improve(
            self.policy,
            Chosen(games.counts, games.chosen, logs, advantages),
            lambda rows: self.policy.ask(*map(torch.from_numpy, state(rows))),
            Weights(0.2, between(*recipe.entropy, share), recipe.magnet),
            recipe.batch,
            2,
            generator,
            (lambda rows: self.logs(self.magnet, *state(rows))) if recipe.magnet else None,
        )
        self.criticise(games, returns, generator)
        return figures

    def learn(self) -> None:
        """All iterations of the recipe."""
        for iteration in range(self.recipe.iterations):
            self.iterate(iteration)

    def _read(self, games: Played) -> np.ndarray:
        return games.opened if self.recipe.open_hands else games.seen


def _highest(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The place of the highest score of each set in it, the first of equals."""
    first = np.cumsum(counts) - counts
    is_highest = scores == np.repeat(np.maximum.reduceat(scores, first), counts)
    place = np.arange(len(scores)) - np.repeat(first, counts)
    return np.minimum.reduceat(np.where(is_highest, place, len(scores)), first)
