"""Masked PPO: the method `ppo` of games for one player. How it learns is `algorithms.solo_ppo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.evaluation import of_scores, options_of
from tichu_models.games.learning.ppo import WEIGHTS, PPOTrainer, PPOTrainingSettings
from tichu_models.games.learning.tensors import load
from tichu_models.games.learning.trainer import Method, Result
from tichu_models.games.solo_actions import ACTIONS
from tichu_models.options import OptionError, option

# What is reported of an iteration: means of the games that ended, and of the decisions that were learned from.
FIGURES = ("score", "invalid", "entropy", "kl", "clipped", "loss", "error")


@dataclass(frozen=True, kw_only=True)
class SoloPPOSettings(PPOTrainingSettings):
    """How a policy learns to play alone."""

    opponents: tuple[str, ...] = option((), "none: it plays alone")
    evaluation_games: int = option(4096, "games of an evaluation", least=1, most=1_000_000)
    mask: bool = option(True, "whether illegal actions cannot be chosen")
    penalty: float = option(0.0, "points that an illegal action costs", least=0)


class SoloPPOTrainer(PPOTrainer):
    """A policy and a critic that learn from their own games."""

    def __init__(self, game: Game, settings: SoloPPOSettings) -> None:
        from tichu_models.algorithms import solo_ppo

        plain = solo_ppo.SoloPPOSettings(**settings.common(), mask=settings.mask, penalty=settings.penalty)
        self._settings = settings
        self._solo = solo_ppo.SoloPPO(game, options_of(game, settings.rules), ACTIONS[game.name], plain)
        super().__init__(self._solo, FIGURES)

    def evaluate(self) -> list[Result]:
        """Its scores by the likeliest actions."""
        return of_scores(lambda keys: self._solo.evaluate(keys).scores, self._settings.evaluation_games)


def player(
    game: Game, settings: SoloPPOSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the likeliest legal action."""
    from tichu_models.algorithms.masked_policy import MaskedPlayer, actor
    from tichu_models.games.solo_agents import PolicyAgent

    if options:
        raise OptionError(f"{', '.join(options)}: it has no such option")
    network = actor(game.observation, settings.body, ACTIONS[game.name])
    load(network, weights, WEIGHTS)
    return PolicyAgent(name, MaskedPlayer(game, network, ACTIONS[game.name]))


METHOD = Method(1, SoloPPOSettings, SoloPPOTrainer, player)
