"""What masked PPO has in common for all games: its settings, and the trainer around `algorithms.masked_ppo`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.tensors import arrays_of, tensors_of
from tichu_models.games.learning.trainer import Arrays
from tichu_models.options import option

if TYPE_CHECKING:
    from tichu_models.algorithms.masked_policy import Body
    from tichu_models.algorithms.masked_ppo import MaskedPPO

WEIGHTS = "actor.weights."  # how the names of a player's arrays begin


@dataclass(frozen=True, kw_only=True)
class PPOTrainingSettings(TrainingSettings):
    """How a policy learns from the steps of many games side by side."""

    environments: int = option(1024, "games side by side", least=1)
    horizon: int = option(32, "steps of each in an iteration", least=1)
    hidden: tuple[int, ...] = option((256, 256), "units of the hidden layers, of the policy and of the critic")
    blocks: int = option(0, "residual blocks of the policy after its hidden layers", least=0, most=64, later=True)
    dropout: float = option(
        0.0, "share of units in the blocks that are left out while learning", least=0, most=0.9, later=True
    )
    batch: int = option(2048, "decisions of a step of gradient", least=1)
    epochs: int = option(3, "how often each decision is learned from", least=1)
    rate: float = option(1e-3, "learning rate at the start; it falls geometrically", least=0)
    last_rate: float = option(3e-5, "and at the end", least=0)
    clip: float = option(0.2, "a better action gains nothing by a ratio above 1 + clip, a worse one below 1 - clip")
    entropy: float = option(0.01, "weight of the entropy", least=0)
    entropy_until: float = option(1.0, "share of the run after which it is 0", least=0, most=1)
    trace: float = option(0.95, "lambda of the advantages", least=0, most=1)

    def common(self) -> dict[str, Any]:
        """Those of `algorithms.masked_ppo`, by its names."""
        same = ("horizon", "batch", "epochs", "rate", "last_rate", "clip", "entropy", "entropy_until", "trace", "seed")
        return {name: getattr(self, name) for name in same} | {"games": self.environments, **self.body._asdict()}

    @property
    def body(self) -> Body:
        """That of the policy."""
        from tichu_models.algorithms.masked_policy import Body

        return Body(tuple(self.hidden), self.blocks, self.dropout)


class PPOTrainer:
    """A policy and a critic that learn from their own games. `figures` are those that an iteration reports."""

    def __init__(self, training: MaskedPPO, figures: Sequence[str]) -> None:
        self._training, self._figures, self._games = training, figures, 0

    @property
    def games(self) -> int:
        """Games that have ended so far."""
        return self._games

    def iterate(self, iteration: int, share: float) -> Mapping[str, float]:
        """Makes steps, and learns from them."""
        figures = self._training.iterate(share)
        self._games += int(figures["games"])
        told = {name: figures.get(name, float("nan")) for name in self._figures}
        return {"steps": float(self._training.steps), **told}

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
