"""MuZero in self-play: the method `muzero` of games of two sides, with chance between actions or without. How it learns
is `algorithms.muzero.training`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent
from tichu_models.games.learning.evaluation import judge, options_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.tensors import arrays_of, load, tensors_of
from tichu_models.games.learning.trainer import Arrays, Method, Result
from tichu_models.options import Options, option
from tichu_models.presets import changed

if TYPE_CHECKING:
    from tichu_models.algorithms.muzero.networks import Sizes
    from tichu_models.algorithms.muzero.training import MuZero
    from tichu_models.algorithms.muzero.tree import ValueScale

WEIGHTS = "network.weights."  # how the names of a player's arrays begin


@dataclass(frozen=True, kw_only=True)
class MuZeroSettings(TrainingSettings):
    """How networks learn from games with themselves, by searches in what they imagine."""

    rules: str = option("players=2,distance=4", "options of the game as key=value,key=value; by them two sides play")
    opponents: tuple[str, ...] = option(
        ("random", "rules"), "agents against whom it is judged: it is one side and each of them the other one"
    )
    latent: int = option(256, "numbers of a latent position", least=1, most=4096)
    hidden: int = option(256, "units of the hidden layers", least=1, most=4096)
    blocks: int = option(0, "residual blocks of each network", least=0, most=64)
    dropout: float = option(0.0, "share of units in the blocks that are left out while learning", least=0, most=0.9)
    games: int = option(512, "games side by side", least=1)
    moves: int = option(16, "actions of each in an iteration", least=1)
    opening: int = option(8, "random actions at the beginning of a game, at most", least=0)
    simulations: int = option(16, "simulations of a search", least=1, most=10_000)
    first_simulations: int | None = option(
        None, "simulations at the start, from which they grow geometrically; by default as many", least=1, most=10_000
    )
    guided: float = option(
        0.0, "share of the run at its beginning in which games are played by rules of thumb", least=0, most=1
    )
    curious: float = option(0.1, "share of random actions in such games", least=0, most=1)
    considered: int = option(16, "actions that a search looks at in the beginning", least=1)
    value_scale: float = option(
        0.1, "how much values weigh beside the policy's logits, for each of 50 visits and those of an action", least=0
    )
    rescale_values: bool = option(False, "whether the values of a position's actions are brought to 0 .. 1 before")
    room: int = option(512, "last positions of each game side by side that are learned from", least=1)
    bootstrap: int = option(50, "actions after which the next search's value is the target, if the game lasts", least=1)
    discount: float = option(1.0, "of that value, for each action", least=0, most=1)
    fade: float = option(0.997, "of the outcome, for each action to the end", least=0, most=1)
    steps: int = option(5, "K: actions of a window of positions that is learned", least=1, most=100)
    batch: int = option(256, "windows of a step of gradient", least=1)
    replayed: float = option(0.25, "windows that are learned for each action that is made", least=0)
    between: int = option(3, "steps of gradient from one of windows to the next, of pairs of positions", least=0)
    pairs: int = option(512, "pairs of positions in such a step", least=1)
    warm_up: int = option(8192, "actions before anything is learned", least=0)
    losses: Literal["published", "seed"] = option("published", "what the parts of the loss count")
    legal: float = option(
        1.0, "weight of the loss of legal actions; 0: the policy learns not to choose others", least=0
    )
    mirror: float = option(0.3, "weight of the loss of what could be seen in imagined positions", least=0)
    apart: float = option(0.1, "weight of how far imagined positions are from those that are seen", least=0)
    rate: float = option(3e-3, "learning rate at the start; it falls geometrically", least=0)
    last_rate: float = option(3e-4, "and at the end", least=0)
    decay: float = option(1e-4, "of the weights, with each step, for each unit of the learning rate", least=0)

    @property
    def sizes(self) -> Sizes:
        """Those of the networks."""
        from tichu_models.algorithms.muzero.networks import Sizes

        return Sizes(self.latent, self.hidden, self.blocks, self.dropout)

    @property
    def weight_of_values(self) -> ValueScale:
        """How much values weigh in a search."""
        from tichu_models.algorithms.muzero.tree import ValueScale

        return ValueScale(self.value_scale, self.rescale_values)


@dataclass(frozen=True, kw_only=True)
class Effort(Options):
    """Options of who plays."""

    simulations: int | None = option(None, "simulations of a search; by default as in learning", least=1, most=10_000)


class MuZeroTrainer:
    """Networks that learn from their own games."""

    def __init__(self, game: Game, settings: MuZeroSettings) -> None:
        self._game, self._settings, self._training = game, settings, _training(game, settings)

    @property
    def games(self) -> int:
        """Games that have ended so far."""
        return self._training.ended

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Plays, and learns."""
        return self._training.iterate(share)

    def evaluate(self) -> list[Result]:
        """The networks with their search against other agents."""
        from tichu_models.games.sides_agents import muzero_agent

        settings = self._settings
        agent = muzero_agent("muzero", self._game, lambda n: self._training.thinker_of(n, settings.simulations))
        return judge(self._game, agent, settings)

    def weights(self) -> Arrays:
        """Those of the networks."""
        return {name: array for name, array in self._arrays().items() if name.startswith(WEIGHTS)}

    def state(self) -> Arrays:
        """The moments of the optimiser, the games that go on, the replay, and how far it is."""
        others = {name: array for name, array in self._arrays().items() if not name.startswith(WEIGHTS)}
        return {**others, "iteration": np.array(self._training.iteration), "ended": np.array(self._training.ended)}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes both back."""
        self._training.load(tensors_of(arrays), int(arrays["iteration"]), int(arrays["ended"]))

    def _arrays(self) -> Arrays:
        return arrays_of(self._training.tensors())


def _training(game: Game, settings: MuZeroSettings) -> MuZero:
    from tichu_models.algorithms.muzero import training
    from tichu_models.algorithms.muzero.replay import Targets

    plain = training.MuZeroSettings(
        sizes=settings.sizes,
        targets=Targets(settings.bootstrap, settings.discount, settings.fade),
        games=settings.games,
        moves=settings.moves,
        opening=settings.opening,
        simulations=settings.simulations,
        first_simulations=settings.first_simulations,
        guided=settings.guided,
        curious=settings.curious,
        considered=settings.considered,
        value_scale=settings.weight_of_values,
        room=settings.room,
        steps=settings.steps,
        batch=settings.batch,
        replayed=settings.replayed,
        between=settings.between,
        pairs=settings.pairs,
        warm_up=settings.warm_up,
        losses=settings.losses,
        legal=settings.legal,
        mirror=settings.mirror,
        apart=settings.apart,
        rate=settings.rate,
        last_rate=settings.last_rate,
        decay=settings.decay,
        seed=settings.seed,
    )
    return training.MuZero(game, options_of(game, settings.rules), plain)


def player(
    game: Game, settings: MuZeroSettings, weights: Mapping[str, np.ndarray], name: str, options: Mapping[str, str]
) -> GameAgent:
    """Plays the action that a search finds."""
    from tichu_models.algorithms.lockstep_batch import kernels_of
    from tichu_models.algorithms.muzero.chance_networks import network_of
    from tichu_models.algorithms.muzero.thinking import Thinker
    from tichu_models.games.sides_agents import muzero_agent

    effort = changed(Effort, {}, [f"{key}={value}" for key, value in options.items()], "options")
    kernels, rules = kernels_of(game), options_of(game, settings.rules)
    network = network_of(kernels.inputs_of(rules), game.actions, settings.sizes, kernels.outcomes_of(rules))
    load(network, weights, WEIGHTS)
    of_search = (effort.simulations or settings.simulations, settings.considered, settings.legal > 0)
    return muzero_agent(name, game, lambda n: Thinker(network, n, *of_search, settings.weight_of_values))


METHOD = Method(4, MuZeroSettings, MuZeroTrainer, player)
