"""What can be appended to a vector: the game's score so far, counts of combinations, the latest turns.

Counts say how many of a kind can be laid side by side, without the Phoenix: of the ranks 7 7 8 8 9 9 two stairs of
four cards cannot. Figures of several ranks count how many complete ones there are at once.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.observation.fields import put_number, seat_field
from tichu_models.observation.view import HISTORY_MOST
from tichu_models.records.history import CALL_ENTRY, PASS_ENTRY, TAKE_ENTRY, cards_in, kind_of, seat_of
from tichu_models.rules.cards import ACE, DOG, DRAGON, MAHJONG, PHOENIX, count, rank_counts
from tichu_models.rules.combinations import (
    BOMB,
    FIGURES,
    FULLHOUSE,
    MIN_STREET,
    PAIR,
    SINGLE,
    STAIR,
    TRIPLE,
    cards_of,
    classify,
    on_trick,
    rank_of,
    type_of,
)

# What is counted: what it is; of runs the cards of each rank, the lowest rank and how many ranks; of a figure its type,
# length and rank. The six kinds, the 29 kinds by length, the 226 figures, in the order of `specs.COUNTED`.
RUNS, FULL_HOUSES, FLUSHES, FOURS, BOMBS, FIGURE = range(6)
_PAIRS, _TRIPLES, _HOUSES = (RUNS, 2, 2, 1), (RUNS, 3, 2, 1), (FULL_HOUSES, 0, 0, 0)
COUNTED_FROM = {0: 0, 6: 0, 29: 6, 226: 35}  # the first row, by how many are counted
COUNTED = np.array(
    [
        *(_PAIRS, _TRIPLES, (RUNS, 2, 2, 2), _HOUSES, (RUNS, 1, 1, MIN_STREET), (BOMBS, 0, 0, MIN_STREET)),
        *(_PAIRS, _TRIPLES, *((RUNS, 2, 2, pairs) for pairs in range(2, 8)), _HOUSES),
        *((RUNS, 1, 1, length) for length in range(MIN_STREET, ACE + 1)),
        *((FOURS, 0, 0, 0), *((FLUSHES, 0, 0, length) for length in range(MIN_STREET, ACE))),
        *((FIGURE, *figure) for figure in FIGURES),
    ],
    dtype=np.int64,
)
TYPE_AT, LENGTH_AT, VALUE_AT = 6, 14, 29  # in an entry of the history: behind the player and the lead
LEAD_BIT = 1 << 5

# A turn in VIEW.past: type, length, rank, seat, lead, and a bit that says that there is one.
LENGTH_SHIFT, RANK_SHIFT, SEAT_SHIFT, LEAD_SHIFT, THERE = 3, 7, 11, 13, 1 << 14


@inlined
def _starts_trick(log, at):
    """Whether the turn before this place of a log opened its trick."""
    before = at - 1
    while before >= 0 and kind_of(log.entry[before]) == CALL_ENTRY:
        before -= 1
    if before < 0 or kind_of(log.entry[before]) == TAKE_ENTRY:
        return True
    return cards_in(log.entry[before]) == DOG


@inner
def recall(log, length, most, view):
    """Fills in the latest turns among the first `length` entries of a log, the last one first."""
    n = 0
    at = length - 1
    while at >= 0 and n < most:
        entry = log.entry[at]
        if kind_of(entry) < TAKE_ENTRY:
            view.past[n] = _turn(log, at, entry)
            n += 1
        at -= 1
    for rest in range(n, HISTORY_MOST):
        view.past[rest] = 0


@inner
def _turn(log, at, entry):
    lead = 1 if _starts_trick(log, at) else 0
    seat = seat_of(entry) << SEAT_SHIFT | lead << LEAD_SHIFT | THERE
    if kind_of(entry) == PASS_ENTRY:
        return seat
    play = classify(cards_in(entry))
    if cards_of(play) == PHOENIX and not lead:
        below = at - 1
        while kind_of(log.entry[below]) == PASS_ENTRY or kind_of(log.entry[below]) == CALL_ENTRY:
            below -= 1
        play = on_trick(play, classify(cards_in(log.entry[below])))
    return seat | type_of(play) | count(cards_of(play)) << LENGTH_SHIFT | rank_of(play) << RANK_SHIFT


@inner
def put_history(view, row, words, most):
    """A word for each of the latest turns; the player is none where there was no turn."""
    for n in range(most):
        turn = np.int64(view.past[n])
        who = (turn >> SEAT_SHIFT) & 3 if turn & THERE else -1
        field = seat_field(who, view.seat)
        if turn & THERE:
            field |= LEAD_BIT if turn >> LEAD_SHIFT & 1 else 0
            field |= 1 << (TYPE_AT + (turn & 7))
            field |= 1 << (LENGTH_AT + (turn >> LENGTH_SHIFT & 15))
            field |= 1 << (VALUE_AT + (turn >> RANK_SHIFT & 15))
        row.word[words + n] = field


@inlined
def _of_rank(counts, rank):
    """How many cards of a rank: 1 is the Mahjong."""
    return (counts >> (4 * (rank - 1))) & 15


@inlined
def _groups(cards, size):
    """How many groups of one, two or three are in up to four cards: `cards // size`, for a fraction of its time."""
    return (cards + (size == 3)) >> (size - 1)


@inner
def _side_by_side(counts, size, lowest, ranks):
    """How many runs of so many ranks, with `size` cards of each, can be laid at once. From below, as many as go."""
    total = 0
    for low in range(lowest, ACE - ranks + 2):
        fit = 4
        for rank in range(low, low + ranks):
            fit = min(fit, _groups(_of_rank(counts, rank), size))
        counts -= fit * size * _run_of_ones(ranks) << (4 * (low - 1))
        total += fit
    return total


@inlined
def _run_of_ones(ranks):
    return ((1 << (4 * ranks)) - 1) // 15


@inner
def _full_houses(counts):
    """How many full houses can be laid at once: a hand has room for two."""
    threes = fours = pairs = 0
    for rank in range(2, ACE + 1):
        n = _of_rank(counts, rank)
        threes += n == 3
        fours += n == 4
        pairs += n // 2
    for wanted in (2, 1):
        from_fours = max(wanted - threes, 0)
        if from_fours <= fours and pairs - wanted - from_fours >= wanted:
            return wanted
    return 0


@inner
def _counts_of(hand):
    """Cards of each rank, the Mahjong as rank 1."""
    return (rank_counts(hand & ~(DOG | DRAGON | PHOENIX)) & ~15) | (hand & MAHJONG)


@inner
def _flushes(hand, length):
    """Streets of one colour of this length that can be laid at once."""
    total = 0
    for colour in range(4):
        total += _side_by_side((hand >> colour) & 0x11111111111110, 1, 2, length)
    return total


@inner
def _fours(counts):
    n = 0
    for rank in range(2, ACE + 1):
        n += _of_rank(counts, rank) == 4
    return n


@inner
def _of_figure(hand, counts, kind, length, rank):
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
    if kind == BOMB and length == 4:
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
def _number_of(hand, counts, at):
    """How often a hand holds what this row of COUNTED names."""
    what, size, lowest, ranks = COUNTED[at]
    if what == RUNS:
        return _side_by_side(counts, size, lowest, ranks)
    if what == FULL_HOUSES:
        return _full_houses(counts)
    if what == FLUSHES:
        return _flushes(hand, ranks)
    if what == FOURS:
        return _fours(counts)
    if what == BOMBS:
        return _fours(counts) + _flushes(hand, ranks)
    return np.int64(_of_figure(hand, counts, size, lowest, ranks))


@inner
def put_counts(hand, row, words, number, first, size):
    """The numbers of `size` rows of COUNTED, from the first one on. As constants their loops would be unrolled, in
    minutes of compiling."""
    counts = _counts_of(hand)
    for k in range(size):
        put_number(row, words, number + k, _number_of(hand, counts, first + k))
