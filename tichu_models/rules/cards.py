"""Cards and sets of cards. Only this module translates between labels, card indices and mask bits.

A set of cards is an int64 mask: nibble 0 holds Mahjong, Dog, Phoenix, Dragon (bits 0..3); the cards of rank r = 2..14
fill nibble r - 1 in the colours S, B, G, R. So the Mahjong is rank 1 of a street, and a colour is a bit of each nibble.
Card indices 0..55 give the order of cards in vectors: Hu, Ma, then 2..A each in S, B, G, R, then Dr, Ph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from tichu_models.kernels import inlined, ones, trailing_zeros

Mask: TypeAlias = int  # a set of cards

MAHJONG_BIT, DOG_BIT, PHOENIX_BIT, DRAGON_BIT = range(4)
MAHJONG, DOG, PHOENIX, DRAGON = 1, 2, 4, 8
DECK = (1 << 56) - 1
RANKS = 0x11111111111110  # bit 0 of the nibble of each rank 2..14
NATURAL = DECK & ~15  # the 52 cards with a colour

NUM_CARDS = 56
ACE = 14
DRAGON_RANK = 15

COLOURS = "SBGR"
RANK_LABELS = {**{str(r): r for r in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
LABEL_OF_RANK = {rank: label for label, rank in RANK_LABELS.items()}
LABELS = (
    "Hu",
    "Ma",
    *(colour + LABEL_OF_RANK[rank] for rank in range(2, 15) for colour in COLOURS),
    "Dr",
    "Ph",
)
INDEX_OF_LABEL = {label: index for index, label in enumerate(LABELS)}
INDEX_OF_LABEL |= {colour + "Z": INDEX_OF_LABEL[colour + "10"] for colour in COLOURS}

BIT_OF_INDEX = np.array([1, 0, *range(4, 56), 3, 2], dtype=np.int8)
CARD_OF_INDEX = np.int64(1) << BIT_OF_INDEX.astype(np.int64)
INDEX_OF_BIT = np.argsort(BIT_OF_INDEX).astype(np.int8)
VALUE_OF_INDEX = np.array([0, 1, *(rank for rank in range(2, 15) for _ in COLOURS), 15, 16], dtype=np.int8)
NUM_VALUES = 17  # of a card: 0 the Dog, 1 the Mahjong, 2..14, 15 the Dragon, 16 the Phoenix
NUM_COLOURS = 5  # S, B, G, R, and none for the special cards
NO_COLOUR = NUM_COLOURS - 1
COLOUR_OF_INDEX = np.array([NO_COLOUR] * 2 + [0, 1, 2, 3] * 13 + [NO_COLOUR] * 2, dtype=np.int8)
DESCENDING = (54, 55, *range(53, 1, -1), 1, 0)  # card indices as a person sorts a hand: Dr Ph A .. 2 Ma Hu


@inlined
def count(cards: Mask) -> int:
    """Number of cards in the set."""
    return ones(cards)


@inlined
def lowest_bit(cards: Mask) -> int:
    """Place of the lowest bit; the set must not be empty."""
    return trailing_zeros(cards)


@inlined
def ranks_present(cards: Mask) -> Mask:
    """Bit 0 of the nibble of each rank that occurs, the Mahjong as rank 1; Dog, Phoenix and Dragon do not count."""
    x = cards | (cards >> 1)
    x |= x >> 2
    return (x & RANKS) | (cards & MAHJONG)


@inlined
def rank_counts(cards: Mask) -> int:
    """Number of cards of each rank, in the rank's nibble; nibble 0 counts the special cards."""
    x = cards - ((cards >> 1) & 0x5555555555555555)
    return (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)


@inlined
def of_rank(cards: Mask, rank: int) -> Mask:
    """The cards of a rank 2..14."""
    return cards & (15 << (4 * (rank - 1)))


@inlined
def rank_of_bit(bit: int) -> int:
    """Rank of a mask bit: 1 for the Mahjong, 2..14 for a card with a colour."""
    return (bit >> 2) + 1


FIVES = 15 << 16
TENS_AND_KINGS = (15 << 36) | (15 << 48)
DRAGON_POINTS, PHOENIX_POINTS = 25, -25


@inlined
def points(cards: Mask) -> int:
    """Points that the cards are worth in a trick."""
    specials = DRAGON_POINTS * ((cards >> DRAGON_BIT) & 1) + PHOENIX_POINTS * ((cards >> PHOENIX_BIT) & 1)
    return 5 * count(cards & FIVES) + 10 * count(cards & TENS_AND_KINGS) + specials


class CardError(ValueError):
    """A text that names no set of cards."""


def parse_cards(text: str) -> int:
    """Mask of labels that white space separates; `Z` means 10. Unknown and doubled cards are errors."""
    mask = 0
    for label in text.split():
        index = INDEX_OF_LABEL.get(label)
        if index is None:
            raise CardError(
                f"unknown card '{label}': expected a colour S, B, G, R with 2..10, B, D, K, A, or Ma, Hu, Ph, Dr"
            )
        bit = 1 << int(BIT_OF_INDEX[index])
        if mask & bit:
            raise CardError(f"card '{label}' stands twice: a card occurs once in the deck")
        mask |= bit
    return mask


def indices(mask: int) -> list[int]:
    """Card indices of a mask, ascending."""
    return [index for index in range(NUM_CARDS) if mask >> int(BIT_OF_INDEX[index]) & 1]


def labels(mask: int) -> list[str]:
    """Labels of a mask, in the order in which a person sorts a hand: Dr Ph A .. 2 Ma Hu."""
    return [LABELS[index] for index in DESCENDING if mask >> int(BIT_OF_INDEX[index]) & 1]


def mask_of(card_indices: Iterable[int]) -> int:
    """Mask of card indices."""
    mask = 0
    for index in card_indices:
        mask |= 1 << int(BIT_OF_INDEX[index])
    return mask
