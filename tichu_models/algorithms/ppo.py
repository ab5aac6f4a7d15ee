"""Proximal policy optimisation over sets of legal answers (PPO), with a critic that may see more than the players.

A `Policy` is a network and the decisions it made; `improve` takes it some steps of gradient towards those of its
answers that turned out better than the critic had expected. Which game it is, does not matter here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.kernels import kernel

CUT = 4.0  # normalised advantages beyond this are cut
STATISTICS = ("loss", "entropy", "kl", "clipped", "magnet")
GRADIENT_NORM = 0.5


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
        of_scores = np.empty(len(scores), dtype=np.float32)
        sums = np.zeros(len(STATISTICS))
        magnet = np.zeros(0, dtype=np.float32) if decisions.magnet is None else decisions.magnet
        parts = (decisions.counts, decisions.chosen, decisions.logs, decisions.advantages, magnet)
        _loss(scores.numpy(), *parts, weights.clip, weights.entropy, weights.magnet, of_scores, sums)
        statistics += sums
        ctx.save_for_backward(torch.from_numpy(of_scores))
        return torch.tensor(sums[0] / len(decisions.counts))

    @staticmethod
    def backward(ctx, of_loss: Tensor):  # type: ignore[override]
        (of_scores,) = ctx.saved_tensors
        return of_scores * of_loss.float(), None, None, None


def minibatches(n: int, size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """All of n decisions in random order, in parts of nearly equal size, `size` at most, each in ascending order."""
    if n:
        for part in np.array_split(generator.permutation(n), -(-n // size)):
            yield np.sort(part)


def step(
    loss: Tensor, network: nn.Module, optimiser: torch.optim.Optimizer, backward: Callable[[Tensor], None]
) -> None:
    """One step of gradient. A loss that is no number changes nothing and is an error."""
    if not math.isfinite(loss.item()):
        raise LossError(f"the loss of {type(network).__name__} is {loss.item()}; expected a number")
    optimiser.zero_grad(set_to_none=True)
    backward(loss)
    norm = nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_NORM)
    if not math.isfinite(norm.item()):
        raise LossError(f"the gradient of {type(network).__name__} is {norm.item()}; expected a number")
    optimiser.step()


def improve(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    decisions: Chosen,
    scores: Callable[[nn.Module, np.ndarray], Tensor],
    part: Callable[[Chosen, np.ndarray], Chosen],
    weights: Weights,
    batch: int,
    epochs: int,
    generator: np.random.Generator,
    backward: Callable[[Tensor], None] = Tensor.backward,
) -> dict[str, float]:
    """Some epochs of PPO. `scores` runs the network on the decisions of these rows. Returns the mean statistics."""
    sums, seen = np.zeros(len(STATISTICS)), 0
    for _ in range(epochs):
        for rows in minibatches(len(decisions.counts), batch, generator):
            loss = PolicyLoss.apply(scores(network, rows).float(), part(decisions, rows), weights, sums)
            step(loss, network, optimiser, backward)
            seen += len(rows)
    return dict(zip(STATISTICS, (sums / max(seen, 1)).tolist(), strict=True))


def fit(
    critic: nn.Module,
    optimiser: torch.optim.Optimizer,
    returns: np.ndarray,
    values: Callable[[nn.Module, np.ndarray], Tensor],
    rows: np.ndarray,
    batch: int,
    generator: np.random.Generator,
    backward: Callable[[Tensor], None] = Tensor.backward,
) -> float:
    """One epoch of the critic over some rows: squared error of its values. Returns the mean loss."""
    total = 0.0
    for part in minibatches(len(rows), batch, generator):
        chosen = rows[part]
        loss = nn.functional.mse_loss(values(critic, chosen).float(), torch.from_numpy(returns[chosen]))
        step(loss, critic, optimiser, backward)
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


def accelerated(fabric: Any, network: nn.Module, rate: float) -> tuple[Any, Any]:
    """The network and its Adam on the device of a Lightning Fabric, in its precision."""
    return fabric.setup(network, torch.optim.Adam(network.parameters(), lr=rate, eps=1e-5, fused=True))
