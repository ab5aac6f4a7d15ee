"""Masked PPO in self-play: the method `ppo` of games of two sides. How it learns is `algorithms.sides_ppo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.evaluation import judge, options_of
from tichu_models.games.learning.ppo import WEIGHTS, PPOTrainer, PPOTrainingSettings
from tichu_models.games.learning.tensors import load
from tichu_models.games.learning.trainer import Method, Result
from tichu_models.options import OptionError, option

# What is reported of an iteration: actions of a game, and means of the decisions that were learned from.
FIGURES = ("length", "entropy", "kl", "clipped", "loss", "error")


@dataclass(frozen=True, kw_only=True)
class SidesPPOSettings(PPOTrainingSettings):
    """How a policy learns from games with itself."""

    rules: str = option("players=2,distance=4", "options of the game as key=value,key=value; by them two sides play")
    opponents: tuple[str, ...] = option(
        ("random", "rules"), "agents against whom it is judged: it is one side and each of them the other one"
    )
    opening: int = option(8, "random actions at the beginning of a game, at most", least=0)
    opened: float = option(
        0.0, "share of the run at its beginning in which hidden cards are open", least=0, most=1, later=True
    )


class SidesPPOTrainer(PPOTrainer):
    """A policy and a critic that learn from their own games."""

    def __init__(self, game: Game, settings: SidesPPOSettings) -> None:
        from tichu_models.algorithms import sides_ppo

        plain = sides_ppo.SidesPPOSettings(**settings.common(), opening=settings.opening, opened=settings.opened)
        self._game, self._settings = game, settings
        super().__init__(sides_ppo.SidesPPO(game, options_of(game, settings.rules), plain), FIGURES)

    def evaluate(self) -> list[Result]:
        """The policy against other agents."""
        from tichu_models.games.sides_agents import policy_agent

        training = self._training
        agent = policy_agent("ppo", self._game, training.world.inputs, training.policy.ask)
        return judge(self._game, agent, self._settings)


def player(
    game: Game, settings: SidesPPOSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the likeliest legal action."""
    from tichu_models.algorithms.lockstep_batch import kernels_of
    from tichu_models.algorithms.masked_policy import actor
    from tichu_models.games.sides_agents import policy_agent

    if options:
        raise OptionError(f"{', '.join(options)}: it has no such option")
    inputs = kernels_of(game).inputs_of(options_of(game, settings.rules))
    network = actor(inputs, settings.body, game.actions)
    load(network, weights, WEIGHTS)
    return policy_agent(name, game, inputs, network.eval())


METHOD = Method(1, SidesPPOSettings, SidesPPOTrainer, player)
