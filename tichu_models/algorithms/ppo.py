"""Proximal policy optimisation over sets of legal answers (PPO), with a critic that may see more than the players.

`improve` takes a network some steps of gradient towards those of its answers that turned out better than the critic had
expected; `fit` teaches the critic. Which game it is, does not matter here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import Tensor, nn

from tichu_models.kernels import kernel

CUT = 4.0  # normalised advantages beyond this are cut
STATISTICS = ("loss", "entropy", "kl", "clipped", "magnet")
GRADIENT_NORM = 0.5
ADAM_EPSILON = 1e-5


class LossError(ArithmeticError):
    """A loss that is no number."""


@dataclass(frozen=True)
class Weights:
    """The weights of the parts of the loss."""

    clip: float  # the ratio of new to old probability counts only within 1 - clip .. 1 + clip
    entropy: float
    magnet: float = 0.0  # of the divergence from a fixed policy


class Chosen(NamedTuple):
    """Decisions as the loss reads them, n in all with m answers."""

    counts: np.ndarray  # int64 (n,): the answers of each
    chosen: np.ndarray  # int64 (n,): the place of the chosen one among them
    logs: np.ndarray  # float32 (n,): the logarithm of its probability when it was chosen
    advantages: np.ndarray  # float32 (n,)
    magnet: np.ndarray | None = None  # float32 (m,): the logarithm of every answer's probability by the magnet


@kernel
def _loss(
    scores: np.ndarray,
    counts: np.ndarray,
    chosen: np.ndarray,
    old: np.ndarray,
    advantages: np.ndarray,
    magnet: np.ndarray,
    clip: float,
    entropy_weight: float,
    magnet_weight: float,
    of_scores: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Sums of loss, entropy, divergence, clipped decisions, distance to the magnet; `of_scores` is the gradient of the
    mean loss."""
    n = len(counts)
    at = 0
    for i in range(n):
        end = at + counts[i]
        highest = np.float64(scores[at])
        for k in range(at, end):
            highest = max(highest, np.float64(scores[k]))
        total = 0.0
        for k in range(at, end):
            total += math.exp(scores[k] - highest)
        normaliser = highest + math.log(total)
        entropy, distance = 0.0, 0.0
        for k in range(at, end):
            log = scores[k] - normaliser
            p = math.exp(log)
            entropy -= p * log
            if magnet_weight:
                distance += p * (log - magnet[k])
        picked = at + chosen[i]
        log_ratio = scores[picked] - normaliser - old[i]
        ratio = math.exp(log_ratio)
        gain = ratio * advantages[i]
        cut = min(max(ratio, 1 - clip), 1 + clip) * advantages[i]
        slope = gain if gain <= cut else 0.0  # of the objective by the logarithm of the probability
        for k in range(at, end):
            log = scores[k] - normaliser
            p = math.exp(log)
            slope_k = (1.0 if k == picked else 0.0) - p
            of_entropy = -p * (log + entropy)
            of_distance = p * (log - magnet[k] - distance) if magnet_weight else 0.0
            of_scores[k] = (magnet_weight * of_distance - slope * slope_k - entropy_weight * of_entropy) / n
        sums[0] += magnet_weight * distance - min(gain, cut) - entropy_weight * entropy
        sums[1] += entropy
        sums[2] += ratio - 1 - log_ratio
        sums[3] += gain > cut
        sums[4] += distance
        at = end


class PolicyLoss(torch.autograd.Function):
    """The mean loss of decisions from the scores of their answers (m,). Its gradient is computed with it."""

    @staticmethod
    def forward(ctx, scores: Tensor, decisions: Chosen, weights: Weights, statistics: np.ndarray) -> Tensor:  # type: ignore[override]
        ctx.device, scores = scores.device, scores.cpu()
        of_scores = np.empty(len(scores), dtype=np.float32)
        sums = np.zeros(len(STATISTICS))
        magnet = np.zeros(0, dtype=np.float32) if decisions.magnet is None else decisions.magnet
        parts = (decisions.counts, decisions.chosen, decisions.logs, decisions.advantages, magnet)
        _loss(scores.numpy(), *parts, weights.clip, weights.entropy, weights.magnet, of_scores, sums)
        statistics += sums
        ctx.save_for_backward(torch.from_numpy(of_scores))
        return torch.tensor(sums[0] / len(decisions.counts), device=ctx.device)

    @staticmethod
    def backward(ctx, of_loss: Tensor):  # type: ignore[override]
        (of_scores,) = ctx.saved_tensors
        return of_scores.to(ctx.device) * of_loss.float(), None, None, None


def minibatches(n: int, size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """All of n decisions in random order, in parts of nearly equal size, `size` at most, each in ascending order."""
    if n:
        for part in np.array_split(generator.permutation(n), -(-n // size)):
            yield np.sort(part)


class Student:
    """A network that learns, with its optimiser, on the device and in the precision of a Lightning Fabric."""

    def __init__(self, fabric: Fabric, network: nn.Module, rate: float) -> None:
        self.fabric, self.network = fabric, network
        optimiser = torch.optim.Adam(network.parameters(), lr=rate, eps=ADAM_EPSILON, fused=True)
        _, self.optimiser = fabric.setup(network, optimiser)

    def ask(self, *inputs: Tensor) -> Tensor:
        """Runs the network in that precision."""
        with self.fabric.autocast():
            return self.network(*inputs)

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self.fabric.device

    def set_rate(self, rate: float) -> None:
        """Sets the learning rate."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def step(self, loss: Tensor) -> None:
        """One step of gradient. A loss that is no number changes nothing and is an error."""
        name = type(self.network).__name__
        if not math.isfinite(loss.item()):
            raise LossError(f"the loss of {name} is {loss.item()}; expected a number")
        self.optimiser.zero_grad(set_to_none=True)
        self.fabric.backward(loss)
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM)
        if not math.isfinite(norm.item()):
            raise LossError(f"the gradient of {name} is {norm.item()}; expected a number")
        self.optimiser.step()

    def tensors(self) -> dict[str, Tensor]:
        """All that the student is made of: weights, and the state of its optimiser."""
        found = {f"weights.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for place, state in self.optimiser.state_dict()["state"].items():
            found |= {f"adam.{place}.{name}": tensor for name, tensor in state.items()}
        return {name: tensor.detach().cpu().contiguous() for name, tensor in found.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Restores what `tensors` gave."""
        weights = {name[8:]: tensor for name, tensor in tensors.items() if name.startswith("weights.")}
        self.network.load_state_dict(weights)
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith("adam."):
                _, place, key = name.split(".")
                state.setdefault(int(place), {})[key] = tensor
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})


def improve(
    student: Student,
    decisions: Chosen,
    scores: Callable[[np.ndarray], Tensor],
    weights: Weights,
    batch: int,
    epochs: int,
    generator: np.random.Generator,
    magnet: Callable[[np.ndarray], np.ndarray] | None = None,
) -> dict[str, float]:
    """Some epochs of PPO. `scores` runs the student's network on the decisions of these rows, `magnet` gives the
    logarithms of all their answers' probabilities by the magnet. Returns the mean statistics."""
    sums, seen = np.zeros(len(STATISTICS)), 0
    for _ in range(epochs):
        for rows in minibatches(len(decisions.counts), batch, generator):
            part = Chosen(*(each[rows] for each in decisions[:4]), magnet(rows) if magnet else None)
            student.step(PolicyLoss.apply(scores(rows).float(), part, weights, sums))
            seen += len(rows)
    return dict(zip(STATISTICS, (sums / max(seen, 1)).tolist(), strict=True))


def fit(
    critic: Student,
    returns: np.ndarray,
    values: Callable[[np.ndarray], Tensor],
    rows: np.ndarray,
    batch: int,
    generator: np.random.Generator,
) -> float:
    """One epoch of the critic over some rows: squared error of its values. Returns the mean loss."""
    total = 0.0
    for part in minibatches(len(rows), batch, generator):
        chosen = rows[part]
        loss = nn.functional.mse_loss(values(chosen).float(), torch.from_numpy(returns[chosen]).to(critic.device))
        critic.step(loss)
        total += loss.item() * len(part)
    return total / max(len(rows), 1)


def between(begin: float, end: float, share: float) -> float:
    """A number that falls (or rises) geometrically from begin to end while the share goes from 0 to 1."""
    return (
        begin * (end / begin) ** min(max(share, 0.0), 1.0) if begin > 0 and end > 0 else begin + (end - begin) * share
    )


def generator_of(*numbers: int) -> np.random.Generator:
    """Random numbers that depend on these whole numbers alone, so that a run that is resumed draws the same."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(numbers)))
