"""TD(lambda) on afterstates in self-play: the method `td` of games for several. The kernels are `algorithms.td`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tichu_models.algorithms.arrays import fill
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.chance import draw
from tichu_models.game import Game
from tichu_models.games.agents import GameAgent, LearnedAgent
from tichu_models.games.learning.evaluation import judge, options_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.trainer import Arrays, Method, Result
from tichu_models.options import OptionError, option

RIVALS = ("itself", "random", "rules")  # as `algorithms.td` numbers them


@dataclass(frozen=True, kw_only=True)
class TDSettings(TrainingSettings):
    """How a network learns from games with itself, or with a rival."""

    hidden: int = option(160, "hidden units", least=1, most=10_000)
    encoding: Literal["attacks", "fields", "thesis-386", "thesis-126", "reach", "hands"] = option(
        "attacks", "what it reads of a position"
    )
    activation: Literal["relu", "sigmoid"] = option("relu", "of the hidden units")
    rate: float = option(0.05, "learning rate at the start; it falls linearly", least=0)
    last_rate: float = option(0.005, "and at the end", least=0)
    trace: float = option(0.7, "lambda of the returns: 1 is the result of the game", least=0, most=1)
    epsilon: float = option(0.1, "share of random moves at the start; it falls linearly", least=0, most=1)
    last_epsilon: float = option(0.0, "and at the end; games in which nothing is random may never end", least=0, most=1)
    guided: float = option(
        0.0, "share of the run at its beginning in which games are played by rules of thumb", least=0, most=1
    )
    rival: Literal["itself", "random", "rules"] = option(
        "itself", "who has all seats but one in games that are not guided; `rules` are rules of thumb"
    )
    opened: float = option(
        0.0, "share of the run at its beginning in which cards that are hidden later are open", least=0, most=1
    )
    limit: int = option(1000, "games of more moves are not learned from", least=1)
    iteration_games: int = option(1000, "games of an iteration", least=1)

    @property
    def kind(self) -> tuple[str, str]:
        """The kind of its network."""
        return self.encoding, self.activation


class TDTrainer:
    """A network that plays, and learns from its games."""

    def __init__(self, game: Game, settings: TDSettings) -> None:
        self._game, self._settings, self._games = game, settings, 0
        self._network, self._options = _network(game, settings), options_of(game, settings.rules)
        if settings.rival != "itself" and any(len(side) > 1 for side in game.sides(self._options)):
            raise OptionError(f"rival: who plays {game.name} in teams is judged with a partner of its own kind")
        self._opened_options = game.opened(self._options) if settings.opened else self._options

    @property
    def games(self) -> int:
        """Games so far."""
        return self._games

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Plays games, and learns from each when it is over."""
        settings = self._settings
        key = np.uint64(draw(np.uint64(settings.seed), iteration))
        rate = settings.rate + share * (settings.last_rate - settings.rate)
        epsilon = settings.epsilon + share * (settings.last_epsilon - settings.epsilon)
        guided = settings.iteration_games if share < settings.guided else 0
        rival = RIVALS.index(settings.rival)
        options = self._opened_options if share < settings.opened else self._options
        moves = self._network.learn(
            options, key, settings.iteration_games, epsilon, rate, settings.trace, settings.limit, guided, rival
        )
        self._games += settings.iteration_games
        return {"moves": moves / settings.iteration_games, "rate": rate, "epsilon": epsilon}

    def evaluate(self) -> list[Result]:
        """The network against other agents."""
        return judge(self._game, LearnedAgent("td", self._network), self._settings)

    def weights(self) -> Arrays:
        """Those of the network."""
        return self._network.weights

    def state(self) -> Arrays:
        """The number of games."""
        return {"games": np.array(self._games)}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes both back."""
        fill(self._network.weights, arrays)
        self._games = int(arrays["games"])


def _network(game: Game, settings: TDSettings) -> TDNetwork:
    if settings.kind not in (kinds := game.algorithms["td"]):
        known = "; ".join(", ".join(kind) for kind in kinds)
        raise OptionError(f"{game.name} has no encoding and activation {', '.join(settings.kind)}; it has {known}")
    return TDNetwork(game, settings.hidden, settings.seed, settings.kind)


def player(
    game: Game, settings: TDSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the move after which the network thinks that it stands best; with `blind=true`, of a game that has what
    could be closed, without looking at open hands."""
    others = [key for key in options if key != "blind" or game.close is None]
    if others:
        raise OptionError(f"{', '.join(others)}: it has no such option")
    blind = options.get("blind", "false")
    if blind not in ("true", "false"):
        raise OptionError(f"blind = {blind}: expected true or false")
    network = _network(game, settings)
    fill(network.weights, weights)
    return LearnedAgent(name, network, blind == "true")


METHOD = Method(1, TDSettings, TDTrainer, player)
