"""Counts of combinations on a hand, which can be appended to a vector.

A count is how many of a kind can be laid side by side, without the Phoenix: 7 7 8 8 9 9 has one stair of four cards,
not two. Of a single figure of several ranks it is how many complete ones the hand holds.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.observation.fields import Row, put_number
from tichu_models.rules.cards import ACE, DOG, DRAGON, MAHJONG, PHOENIX, RANKS, Mask, rank_counts
from tichu_models.rules.combinations import (
    BOMB,
    FIGURES,
    FOUR_OF_A_KIND,
    FULLHOUSE,
    MIN_STREET,
    PAIR,
    SINGLE,
    STAIR,
    TRIPLE,
    combination_name,
)

RankCounts: TypeAlias = int  # cards of each rank in its nibble, as `cards.rank_counts`, the Mahjong as rank 1

# What a count is of: RUNS (cards of each rank, lowest rank, ranks in a row), FULL_HOUSES, FLUSHES and BOMBS (the last
# number is the length of a street of one colour), FOURS, or a FIGURE (type, length, rank).
RUNS, FULL_HOUSES, FLUSHES, FOURS, BOMBS, FIGURE = range(6)
_PAIRS, _TRIPLES, _HOUSES = (RUNS, 2, 2, 1), (RUNS, 3, 2, 1), (FULL_HOUSES, 0, 0, 0)

# The counts of each block by name: six kinds, 29 kinds by length, or the 226 figures.
COUNTED: dict[int, dict[str, tuple[int, int, int, int]]] = {
    6: {
        "pairs": _PAIRS,
        "triples": _TRIPLES,
        "stairs": (RUNS, 2, 2, 2),
        "fullhouses": _HOUSES,
        "streets": (RUNS, 1, 1, MIN_STREET),
        "bombs": (BOMBS, 0, 0, MIN_STREET),
    },
    29: {
        "pairs": _PAIRS,
        "triples": _TRIPLES,
        **{f"stairs{2 * pairs}": (RUNS, 2, 2, pairs) for pairs in range(2, 8)},
        "fullhouses": _HOUSES,
        **{f"streets{length}": (RUNS, 1, 1, length) for length in range(MIN_STREET, ACE + 1)},
        f"bombs{FOUR_OF_A_KIND}": (FOURS, 0, 0, 0),
        **{f"bombs{length}": (FLUSHES, 0, 0, length) for length in range(MIN_STREET, ACE)},
    },
    226: {f"{combination_name(figure.type, figure.length)}_{figure.rank}": (FIGURE, *figure) for figure in FIGURES},
}
COUNTED_ROWS = np.array([row for block in COUNTED.values() for row in block.values()], dtype=np.int64)
FIRST_ROW = {0: 0, 6: 0, 29: 6, 226: 6 + 29}  # of each block in COUNTED_ROWS; 0 is no block


@inlined
def _of_rank(counts: RankCounts, rank: int) -> int:
    """Number of cards of a rank: 1 is the Mahjong."""
    return (counts >> (4 * (rank - 1))) & 15


@inlined
def _groups(cards: int, size: int) -> int:
    """The number of groups of one, two or three in up to four cards: `cards // size`, in a fraction of its time."""
    return (cards + (size == 3)) >> (size - 1)


@inner
def _side_by_side(counts: RankCounts, size: int, lowest: int, ranks: int) -> int:
    """Number of disjoint runs of so many ranks with `size` cards of each, taken greedily from below."""
    total = 0
    for low in range(lowest, ACE - ranks + 2):
        fit = 4
        for rank in range(low, low + ranks):
            fit = min(fit, _groups(_of_rank(counts, rank), size))
        counts -= fit * size * _run_of_ones(ranks) << (4 * (low - 1))
        total += fit
    return total


@inlined
def _run_of_ones(ranks: int) -> int:
    """1 in each of so many nibbles."""
    return ((1 << (4 * ranks)) - 1) // 15


@inner
def _full_houses(counts: RankCounts) -> int:
    """Number of disjoint full houses: a hand has room for two."""
    threes = fours = pairs = 0
    for rank in range(2, ACE + 1):
        n = _of_rank(counts, rank)
        threes += n == 3
        fours += n == 4
        pairs += n // 2
    for houses in (2, 1):
        from_fours = max(houses - threes, 0)
        if from_fours <= fours and pairs - houses - from_fours >= houses:
            return houses
    return 0


@inner
def _counts_of(hand: Mask) -> RankCounts:
    """Cards of each rank, the Mahjong as rank 1."""
    return (rank_counts(hand & ~(DOG | DRAGON | PHOENIX)) & ~15) | (hand & MAHJONG)


@inner
def _flushes(hand: Mask, length: int) -> int:
    """Number of disjoint streets of one colour of this length."""
    total = 0
    for colour in range(4):
        total += _side_by_side((hand >> colour) & RANKS, 1, 2, length)
    return total


@inner
def _fours(counts: RankCounts) -> int:
    """Number of fours of a kind."""
    n = 0
    for rank in range(2, ACE + 1):
        n += _of_rank(counts, rank) == 4
    return n


@inner
def _of_figure(hand: Mask, counts: RankCounts, kind: int, length: int, rank: int) -> int:
    """How many of one figure the hand holds at once."""
    if kind == SINGLE:
        if rank == 0:
            return hand & DOG != 0
        if rank > ACE:
            return hand & (DRAGON if rank == ACE + 1 else PHOENIX) != 0
        return _of_rank(counts, rank)
    if kind == PAIR or kind == TRIPLE:
        return _of_rank(counts, rank) // length
    if kind == FULLHOUSE:
        rest = counts & ~(15 << (4 * (rank - 1)))
        return _of_rank(counts, rank) >= 3 and _side_by_side(rest, 2, 2, 1) > 0
    if kind == BOMB and length == FOUR_OF_A_KIND:
        return _of_rank(counts, rank) == 4
    size = 2 if kind == STAIR else 1
    ranks = length // size
    low = rank - ranks + 1
    fit = 0
    if kind == BOMB:
        shape = _run_of_ones(ranks) << (4 * (low - 1))
        for colour in range(4):
            fit += hand & (shape << colour) == shape << colour
        return fit
    fit = 4
    for each in range(low, rank + 1):
        fit = min(fit, _groups(_of_rank(counts, each), size))
    return fit


@inner
def _number_of(hand: Mask, counts: RankCounts, at: int) -> np.int64:
    """The count of one row of COUNTED_ROWS."""
    kind, size, lowest, ranks = COUNTED_ROWS[at]
    if kind == RUNS:
        return _side_by_side(counts, size, lowest, ranks)
    if kind == FULL_HOUSES:
        return _full_houses(counts)
    if kind == FLUSHES:
        return _flushes(hand, ranks)
    if kind == FOURS:
        return _fours(counts)
    if kind == BOMBS:
        return _fours(counts) + _flushes(hand, ranks)
    return np.int64(_of_figure(hand, counts, size, lowest, ranks))


@inner
def put_counts(hand: Mask, row: Row, words: int, number: int, first: int, size: int) -> None:
    """Writes the counts of `size` rows of COUNTED_ROWS from `first` on, from number `number` on. As constants, the rows
    would be unrolled in minutes of compiling."""
    counts = _counts_of(hand)
    for k in range(size):
        put_number(row, words, number + k, _number_of(hand, counts, first + k))
