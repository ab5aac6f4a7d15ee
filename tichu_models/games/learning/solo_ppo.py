"""Masked PPO: the method `ppo` of games for one player. How it learns is `algorithms.solo_ppo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.evaluation import of_scores, options_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.tensors import arrays_of, load, tensors_of
from tichu_models.games.learning.trainer import Arrays, Method, Result
from tichu_models.games.solo_actions import ACTIONS
from tichu_models.options import OptionError, option

if TYPE_CHECKING:
    from tichu_models.algorithms.solo_ppo import SoloPPO

WEIGHTS = "actor.weights."  # how the names of a player's arrays begin
# What is reported of an iteration: means of the games that ended, and of the decisions that were learned from.
FIGURES = ("score", "invalid", "entropy", "kl", "clipped", "loss", "error")


@dataclass(frozen=True, kw_only=True)
class SoloPPOSettings(TrainingSettings):
    """How a policy learns from the steps of many games side by side."""

    opponents: tuple[str, ...] = option((), "none: it plays alone")
    evaluation_games: int = option(4096, "games of an evaluation", least=1, most=1_000_000)
    environments: int = option(1024, "games side by side", least=1)
    horizon: int = option(32, "steps of each in an iteration", least=1)
    hidden: tuple[int, ...] = option((256, 256), "units of the hidden layers, of the policy and of the critic")
    batch: int = option(2048, "decisions of a step of gradient", least=1)
    epochs: int = option(3, "how often each decision is learned from", least=1)
    rate: float = option(1e-3, "learning rate at the start; it falls geometrically", least=0)
    last_rate: float = option(3e-5, "and at the end", least=0)
    clip: float = option(0.2, "a better action gains nothing by a ratio above 1 + clip, a worse one below 1 - clip")
    entropy: float = option(0.01, "weight of the entropy", least=0)
    entropy_until: float = option(1.0, "share of the run after which it is 0", least=0, most=1)
    trace: float = option(0.95, "lambda of the advantages", least=0, most=1)
    mask: bool = option(True, "whether illegal actions cannot be chosen")
    penalty: float = option(0.0, "points that an illegal action costs", least=0)


class SoloPPOTrainer:
    """A policy and a critic that learn from their own games."""

    def __init__(self, game: Game, settings: SoloPPOSettings) -> None:
        self._settings, self._training, self._games = settings, _training(game, settings), 0

    @property
    def games(self) -> int:
        """Games that have ended so far."""
        return self._games

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Makes steps, and learns from them."""
        figures = self._training.iterate(share)
        self._games += int(figures["games"])
        return {"steps": float(self._training.steps), **{name: figures.get(name, float("nan")) for name in FIGURES}}

    def evaluate(self) -> list[Result]:
        """Its scores by the likeliest actions."""
        training = self._training
        return of_scores(lambda keys: training.evaluate(keys).scores, self._settings.evaluation_games)

    def weights(self) -> Arrays:
        """Those of the policy."""
        return {name: array for name, array in self._arrays().items() if name.startswith(WEIGHTS)}

    def state(self) -> Arrays:
        """The critic, the moments of the optimisers, the games that go on, and how far it is."""
        others = {name: array for name, array in self._arrays().items() if not name.startswith(WEIGHTS)}
        return {**others, "iteration": np.array(self._training.iteration), "ended": np.array(self._games)}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes both back."""
        self._training.load(tensors_of(arrays), int(arrays["iteration"]))
        self._games = int(arrays["ended"])

    def _arrays(self) -> Arrays:
        return arrays_of(self._training.tensors())


def _training(game: Game, settings: SoloPPOSettings) -> SoloPPO:
    from tichu_models.algorithms import solo_ppo

    plain = solo_ppo.SoloPPOSettings(
        games=settings.environments,
        horizon=settings.horizon,
        batch=settings.batch,
        epochs=settings.epochs,
        rate=settings.rate,
        last_rate=settings.last_rate,
        clip=settings.clip,
        entropy=settings.entropy,
        entropy_until=settings.entropy_until,
        trace=settings.trace,
        hidden=tuple(settings.hidden),
        mask=settings.mask,
        penalty=settings.penalty,
        seed=settings.seed,
    )
    return solo_ppo.SoloPPO(game, options_of(game, settings.rules), ACTIONS[game.name], plain)


def player(
    game: Game, settings: SoloPPOSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the likeliest legal action."""
    from tichu_models.algorithms.masked_policy import MaskedPlayer, actor
    from tichu_models.games.solo_agents import PolicyAgent

    if options:
        raise OptionError(f"{', '.join(options)}: it has no such option")
    network = actor(game, settings.hidden, ACTIONS[game.name])
    load(network, weights, WEIGHTS)
    return PolicyAgent(name, MaskedPlayer(game, network, ACTIONS[game.name]))


METHOD = Method(1, SoloPPOSettings, SoloPPOTrainer, player)
