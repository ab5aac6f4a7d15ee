"""Metric of choices among a fixed set of answers: wish, Dragon gift, cards to schupf.

The baseline knows the frequencies of the answers: its top-1 always gives the most frequent one.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from tichu_models.learning.metrics.tally import Tally


class ChoiceMetric:
    """Top-1 accuracy and NLL. Answers with equal scores share their places, as in `moves`."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, scores: Tensor, target: Tensor) -> None:
        """Adds scores (n, answers), whose softmax is the probability, and the answers that were given (n,)."""
        scores = scores.detach().double()
        own = scores.gather(1, target[:, None])
        hits = torch.where((scores > own).any(1), 0.0, 1 / (scores == own).sum(1))
        self.tally.add("sums", torch.stack([hits.double().sum(), cross_entropy(scores, target, reduction="sum")]))
        self.tally.add("answers", torch.bincount(target, minlength=scores.shape[1]))

    def figures(self) -> dict[str, float]:
        """`top1`, `nll`, `base_top1`, `base_nll`, `samples`."""
        if "sums" not in self.tally:
            return {}
        answers = self.tally["answers"]
        n = answers.sum()
        share = answers[answers > 0] / n
        top1, nll = self.tally["sums"] / n
        base = {"base_top1": share.max(), "base_nll": -(share * np.log(share)).sum()}
        return {name: float(value) for name, value in {"samples": n, "top1": top1, "nll": nll, **base}.items()}
