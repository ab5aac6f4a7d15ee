"""How often a policy ranks the move that was played among the first, over the legal ones.

Moves of equal score share their places: who gives all moves the same score is right once in as many times. Figures
come over all decisions, over those that are `not_forced` (two legal moves or more), over those of them where cards
were played (`not_pass`), and by the type of the move played (of those not forced). Beside each stands `uniform`: that
of a player who takes any legal move.
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
    """Top-1, top-5, NLL over the legal moves, and how well passes are told from plays."""

    def __init__(self) -> None:
        self.tally = Tally()

    def update(self, scores: Tensor, likelihood: Tensor, candidates: Candidates, chosen: Tensor) -> None:
        """Scores rank the moves (m,); the softmax of `likelihood` (m,) is their probability; (n,) what was played.

        Decisions whose move is not among the legal ones (-1) are counted, and nothing else.
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
        found = {}
        for group, (n, *sums) in zip(GROUPS, self.tally["groups"], strict=True):
            if n:
                found[f"decisions{group}"] = float(n)
                found |= {f"{name}{group}": float(each / n) for name, each in zip(COLUMNS[1:], sums, strict=True)}
        hits, wrong, missed = self.tally["passes"]
        if hits + wrong:
            found["pass_precision"] = float(hits / (hits + wrong))
        if hits + missed:
            found["pass_recall"] = float(hits / (hits + missed))
        missing = float(self.tally["not_legal"])
        return {**found, "not_legal": missing / (missing + found.get("decisions", 0.0))}
