"""Proximal policy optimisation (PPO) over sets of answers.

`improve` makes those answers of a network more likely that turned out better than expected, and the others less, but
only as far as the ratio of new to old probability stays near 1. What was expected is a critic's business: the caller
gives the advantages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from tichu_models.algorithms.student import Student, minibatches
from tichu_models.kernels import kernel

CUT = 4.0  # normalised advantages beyond this are cut
# What `policy_loss` sums up over decisions: the loss, the entropy of the answers, the divergence from the policy that
# made the decisions, 1 where the clip has stopped the gradient, the divergence from the magnet.
STATISTICS = ("loss", "entropy", "kl", "clipped", "magnet")


@dataclass(frozen=True)
class Weights:
    """The weights of the parts of the loss, and its clip."""

    clip: float  # a better answer gains nothing by a ratio above 1 + clip, a worse one by a ratio below 1 - clip
    entropy: float
    magnet: float = 0.0  # of the divergence from a fixed policy, the magnet


class Chosen(NamedTuple):
    """Decisions as the loss reads them, n in all with m answers."""

    counts: np.ndarray  # int64 (n,): how many answers each has
    chosen: np.ndarray  # int64 (n,): the place of the chosen one among them
    logs: np.ndarray  # float32 (n,): the logarithm of its probability when it was chosen
    advantages: np.ndarray  # float32 (n,): how much better than expected it turned out

    def of(self, rows: np.ndarray) -> Chosen:
        """Some of the decisions."""
        return Chosen(*(each[rows] for each in self))


def policy_loss(
    scores: Tensor, decisions: Chosen, weights: Weights, magnet: np.ndarray | None = None
) -> tuple[Tensor, np.ndarray]:
    """The loss from the scores of all answers (m,), and the sums of STATISTICS. `magnet` (m,) are the logarithms of
    the answers' probabilities by the magnet.

    The loss is the mean over decisions of: minus the smaller of ratio * advantage and the same with the clipped ratio,
    minus the entropy, plus the Kullback-Leibler divergence from the magnet, these two times their weights.
    """
    answers = int(decisions.counts.sum())
    pull = 0.0 if magnet is None else weights.magnet
    magnet = np.zeros(answers, dtype=np.float32) if magnet is None else magnet
    if not len(scores) == len(magnet) == answers:
        raise ValueError(f"{len(scores)} scores, {len(magnet)} of the magnet; the decisions have {answers} answers")
    of_scores, sums = np.empty(answers, dtype=np.float32), np.zeros(len(STATISTICS))
    plain = scores.detach().cpu().numpy()
    _loss(plain, *decisions, magnet, weights.clip, weights.entropy, pull, of_scores, sums)
    loss = _WithGradient.apply(scores, sums[0] / len(decisions.counts), torch.from_numpy(of_scores))
    return loss, sums


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
    """Writes the gradient of the mean loss by the scores, and adds to the sums of STATISTICS."""
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
        total = math.log(total)
        entropy, distance = 0.0, 0.0
        for k in range(at, end):
            log = scores[k] - highest - total
            p = math.exp(log)
            entropy -= p * log
            if magnet_weight:
                distance += p * (log - magnet[k])
        picked = at + chosen[i]
        log_ratio = scores[picked] - highest - total - old[i]
        ratio = math.exp(log_ratio)
        gain = ratio * advantages[i]
        cut = min(max(ratio, 1 - clip), 1 + clip) * advantages[i]
        slope = gain if gain <= cut else 0.0  # of the smaller one by the logarithm of the probability
        for k in range(at, end):
            log = scores[k] - highest - total
            p = math.exp(log)
            of_log = (1.0 if k == picked else 0.0) - p
            of_entropy = -p * (log + entropy)
            of_distance = p * (log - magnet[k] - distance) if magnet_weight else 0.0
            of_scores[k] = (magnet_weight * of_distance - slope * of_log - entropy_weight * of_entropy) / n
        sums[0] += magnet_weight * distance - min(gain, cut) - entropy_weight * entropy
        sums[1] += entropy
        sums[2] += ratio - 1 - log_ratio
        sums[3] += gain > cut
        sums[4] += distance
        at = end


class _WithGradient(torch.autograd.Function):
    """A number with a gradient by the scores that has been computed already."""

    @staticmethod
    def forward(ctx, scores: Tensor, number: float, of_scores: Tensor) -> Tensor:
        ctx.save_for_backward(of_scores.to(scores.device))
        return scores.new_tensor(number)

    @staticmethod
    def backward(ctx, of_number: Tensor):
        (of_scores,) = ctx.saved_tensors
        return of_scores * of_number, None, None


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
    """Some epochs of PPO. `scores` runs the student's network on the decisions of these rows; `magnet`, asked before
    it, gives the logarithms of the probabilities of their answers by the magnet. Returns the mean STATISTICS, each
    minibatch's before its step."""
    sums, seen = np.zeros(len(STATISTICS)), 0
    for _ in range(epochs):
        for rows in minibatches(len(decisions.counts), batch, generator):
            pulled_to = magnet(rows) if magnet else None
            loss, of_part = policy_loss(scores(rows).float(), decisions.of(rows), weights, pulled_to)
            student.step(loss)
            sums += of_part
            seen += len(rows)
    return dict(zip(STATISTICS, (sums / max(seen, 1)).tolist(), strict=True))
