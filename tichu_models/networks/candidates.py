"""Legal moves of many decisions, end to end in one tensor, and what is done with a number for each of them.

A decision has between one and 1,674 legal moves, six on average, so that nothing is padded. How a network scores a
move does not belong here.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from tichu_models.observation.specs import PASS_BIT
from tichu_models.rules.cards import BIT_OF_INDEX
from tichu_models.rules.combinations import RANK_SHIFT, TYPE_AND_LENGTH, TYPE_SHIFT


class Candidates(NamedTuple):
    """Packed plays (0 is the pass) of n decisions, each with one at least."""

    plays: Tensor  # (m,) int64, those of a decision side by side
    row: Tensor  # (m,) int64, ascending: whose they are
    rows: int  # n

    @classmethod
    def of_counts(cls, plays: Tensor, counts: Tensor) -> Candidates:
        """Plays end to end, and how many each decision has."""
        row = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts, output_size=len(plays))
        return cls(plays, row, len(counts))

    @classmethod
    def of_padded(cls, plays: Tensor, counts: Tensor) -> Candidates:
        """Plays in rows (n, most), of which the first `counts` (n,) are legal."""
        there = torch.arange(plays.shape[1], device=plays.device) < counts[:, None]
        return cls.of_counts(plays[there], counts)

    def take(self, chosen: Tensor) -> Candidates:
        """Those of some of the decisions (k,), in that order."""
        counts = self.counts
        first = counts.cumsum(0) - counts
        taken = Candidates.of_counts(torch.empty(int(counts[chosen].sum()), device=chosen.device), counts[chosen])
        place = torch.arange(len(taken.row), device=chosen.device)
        own_first = (counts[chosen].cumsum(0) - counts[chosen])[taken.row]
        return Candidates(self.plays[first[chosen][taken.row] + place - own_first], taken.row, taken.rows)

    @property
    def counts(self) -> Tensor:
        """(n,) how many each decision has."""
        return torch.bincount(self.row, minlength=self.rows)


def card_bits(plays: Tensor) -> Tensor:
    """(m, 56) booleans in the order of card indices."""
    bits = torch.as_tensor(BIT_OF_INDEX, dtype=torch.int64, device=plays.device)
    return (plays[:, None] >> bits).bitwise_and_(1).bool()


def types(plays: Tensor) -> Tensor:
    """(m,) PASS .. BOMB."""
    return plays >> TYPE_SHIFT & 7


def ranks(plays: Tensor) -> Tensor:
    """(m,) 0..15."""
    return plays >> RANK_SHIFT


def types_and_lengths(plays: Tensor) -> Tensor:
    """(m,) which of the 31 labels of type and length."""
    label = torch.zeros((8, 16), dtype=torch.int64)
    for i, (kind, length) in enumerate(TYPE_AND_LENGTH):
        label[kind, length] = i
    return label.to(plays.device)[types(plays), card_bits(plays).sum(1)]


def find(candidates: Candidates, target: Tensor) -> Tensor:
    """(n,) where in the plays what was played (n, 57) stands; -1 if it is not among the legal ones."""
    m = len(candidates.plays)
    played = _as_words(target != 0)
    matches = _as_words(card_bits(candidates.plays)) == (played & ~PASS_BIT)[candidates.row]
    matches &= (played != 0)[candidates.row]
    at = torch.where(matches, torch.arange(m, device=target.device), m)
    found = _reduced(at, candidates, "amin")
    return torch.where(found < m, found, -1)


def log_softmax(scores: Tensor, candidates: Candidates) -> Tensor:
    """(m,) log-probability of each move among the legal ones of its decision, in float32 or better."""
    scores = scores if scores.dtype == torch.float64 else scores.float()
    shifted = scores - _reduced(scores.detach(), candidates, "amax")[candidates.row]
    total = shifted.new_zeros(candidates.rows).index_add(0, candidates.row, shifted.exp())
    return shifted - total.log()[candidates.row]


def best(scores: Tensor, candidates: Candidates) -> Tensor:
    """(n,) where in the plays each decision's highest score stands, the first of equals."""
    highest = _reduced(scores, candidates, "amax")[candidates.row]
    m = len(scores)
    at = torch.where(scores == highest, torch.arange(m, device=scores.device), m - 1)
    return _reduced(at, candidates, "amin")


def count_where(condition: Tensor, candidates: Candidates) -> Tensor:
    """(n,) for how many moves of each decision it holds."""
    return torch.zeros(candidates.rows, dtype=torch.int64, device=condition.device).index_add(
        0, candidates.row, condition.long()
    )


def _reduced(values: Tensor, candidates: Candidates, how: str) -> Tensor:
    start = values.new_zeros(candidates.rows)
    return start.scatter_reduce(0, candidates.row, values, how, include_self=False)


def _as_words(bits: Tensor) -> Tensor:
    return (bits.long() << torch.arange(bits.shape[1], device=bits.device)).sum(1)
