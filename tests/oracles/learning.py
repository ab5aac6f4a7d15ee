"""Plain references of `tichu_models.algorithms`: one decision at a time, in float64, gradients by torch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import torch
from torch import Tensor


def sets_of(values: Tensor, counts: Sequence[int]) -> list[Tensor]:
    """Values end to end, split into those of each decision."""
    return list(values.split(list(counts)))


def log_softmax(scores: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """The logarithms of the probabilities of all answers."""
    parts = sets_of(torch.from_numpy(np.asarray(scores, dtype=np.float64)), counts)
    return torch.cat([part.log_softmax(0) for part in parts]).numpy()


def match(states: Tensor, answers: Tensor, which: Sequence[int], counts: Sequence[int], scale: float) -> Tensor:
    """The product of the vectors of each decision's state and of each of its answers."""
    of = np.repeat(np.arange(len(counts)), counts)
    return torch.stack([(states[i] * answers[j]).sum() * scale for i, j in zip(of, which, strict=True)])


def lambda_returns(result: float, values: Sequence[float], signs: Sequence[int], weight: float) -> list[float]:
    """The lambda-returns of one sequence by their definition: a weighted mean of the n-step returns.

    The n-step return of a decision is the value of the nth decision after it, or the result where the sequence ends
    before. The weights are (1 - lambda) lambda^(n - 1); the result has the rest.
    """
    returns = []
    for k, sign in enumerate(signs):
        later = [own * value for own, value in zip(signs[k + 1 :], values[k + 1 :], strict=True)]  # for sign 1
        total = sum((1 - weight) * weight**n * value for n, value in enumerate(later)) + weight ** len(later) * result
        returns.append(sign * total)
    return returns


def totals_of_game(score: float, best: Sequence[float], explored: Sequence[bool], weight: float) -> list[float]:
    """The lambda-returns of a game for one player by their definition: a weighted mean of the highest totals seen at
    later choices. The first random action ends the sum with the total seen there."""
    totals = []
    for k in range(len(best)):
        later = list(best[k + 1 :])
        random = [n for n, each in enumerate(explored[k + 1 :]) if each]
        end = score if not random else later[random[0]]
        later = later[: random[0]] if random else later
        totals.append(
            sum((1 - weight) * weight**n * value for n, value in enumerate(later)) + weight ** len(later) * end
        )
    return totals


def advantages(
    rewards: Sequence[float], values: Sequence[float], follows: Sequence[float], weight: float
) -> list[float]:
    """Generalised advantages of one sequence of steps by their definition; `values` has one more. `follows` is 1 or -1
    by whose the next value is, 0 at the end."""
    steps = range(len(rewards))
    differences = [rewards[k] + follows[k] * values[k + 1] - values[k] for k in steps]
    found = []
    for k in steps:
        last = next((n for n in range(k, len(rewards)) if not follows[n]), len(rewards) - 1)
        found.append(sum(weight ** (n - k) * prod(follows[k:n]) * differences[n] for n in range(k, last + 1)))
    return found


def policy_loss(
    scores: Tensor,
    counts: Sequence[int],
    chosen: Sequence[int],
    logs: Sequence[float],
    advantages: Sequence[float],
    clip: float,
    entropy: float,
    magnet: float = 0.0,
    magnet_logs: Tensor | None = None,
) -> tuple[Tensor, dict[str, float]]:
    """The loss of PPO with entropy and magnet, and its mean statistics."""
    pulls = sets_of(torch.zeros_like(scores) if magnet_logs is None else magnet_logs, counts)
    losses = []
    sums = dict.fromkeys(("entropy", "kl", "clipped", "magnet"), 0.0)
    decisions = zip(sets_of(scores, counts), pulls, chosen, logs, advantages, strict=True)
    for own, pull, place, old, advantage in decisions:
        log = own.log_softmax(0)
        ratio = (log[place] - old).exp()
        gain, cut = ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage
        spread = -(log.exp() * log).sum()
        distance = (log.exp() * (log - pull)).sum() if magnet else torch.zeros(())
        losses.append(-torch.minimum(gain, cut) - entropy * spread + magnet * distance)
        sums["entropy"] += spread.item()
        sums["kl"] += (ratio - 1 - ratio.log()).item()
        sums["clipped"] += float(gain > cut)
        sums["magnet"] += distance.item()
    return torch.stack(losses).mean(), {name: value / len(losses) for name, value in sums.items()}
