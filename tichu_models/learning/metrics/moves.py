"""Metric of policies: how high they rank the move that was played among the legal ones.

Moves of equal score share their places: a policy that gives m moves the same score has a top-1 of 1 / m. There are
figures over all decisions; over those with two legal moves or more (`not_forced`); of these, over those where cards
were played (`not_pass`) and over each type of the move played. The baseline `uniform` chooses any legal move with the
same probability.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tichu_models.learning.metrics.tally import Tally
from tichu_models.networks.candidates import Candidates, best, count_where, log_softmax, types
from tichu_models.rules.combinations import PASS, TYPE_NAMES

GROUPS = ("", "_not_forced", "_not_pass", *(f"_{name.lower()}" for name in TYPE_NAMES))
COLUMNS = ("decisions", "top1", "top5", "nll", "uniform_top1", "uniform_nll")
FIRST_FEW = 5


class MoveMetric:
    """Top-1, top-5 and NLL over the legal moves, and precision and recall of the pass."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, scores: Tensor, likelihood: Tensor, candidates: Candidates, chosen: Tensor) -> None:
        """Adds n decisions. `scores` (m,) rank the moves, the softmax of `likelihood` (m,) is their probability;
        `chosen` (n,) is the index of the move that was played.

        Decisions whose move is not among the legal ones (-1) only count in `not_legal`.
        """
        there = chosen >= 0
        at = chosen.clamp(min=0)
        above = count_where(scores > scores[at][candidates.row], candidates).double()
        equal = count_where(scores == scores[at][candidates.row], candidates).double()
        legal = candidates.counts.double()
        columns = [
            torch.ones_like(legal),
            ((1 - above) / equal).clamp(0, 1),
            ((FIRST_FEW - above) / equal).clamp(0, 1),
            -log_softmax(likelihood, candidates)[at].double(),
            1 / legal,
            legal.log(),
        ]
        played = types(candidates.plays[at])
        free = there & (legal > 1)
        groups = [there, free, free & (played != PASS), *(free & (played == kind) for kind in range(len(TYPE_NAMES)))]
        masks = torch.stack(groups).to(legal)
        self.tally.add("groups", masks @ torch.stack(columns, dim=1))
        may_pass = free & (count_where(candidates.plays == 0, candidates) > 0)
        passes = candidates.plays[best(scores, candidates)] == 0
        passed = played == PASS
        both = torch.stack([passes & passed, passes & ~passed, ~passes & passed])
        self.tally.add("passes", (both & may_pass).sum(1))
        self.tally.add("not_legal", (~there).sum())

    def figures(self) -> dict[str, float]:
        """`top1`, `top1_not_forced`, .., `nll_pair`, .., `pass_precision`, `pass_recall`, `not_legal` (a share)."""
        if "groups" not in self.tally:
            return {}
        figures = {}
        for group, (n, *sums) in zip(GROUPS, self.tally["groups"], strict=True):
            if n:
                figures[f"decisions{group}"] = float(n)
                figures |= {f"{name}{group}": float(each / n) for name, each in zip(COLUMNS[1:], sums, strict=True)}
        hits, wrong, missed = self.tally["passes"]
        if hits + wrong:
            figures["pass_precision"] = float(hits / (hits + wrong))
        if hits + missed:
            figures["pass_recall"] = float(hits / (hits + missed))
        missing = float(self.tally["not_legal"])
        return {**figures, "not_legal": missing / (missing + figures.get("decisions", 0.0))}
