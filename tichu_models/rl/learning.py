"""Learning from a rollout: the critic judges every decision, the networks follow those that turned out better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.agents.choosing import put_move_features
from tichu_models.algorithms.answers import distinct
from tichu_models.algorithms.ppo import Chosen, Weights, fit, improve
from tichu_models.algorithms.returns import lambda_returns
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.networks.move_net import MoveNet
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.unpack import LANES
from tichu_models.rl.hall import options_of, places_of
from tichu_models.rl.open_hands import OPEN
from tichu_models.rl.rollout import Experience, Reader
from tichu_models.rules.scoring import VALUE_UNIT

VALUES_AT_ONCE = 8192


@dataclass(frozen=True)
class Rates:
    """The numbers of one iteration, as the schedules have them."""

    learning: float
    entropy: float


class Judge:
    """The critic: values of decisions with all hands open, and how it learns them."""

    def __init__(
        self, network: nn.Module, optimiser: torch.optim.Optimizer, scaling: Scaling, dtype: torch.dtype
    ) -> None:
        self.network, self.optimiser, self.dtype = network, optimiser, dtype
        self.reader = Reader(OPEN, scaling, dtype)

    def values(self, opened: np.ndarray) -> np.ndarray:
        """Points / 100 by which the team of each decision's seat is expected to win the round."""
        values = np.empty(len(opened), dtype=np.float32)
        with torch.inference_mode(), self._precision():
            for begin in range(0, len(opened), VALUES_AT_ONCE):
                rows = np.arange(begin, min(begin + VALUES_AT_ONCE, len(opened)))
                values[rows] = self.network(self.reader.read(rows, opened)).float().numpy()
        return values

    def learn(
        self, opened: np.ndarray, returns: np.ndarray, share: float, batch: int, generator: np.random.Generator
    ) -> float:
        """Learns from a share of the decisions; returns the mean squared error before."""
        rows = np.flatnonzero(generator.random(len(returns)) < share)

        def values(network: nn.Module, part: np.ndarray) -> Tensor:
            with self._precision():
                return network(self.reader.read(part, opened))

        return fit(self.network, self.optimiser, returns, values, rows, batch, generator)

    def _precision(self) -> Any:
        return torch.autocast("cpu", torch.bfloat16, enabled=self.dtype == torch.bfloat16)


def results_of(experience: Experience) -> np.ndarray:
    """The result of every decision's round for the team of its seat, in points / 100."""
    score = experience.ended["score"].astype(np.float32)
    lead = (score[:, 0] - score[:, 1]) / np.float32(VALUE_UNIT)
    decisions = experience.decisions
    return lead[decisions["round"]] * (1 - 2 * (decisions["seat"] & 1)).astype(np.float32)


def returns_of(experience: Experience, values: np.ndarray, weight: float) -> np.ndarray:
    """The lambda-return of every decision. The decisions of a round follow each other, whoever makes them."""
    results = results_of(experience)
    if weight == 1:
        return results
    decisions = experience.decisions
    order = np.lexsort((decisions["order"], decisions["round"]))
    signs = (1 - 2 * (decisions["seat"][order] & 1)).astype(np.float32)
    ends = np.flatnonzero(np.diff(decisions["round"][order], append=-1)) + 1
    of_sequence = results[order][ends - 1] * signs[ends - 1]
    returns = np.empty(len(decisions), dtype=np.float32)
    sorted_returns = np.empty(len(decisions), dtype=np.float32)
    lambda_returns(of_sequence, values[order], signs, ends, weight, sorted_returns)
    returns[order] = sorted_returns
    return returns


class Pupil:
    """A network and its optimiser: it learns from its own decisions."""

    def __init__(
        self,
        kind: int,
        network: nn.Module,
        optimiser: torch.optim.Optimizer,
        spec: Spec,
        scaling: Scaling,
        dtype: torch.dtype,
    ) -> None:
        self.kind, self.network, self.optimiser, self.dtype = kind, network, optimiser, dtype
        self.reader = Reader(spec, scaling, dtype)

    def scores(self, experience: Experience, rows: np.ndarray) -> tuple[Tensor, np.ndarray]:
        """The score of every option of these decisions, with its gradient, and how many options each has."""
        decisions = experience.decisions
        counts = decisions["options"][rows].astype(np.int64)
        found = np.empty(counts.sum(), dtype=np.int64)
        options_of(rows, decisions, experience.options, found, counts)
        state = self.reader.read(rows, experience.seen)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            if isinstance(self.network, MoveNet):
                different, which = distinct(found)
                features = np.zeros(len(different) * MOVE_FEATURES + LANES, dtype=self.reader.lookup.dtype)
                put_move_features(different, self.reader.lookup, features)
                moves = torch.from_numpy(features[: len(different) * MOVE_FEATURES].reshape(len(different), -1))
                moves = moves.view(self.dtype) if self.dtype == torch.bfloat16 else moves
                return self.network(state, moves, torch.from_numpy(which), torch.from_numpy(counts)).float(), counts
            outputs = self.network(state).float()
        places = np.empty(len(found), dtype=np.int64)
        places_of(rows, decisions, found, counts, places)
        places += np.repeat(np.arange(len(rows)) * outputs.shape[1], counts)
        return outputs.reshape(-1)[torch.from_numpy(places)], counts

    def learn(
        self,
        experience: Experience,
        advantages: np.ndarray,
        rows: np.ndarray,
        weights: Weights,
        batch: int,
        epochs: int,
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Some epochs of PPO over these decisions."""
        decisions = experience.decisions[rows]
        chosen = Chosen(
            decisions["options"].astype(np.int64), decisions["chosen"].astype(np.int64), decisions["log"], advantages
        )

        def scores(network: nn.Module, part: np.ndarray) -> Tensor:
            return self.scores(experience, rows[part])[0]

        def taken(chosen: Chosen, part: np.ndarray) -> Chosen:
            return Chosen(chosen.counts[part], chosen.chosen[part], chosen.logs[part], chosen.advantages[part])

        return improve(self.network, self.optimiser, chosen, scores, taken, weights, batch, epochs, generator)
