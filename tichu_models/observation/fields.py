"""Parts of a view as the bits of a vector: seats relative to who looks, cards in the order of their indices.

Each function gives the bits of one group of `specs`, its first place lowest. Where they go is told by the layouts.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.records.history import INDICES_OF_SPECIALS
from tichu_models.rules.cards import ACE, NATURAL, NUM_CARDS, VALUE_OF_INDEX, count, points
from tichu_models.rules.combinations import TYPE_AND_LENGTH, cards_of, rank_of, type_of
from tichu_models.rules.state import HAND_SIZE

BITS_A_WORD = 64
NUM_VALUES = 17
LOW_16 = (1 << 16) - 1

# COMBINATION[type, length]: the bit of a play among the 31 labels of type and length.
COMBINATION = np.zeros((8, HAND_SIZE + 1), dtype=np.int64)
for _place, (_type, _length) in enumerate(TYPE_AND_LENGTH):
    COMBINATION[_type, _length] = 1 << _place
# Tables whose index is a value of a view, -1 included, cut to so many bits: an index that may be negative costs more
# than the table.
# WISH_BIT[wish & 15]: none, fulfilled, 2..14.
WISH_BIT = np.array([1, 0, *(1 << rank for rank in range(2, ACE + 1)), 2], dtype=np.int64)
# VALUE_BIT[card & 63]: the value of a card index; no bit for -1.
VALUE_BIT = np.zeros(64, dtype=np.int64)
VALUE_BIT[:NUM_CARDS] = np.int64(1) << VALUE_OF_INDEX.astype(np.int64)
# SEAT_BIT[who & 7, seat]: none, me, right, partner, left.
SEAT_BIT = np.ones((8, 4), dtype=np.int64)
for _who in range(4):
    for _seat in range(4):
        SEAT_BIT[_who, _seat] = 2 << ((_who - _seat) & 3)


@inlined
def cards_field(cards):
    """A set of cards by card index."""
    return (cards & NATURAL) >> 2 | INDICES_OF_SPECIALS[cards & 15]


@inlined
def cards_from_field(field):
    """The set of cards back."""
    specials = (field & 3) | (field >> 52 & 12)  # Hu, Ma, Dr, Ph; as a mask Ma, Hu, Ph, Dr
    return (field << 2) & NATURAL | (specials & 5) << 1 | (specials & 10) >> 1


@inlined
def seat_field(who, seat):
    """none, me, right, partner, left."""
    return SEAT_BIT[who & 7, seat & 3]


@inlined
def counts_field(me, right, partner, left):
    """A thermometer of 14 for each seat."""
    field = thermometer(me) | thermometer(right) << HAND_SIZE
    return field | thermometer(partner) << (2 * HAND_SIZE) | thermometer(left) << (3 * HAND_SIZE)


@inlined
def thermometer(number):
    """So many bits from below."""
    return (1 << np.int64(number)) - 1


@inlined
def calls_field(view, seat):
    """none, small, grand for each seat."""
    field = np.int64(0)
    for other in range(4):
        field |= 1 << (3 * other + np.int64(view.call[(seat + other) & 3]))
    return field


@inlined
def wish_field(view):
    return WISH_BIT[view.wish & 15]


@inlined
def values_field(first, second, third):
    """Values of three cards, given by index; without bits before schupfen."""
    return VALUE_BIT[first & 63] | VALUE_BIT[second & 63] << NUM_VALUES | VALUE_BIT[third & 63] << (2 * NUM_VALUES)


@inlined
def given_field(view):
    return values_field(view.given[0], view.given[1], view.given[2])


@inlined
def received_field(view):
    return values_field(view.received[0], view.received[1], view.received[2])


@inlined
def combination_field(play):
    """Type and length among their 31 labels; nothing played is a pass."""
    return COMBINATION[type_of(play), count(cards_of(play))]


@inlined
def rank_thermometer(play):
    return thermometer(rank_of(play))


@inlined
def points_in_trick(view):
    return points(view.trick_cards)


@inlined
def points_of(view, seat, other):
    """Points that a seat, counted from who looks, has collected."""
    return np.int64(view.points[(seat + other) & 3])


@inlined
def put_bits(row, place, size, field):
    """Adds the bits of a group to a row; its words are cleared before."""
    row.word[place >> 6] |= field << (place & 63)
    if (place & 63) + size > BITS_A_WORD:
        row.word[(place >> 6) + 1] |= field >> (BITS_A_WORD - (place & 63))


@inlined
def four_numbers(a, b, c, d):
    """Four int16 in a word."""
    return (a & LOW_16) | (b & LOW_16) << 16 | (c & LOW_16) << 32 | d << 48


@inlined
def put_number(row, words, place, number):
    """Adds a number to a row; `words` stand before the numbers."""
    row.word[words + (place >> 2)] |= (number & LOW_16) << (16 * (place & 3))
