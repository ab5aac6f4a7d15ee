"""What every method of learning a game promises: settings, iterations, weights, a player, and results against others.

A method is a module with a constant METHOD; `methods` lists them. `run` calls a trainer iteration by iteration, saves
its arrays, and restores them in a process that goes on with the run. A trainer draws all random numbers from its seed
and from how far it is, so that a run that was killed learns what it would have learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.settings import TrainingSettings

Arrays = dict[str, np.ndarray]
ALONE = "alone"


class Result(NamedTuple):
    """How a player did in an evaluation: its share of games against others, or its score where it plays alone."""

    opponent: str  # ALONE where there is none
    result: float
    low: float  # a 95 % interval
    high: float
    played: int  # games


class Trainer(Protocol):
    """A network that learns a game. Made by `Method.trainer` from the game and the settings alone."""

    @property
    def games(self) -> int:
        """Games that it has played so far, to learn from them."""

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Plays and learns; `iteration` counts from 0, `share` is how much of the run is done. Returns figures, under
        the same names each time."""

    def evaluate(self) -> list[Result]:
        """Plays as it would now, in the same games at every evaluation."""

    def weights(self) -> Arrays:
        """What a player needs."""

    def state(self) -> Arrays:
        """What else is needed to go on, under other names."""

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes back both. Raises ValueError for arrays of another shape."""


class Method(NamedTuple):
    """A method of learning a game."""

    version: int  # bumped by hand when the same settings would make another player
    settings: type[TrainingSettings]  # a subclass
    trainer: Callable[[Game, Any], Trainer]
    # (game, settings, weights, name, further options of the agent's text) -> who plays with the weights
    player: Callable[[Game, Any, Mapping[str, np.ndarray], str, Mapping[str, str]], GameAgent]
