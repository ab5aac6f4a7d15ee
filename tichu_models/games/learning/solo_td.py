"""TD(lambda) on afterstates: the method `td` of games for one player, whose result is points. How it learns is
`algorithms.solo_td`."""

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
from tichu_models.options import Options, option
from tichu_models.presets import changed

if TYPE_CHECKING:
    from tichu_models.algorithms.solo_td import SoloTD

WEIGHTS = "weights."  # how the names of a player's arrays begin


@dataclass(frozen=True, kw_only=True)
class SoloTDSettings(TrainingSettings):
    """How a network learns from games that it plays in lock-step."""

    opponents: tuple[str, ...] = option((), "none: it plays alone")
    evaluation_games: int = option(4096, "games of an evaluation", least=1, most=1_000_000)
    iteration_games: int = option(2048, "games of an iteration, played side by side", least=1)
    hidden: tuple[int, ...] = option((256, 256), "units of the hidden layers")
    trace: float = option(0.8, "lambda of the returns: 1 is the score of the game", least=0, most=1)
    epsilon: float = option(0.05, "share of random actions at the start; it falls to 0", least=0, most=1)
    rate: float = option(1e-3, "learning rate at the start; it falls geometrically", least=0)
    last_rate: float = option(2e-5, "and at the end", least=0)
    batch: int = option(1024, "afterstates of a step of gradient", least=1)


@dataclass(frozen=True, kw_only=True)
class LookAhead(Options):
    """Options of who plays: without `rolls` it takes the action after which the network expects most."""

    rolls: int = option(0, "rolls that it looks at after each good action", least=0, most=10_000)
    width: int = option(4, "actions that it looks at, at most", least=1, most=64)
    margin: float = option(8.0, "points by which these may be worse than the best one", least=0)


class SoloTDTrainer:
    """A network that learns from its own games."""

    def __init__(self, game: Game, settings: SoloTDSettings) -> None:
        self._settings, self._training = settings, _training(game, settings)

    @property
    def games(self) -> int:
        """Games so far."""
        return self._training.games

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Plays games, and learns from all of them when they are over."""
        return self._training.iterate(share)

    def evaluate(self) -> list[Result]:
        """Its scores without random actions."""
        player = self._training.player
        player.take(self._training.network)
        options = self._training.options
        return of_scores(lambda keys: player.scores(options, keys)[0], self._settings.evaluation_games)

    def weights(self) -> Arrays:
        """Those of the network."""
        return {name: array for name, array in self._arrays().items() if name.startswith(WEIGHTS)}

    def state(self) -> Arrays:
        """The moments of its optimiser, and how far it is."""
        moments = {name: array for name, array in self._arrays().items() if not name.startswith(WEIGHTS)}
        return {**moments, "iteration": np.array(self._training.iteration)}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes both back."""
        self._training.load(tensors_of(arrays), int(arrays["iteration"]))

    def _arrays(self) -> Arrays:
        return arrays_of(self._training.tensors())


def _training(game: Game, settings: SoloTDSettings) -> SoloTD:
    from tichu_models.algorithms import solo_td

    plain = solo_td.SoloTDSettings(
        at_once=settings.iteration_games,
        hidden=tuple(settings.hidden),
        trace=settings.trace,
        epsilon=settings.epsilon,
        rate=settings.rate,
        last_rate=settings.last_rate,
        batch=settings.batch,
        seed=settings.seed,
    )
    return solo_td.SoloTD(game, options_of(game, settings.rules), plain)


def player(
    game: Game, settings: SoloTDSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the action after which the network expects most points, or looks a roll ahead."""
    from tichu_models.algorithms.afterstate_player import AfterstatePlayer, PointsNet
    from tichu_models.algorithms.expectimax import Expectimax
    from tichu_models.games.solo_agents import PointsAgent

    ahead = changed(LookAhead, {}, [f"{key}={value}" for key, value in options.items()], "options")
    network = PointsNet(game.inputs, settings.hidden)
    load(network, weights, WEIGHTS)
    if ahead.rolls:
        return PointsAgent(name, Expectimax(game, network, ahead.rolls, ahead.width, ahead.margin))
    return PointsAgent(name, AfterstatePlayer(game, network))


METHOD = Method(1, SoloTDSettings, SoloTDTrainer, player)
