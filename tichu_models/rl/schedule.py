"""What falls while a run learns: learning rates, and the weight of the entropy."""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.algorithms.ppo import Weights
from tichu_models.algorithms.student import between
from tichu_models.rl.settings import SelfplaySettings


@dataclass(frozen=True)
class Schedule:
    """Rates and weights when this share of a run is done."""

    settings: SelfplaySettings
    share: float

    def rate(self, first: float) -> float:
        """A learning rate that was `first` at the start."""
        fall = self.settings.last_learning_rate / self.settings.learning_rate
        return between(first, first * fall, self.share)

    @property
    def call_rate(self) -> float:
        """That of the networks for announcements."""
        return between(self.settings.call_rate, self.settings.call_rate / 10, self.share)

    def weights(self, kind: str) -> Weights:
        """The weights of the parts of the loss, for decisions of a kind."""
        settings = self.settings
        ends = (settings.entropy, settings.last_entropy)
        if kind != "play":
            ends = (settings.decision_entropy, settings.last_decision_entropy)
        return Weights(settings.clip, between(*ends, self.share), settings.magnet)
