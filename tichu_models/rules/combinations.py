"""Combinations: the type, length and rank of a play, and which play beats which.

A play is one int64: cards | type << 56 | rank << 59; 0 is a pass. The length is the number of cards. Cards with the
Phoenix may have two readings (a full house of two pairs, a street open at its end); `classify` gives the higher one,
`lower_reading` the other. `legal` finds the plays of a hand.

A single Phoenix has the rank of the card that it follows, and beats it; nothing of that rank beats the Phoenix. As a
lead it has rank 1.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.rules.cards import (
    ACE,
    DECK,
    DOG,
    DRAGON,
    DRAGON_RANK,
    MAHJONG,
    PHOENIX,
    RANKS,
    Mask,
    count,
    lowest_bit,
    rank_counts,
    rank_of_bit,
    ranks_present,
)

PackedPlay: TypeAlias = int  # cards, type and rank

PASS, SINGLE, PAIR, TRIPLE, STAIR, FULLHOUSE, STREET, BOMB = range(8)
TYPE_NAMES = ("PASS", "SINGLE", "PAIR", "TRIPLE", "STAIR", "FULLHOUSE", "STREET", "BOMB")
TYPE_SHIFT, RANK_SHIFT = 56, 59
MIN_STREET = 5
FOUR_OF_A_KIND = 4
LENGTH_WEIGHT = 16  # of a card against ranks, which are below 16: the length counts before the rank

# RUN[n]: bit 0 of n neighbouring nibbles, the shape of n ranks in a row.
RUN = np.array([sum(1 << (4 * i) for i in range(n)) for n in range(15)], dtype=np.int64)


@inlined
def pack(cards: Mask, kind: int, rank: int) -> PackedPlay:
    """The packed play of these cards as this type and rank."""
    return cards | (kind << TYPE_SHIFT) | (rank << RANK_SHIFT)


@inlined
def cards_of(play: PackedPlay) -> Mask:
    """The cards of a packed play."""
    return play & DECK


@inlined
def type_of(play: PackedPlay) -> int:
    """The type of a packed play, PASS .. BOMB."""
    return (play >> TYPE_SHIFT) & 7


@inlined
def rank_of(play: PackedPlay) -> int:
    """The rank of a packed play, 0..15."""
    return play >> RANK_SHIFT


@inlined
def is_flush(cards: Mask, present: Mask) -> bool:
    """Whether cards, one of each rank in `present`, have one colour and no Mahjong."""
    return cards & MAHJONG == 0 and cards == present << (lowest_bit(cards) & 3)


@inlined
def classify(cards: Mask) -> PackedPlay:
    """The play that these cards make, in their highest reading; 0 if they are no combination."""
    n = count(cards)
    if n == 1:
        if cards < 16:
            if cards == MAHJONG or cards == PHOENIX:
                return pack(cards, SINGLE, 1)
            return pack(cards, SINGLE, 0 if cards == DOG else DRAGON_RANK)
        return pack(cards, SINGLE, rank_of_bit(lowest_bit(cards)))
    if n == 0 or n > ACE or cards & (DOG | DRAGON):
        return 0
    if cards & PHOENIX:
        return _with_phoenix(cards, n)
    present = ranks_present(cards)
    different = count(present)
    low = rank_of_bit(lowest_bit(present))
    if different == 1:
        return pack(cards, BOMB if n == FOUR_OF_A_KIND else n, low)
    counts = rank_counts(cards)
    in_a_row = present == RUN[different] << (4 * (low - 1))
    if different == n:
        if n < MIN_STREET or not in_a_row:
            return 0
        return pack(cards, BOMB if is_flush(cards, present) else STREET, low + n - 1)
    if cards & MAHJONG:
        return 0
    if counts == present << 1:
        return pack(cards, STAIR, low + different - 1) if in_a_row else 0
    if n == 5 and different == 2:
        triple = counts & (counts >> 1) & RANKS
        return pack(cards, FULLHOUSE, rank_of_bit(lowest_bit(triple))) if triple else 0
    return 0


@inlined
def _with_phoenix(cards: Mask, n: int) -> PackedPlay:
    """`classify` for two cards or more with the Phoenix among them."""
    natural = cards & ~PHOENIX
    present = ranks_present(natural)
    different = count(present)
    low = rank_of_bit(lowest_bit(present))
    if different == n - 1 and different >= MIN_STREET - 1:
        shape = present >> (4 * (low - 1))
        if shape == RUN[different]:
            if low + different <= ACE:
                return pack(cards, STREET, low + different)
            return pack(cards, STREET, ACE) if low > 2 else 0
        if shape < 1 << (4 * (different + 1)):
            return pack(cards, STREET, low + different)
        return 0
    if natural & MAHJONG:
        return 0
    counts = rank_counts(natural)
    if different == 1:
        return pack(cards, n, low) if n <= 3 else 0
    if n == 5 and different == 2:
        triple = counts & (counts >> 1) & RANKS
        if triple:
            return pack(cards, FULLHOUSE, rank_of_bit(lowest_bit(triple)))
        return pack(cards, FULLHOUSE, rank_of_bit(lowest_bit(present & (present - 1))))
    if n == 2 * different and (counts & (counts >> 1) & RANKS) == 0 and (counts >> 2) & RANKS == 0:
        if present == RUN[different] << (4 * (low - 1)):
            return pack(cards, STAIR, low + different - 1)
    return 0


@inlined
def lower_reading(play: PackedPlay) -> PackedPlay:
    """The other reading of a play whose Phoenix is ambiguous, 0 if it has only one."""
    cards = cards_of(play)
    if not cards & PHOENIX:
        return 0
    present = ranks_present(cards & ~PHOENIX)
    low = rank_of_bit(lowest_bit(present)) if present else 0
    if type_of(play) == FULLHOUSE:
        counts = rank_counts(cards & ~PHOENIX)
        return 0 if counts & (counts >> 1) & RANKS else pack(cards, FULLHOUSE, low)
    if type_of(play) == STREET and low > 2 and rank_of(play) == low + count(present):
        return pack(cards, STREET, rank_of(play) - 1) if present == RUN[count(present)] << (4 * (low - 1)) else 0
    return 0


@inlined
def on_trick(play: PackedPlay, trick: PackedPlay) -> PackedPlay:
    """The play as it counts on this trick: a single Phoenix takes the rank of the single that it follows."""
    if cards_of(play) == PHOENIX and type_of(trick) == SINGLE:
        return pack(PHOENIX, SINGLE, rank_of(trick))
    return play


@inlined
def beats(play: PackedPlay, trick: PackedPlay) -> bool:
    """Whether a play may be laid on the trick; 0 is an empty table, where any play may."""
    if trick == 0:
        return True
    kind, length = type_of(play), count(cards_of(play))
    other, other_length = type_of(trick), count(cards_of(trick))
    if kind == BOMB:
        if other != BOMB or length > other_length:
            return True
        return length == other_length and rank_of(play) > rank_of(trick)
    if kind != other or length != other_length:
        return False
    if cards_of(play) == PHOENIX:
        return rank_of(trick) < DRAGON_RANK
    return rank_of(play) > rank_of(trick)


@inlined
def bomb_strength(bomb: PackedPlay) -> int:
    """Orders bombs as `beats` does: by length, then by rank."""
    return LENGTH_WEIGHT * count(cards_of(bomb)) + rank_of(bomb)


def combination_name(kind: int, length: int) -> str:
    """`pass`, `single`, .. `stair4`, .. `fullhouse`, `street5`, .. `bomb4`: names of features and classes."""
    name = TYPE_NAMES[kind].lower()
    return f"{name}{length}" if name in ("stair", "street", "bomb") else name


class Combination(NamedTuple):
    """Type, length and rank of a play, as the concept names them."""

    type: int
    length: int
    rank: int


def combination(play: int) -> Combination:
    """Type, length and rank of a packed play."""
    return Combination(int(type_of(play)), int(count(cards_of(play))), int(rank_of(play)))


def _figures() -> tuple[Combination, ...]:
    singles = [Combination(SINGLE, 1, rank) for rank in range(17)]
    kinds = [Combination(kind, length, rank) for kind, length in ((PAIR, 2), (TRIPLE, 3)) for rank in range(2, 15)]
    stairs = [Combination(STAIR, 2 * n, rank) for n in range(2, 8) for rank in range(n + 1, 15)]
    houses = [Combination(FULLHOUSE, 5, rank) for rank in range(2, 15)]
    streets = [Combination(STREET, n, rank) for n in range(5, 15) for rank in range(n, 15)]
    fours = [Combination(BOMB, 4, rank) for rank in range(2, 15)]
    flushes = [Combination(BOMB, n, rank) for n in range(5, 14) for rank in range(n + 1, 15)]
    return (*singles, *kinds, *stairs, *houses, *streets, *fours, *flushes)


# The 226 figures in the order of the concept's appendix A1; the single Phoenix is figure (SINGLE, 1, 16) here.
FIGURES = _figures()

# The 31 labels of type and length, in their order.
TYPE_AND_LENGTH = (
    (PASS, 0),
    (SINGLE, 1),
    (PAIR, 2),
    (TRIPLE, 3),
    *((STAIR, n) for n in range(4, 15, 2)),
    (FULLHOUSE, 5),
    *((STREET, n) for n in range(5, 15)),
    *((BOMB, n) for n in range(4, 14)),
)
