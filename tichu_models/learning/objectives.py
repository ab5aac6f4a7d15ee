"""Objectives: what each kind of network learns, how its loss is computed and which metrics measure it.

`networks.architectures` names the objective of each network. An objective has no state: only the network and the
metrics change.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor, nn

from tichu_models.learning import losses as loss
from tichu_models.learning.metrics.choices import ChoiceMetric
from tichu_models.learning.metrics.moves import MoveMetric
from tichu_models.learning.metrics.tally import Metric
from tichu_models.learning.metrics.values import ValueMetric
from tichu_models.learning.metrics.yes_no import YesNoMetric
from tichu_models.learning.settings import TrainingConfig
from tichu_models.networks.candidates import Candidates, find
from tichu_models.networks.decision_rule import move_scores
from tichu_models.samples.batches import Batch

Metrics = dict[str, Any]  # by the prefix of their figures' names


class Objective(Protocol):
    """What a kind of network learns."""

    def metrics(self) -> dict[str, Metric]:
        """New metrics, by the prefix of their figures' names."""
        ...

    def answer(self, network: nn.Module, batch: Batch) -> Any:
        """The network's outputs for a batch."""
        ...

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        """The loss of each decision, from the outputs."""
        ...

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        """Adds a batch to the metrics."""
        ...


def objective(name: str, config: TrainingConfig) -> Objective:
    """The objective of this name."""
    return OBJECTIVES[name](config)


class _Plain:
    """The base of objectives: the network reads the state alone."""

    def __init__(self, config: TrainingConfig) -> None:
        self.config = config

    def answer(self, network: nn.Module, batch: Batch) -> Any:
        return network(batch.state)

    def _measure_cards(self, outputs: Tensor, batch: Batch, metrics: Metrics) -> None:
        """Measures the outputs for cards over the legal moves, if the batch has them."""
        if batch.candidates is not None:
            scores = move_scores(outputs, batch.candidates, self.config.rule)
            likelihood = move_scores(outputs, batch.candidates, "likelihood")
            metrics[""].update(scores, likelihood, batch.candidates, find(batch.candidates, batch.target))


class Cards(_Plain):
    """PolicyNet: the cards that were played."""

    def metrics(self) -> dict[str, Metric]:
        return {"": MoveMetric()}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.cards_loss(answer, batch.target)

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        self._measure_cards(answer, batch, metrics)


class Goal(_Plain):
    """GCPolicyNet: the cards that were played, given the return to go; and the return to go itself."""

    def metrics(self) -> dict[str, Metric]:
        return {"": MoveMetric(), "value_": ValueMetric()}

    def answer(self, network: nn.Module, batch: Batch) -> Any:
        return network(batch.state, batch.rtg)

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        error = loss.value_loss(answer.value, batch.rtg, self.config.error)
        return loss.cards_loss(answer.policy, batch.target) + self.config.value_weight * error

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        self._measure_cards(answer.policy, batch, metrics)
        metrics["value_"].update(answer.value, batch.rtg, batch.cards_played)


class Sequence(Goal):
    """DTNet: as GCPolicyNet at every turn. The value is learned and measured where the return to go is left open."""

    def answer(self, network: nn.Module, batch: Batch) -> Any:
        if network.training:
            known = torch.rand(len(batch.weight), device=batch.weight.device) >= self.config.unknown_return
        else:
            known = torch.ones(len(batch.weight), dtype=torch.bool, device=batch.weight.device)
        return known, self._run(network, batch, known)

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        known, outputs = answer
        error = loss.value_loss(outputs.value, batch.rtg, self.config.error)
        cards = loss.cards_loss(outputs.policy, batch.target)
        return cards + self.config.value_weight * error * ~known[:, None]

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        known, outputs = answer
        there = batch.weight.flatten() > 0
        value = self._run(network, batch, torch.zeros_like(known)).value.flatten()[there]
        rtg = batch.rtg.flatten()[there]
        metrics["value_"].update(value, rtg, batch.cards_played.flatten()[there])
        if batch.candidates is not None:
            rows = there.nonzero()[:, 0]
            turns = batch._replace(target=batch.target.flatten(0, 1)[rows], candidates=batch.candidates.take(rows))
            self._measure_cards(outputs.policy.flatten(0, 1)[rows], turns, metrics)

    def _run(self, network: nn.Module, batch: Batch, known: Tensor) -> Any:
        """The outputs for sequences whose return to go is known, or left open."""
        return network(batch.rtg, batch.state, batch.target, known)


class Value(_Plain):
    """ValueNet: the points by which the own team wins the round."""

    def metrics(self) -> dict[str, Metric]:
        return {"": ValueMetric()}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.value_loss(answer, batch.value, self.config.error)

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        metrics[""].update(answer, batch.value, batch.cards_played)


class Move(_Plain):
    """CandidatePolicyNet: which of the legal moves was played."""

    def metrics(self) -> dict[str, Metric]:
        return {"": MoveMetric()}

    def answer(self, network: nn.Module, batch: Batch) -> Any:
        return network(batch.state, _legal(batch))

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.move_loss(answer, _legal(batch), find(_legal(batch), batch.target))

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        metrics[""].update(answer, answer, _legal(batch), find(_legal(batch), batch.target))


class Calls(_Plain):
    """GrandNet, TichuNet, SmallTichuNet: whether the seat called, and whether it went out first.

    Who goes out first is mostly chance: with the same weight as the call, its noise would decide when training stops.
    """

    def metrics(self) -> dict[str, Metric]:
        return {"called_": YesNoMetric(), "first_out_": YesNoMetric()}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        called, first_out = (loss.yes_no_loss(answer[:, k : k + 1], batch.target[:, k : k + 1]) for k in range(2))
        return called + self.config.success_weight * first_out

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        for column, name in enumerate(("called_", "first_out_")):
            metrics[name].update(answer[:, column], batch.target[:, column])


class Schupf(_Plain):
    """SchupfNet: value and colour of the cards that were given away. The metrics look at the values."""

    def metrics(self) -> dict[str, Metric]:
        return {name: ChoiceMetric() for name in ("right_", "partner_", "left_")}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.schupf_loss(answer, batch.target)

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        scores, values = loss.split_schupf(answer)[0], loss.split_schupf(batch.target)[0].argmax(-1)
        for to, name in enumerate(("right_", "partner_", "left_")):
            metrics[name].update(scores[:, to], values[:, to])


class Choice(_Plain):
    """WishNet and DragonNet: which answer was given."""

    def metrics(self) -> dict[str, Metric]:
        return {"": ChoiceMetric()}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.choice_loss(answer, batch.target)

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        metrics[""].update(answer, batch.target.argmax(-1))


class Bomb(_Plain):
    """BombNet: whether a bomb was thrown."""

    def metrics(self) -> dict[str, Metric]:
        return {"": YesNoMetric()}

    def losses(self, answer: Any, batch: Batch) -> Tensor:
        return loss.yes_no_loss(answer, batch.target)

    def measure(self, network: nn.Module, answer: Any, batch: Batch, metrics: Metrics) -> None:
        metrics[""].update(answer[:, 0], batch.target[:, 0])


def _legal(batch: Batch) -> Candidates:
    """The legal moves of a batch, which must have them."""
    if batch.candidates is None:
        raise ValueError("no legal moves in the batch: expected a source that gives them")
    return batch.candidates


# fmt: off
OBJECTIVES: dict[str, Any] = {
    "cards": Cards, "goal": Goal, "value": Value, "sequence": Sequence, "move": Move, "calls": Calls,
    "schupf": Schupf, "choice": Choice, "bomb": Bomb,
}
# fmt: on
