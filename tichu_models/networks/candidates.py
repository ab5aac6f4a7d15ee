"""Candidates: the legal moves of many decisions end to end in one tensor, and operations on a number for each move.

A decision has one to 1,674 legal moves, six on average; therefore nothing is padded.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from tichu_models.observation.specs import PASS_BIT
from tichu_models.rules.cards import BIT_OF_INDEX
from tichu_models.rules.combinations import RANK_SHIFT, TYPE_AND_LENGTH, TYPE_SHIFT


class Candidates(NamedTuple):
    """The m legal moves of n decisions, at least one of each."""

    plays: Tensor  # (m,) int64: packed plays, 0 for the pass; those of a decision follow each other
    row: Tensor  # (m,) int64, ascending: the decision of each move
    rows: int  # n

    @classmethod
    def of_counts(cls, plays: Tensor, counts: Tensor) -> Candidates:
        """From plays end to end and their number for each decision."""
        row = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts, output_size=len(plays))
        return cls(plays, row, len(counts))

    @classmethod
    def of_padded(cls, plays: Tensor, counts: Tensor) -> Candidates:
        """From rows of plays (n, most), of which the first `counts` (n,) are legal."""
        legal = torch.arange(plays.shape[1], device=plays.device) < counts[:, None]
        return cls.of_counts(plays[legal], counts)

    def take(self, chosen: Tensor) -> Candidates:
        """The candidates of some decisions (k,), in the order given."""
        counts = self.counts
        first = counts.cumsum(0) - counts
        taken = Candidates.of_counts(torch.empty(int(counts[chosen].sum()), device=chosen.device), counts[chosen])
        place = torch.arange(len(taken.row), device=chosen.device)
        own_first = (counts[chosen].cumsum(0) - counts[chosen])[taken.row]
        return Candidates(self.plays[first[chosen][taken.row] + place - own_first], taken.row, taken.rows)

    @property
    def counts(self) -> Tensor:
        """(n,) the number of moves of each decision."""
        return torch.bincount(self.row, minlength=self.rows)


def card_bits(plays: Tensor) -> Tensor:
    """(m, 56) whether a play holds each card, in the order of card indices."""
    bits = torch.as_tensor(BIT_OF_INDEX, dtype=torch.int64, device=plays.device)
    return (plays[:, None] >> bits).bitwise_and_(1).bool()


def types(plays: Tensor) -> Tensor:
    """(m,) the type of each play, PASS .. BOMB."""
    return plays >> TYPE_SHIFT & 7


def ranks(plays: Tensor) -> Tensor:
    """(m,) the rank of each play, 0..15."""
    return plays >> RANK_SHIFT


def types_and_lengths(plays: Tensor) -> Tensor:
    """(m,) the index of each play's type and length, of 31."""
    label = torch.zeros((8, 16), dtype=torch.int64)
    for i, (kind, length) in enumerate(TYPE_AND_LENGTH):
        label[kind, length] = i
    return label.to(plays.device)[types(plays), card_bits(plays).sum(1)]


def find(candidates: Candidates, target: Tensor) -> Tensor:
    """(n,) the index among all plays of what was played (n, 57); -1 where it is not one of the legal moves."""
    m = len(candidates.plays)
    played = _as_words(target != 0)
    matches = _as_words(card_bits(candidates.plays)) == (played & ~PASS_BIT)[candidates.row]
    matches &= (played != 0)[candidates.row]
    at = torch.where(matches, torch.arange(m, device=target.device), m)
    first = _reduced(at, candidates, "amin")
    return torch.where(first < m, first, -1)


def log_softmax(scores: Tensor, candidates: Candidates) -> Tensor:
    """(m,) the log-probability of each move among those of its decision, in float32 or better."""
    scores = scores if scores.dtype == torch.float64 else scores.float()
    shifted = scores - _reduced(scores.detach(), candidates, "amax")[candidates.row]
    total = shifted.new_zeros(candidates.rows).index_add(0, candidates.row, shifted.exp())
    return shifted - total.log()[candidates.row]


def best(scores: Tensor, candidates: Candidates) -> Tensor:
    """(n,) the index among all plays of each decision's highest score, the first of equals."""
    highest = _reduced(scores, candidates, "amax")[candidates.row]
    m = len(scores)
    at = torch.where(scores == highest, torch.arange(m, device=scores.device), m - 1)
    return _reduced(at, candidates, "amin")


def count_where(condition: Tensor, candidates: Candidates) -> Tensor:
    """(n,) the number of moves of each decision for which the condition holds."""
    return torch.zeros(candidates.rows, dtype=torch.int64, device=condition.device).index_add(
        0, candidates.row, condition.long()
    )


def _reduced(values: Tensor, candidates: Candidates, how: str) -> Tensor:
    """(n,) a number for each move (m,) reduced over each decision."""
    start = values.new_zeros(candidates.rows)
    return start.scatter_reduce(0, candidates.row, values, how, include_self=False)


def _as_words(bits: Tensor) -> Tensor:
    """Rows of booleans as int64, the first as the lowest bit."""
    return (bits.long() << torch.arange(bits.shape[1], device=bits.device)).sum(1)
