"""Parts of a view as the bits of a vector: seats relative to the observer, cards in the order of card indices.

Each `_field` function gives the bits of one group of `specs`, its first place lowest. The layouts of `specs` say where
they go; `put_bits` and `put_number` write them into a row.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.records.history import INDICES_OF_SPECIALS
from tichu_models.rules.cards import ACE, NATURAL, NUM_CARDS, NUM_VALUES, VALUE_OF_INDEX, Mask, count, points
from tichu_models.rules.combinations import TYPE_AND_LENGTH, PackedPlay, cards_of, rank_of, type_of
from tichu_models.rules.state import HAND_SIZE, Seat

Field: TypeAlias = Any  # int64: the bits of a group
Row: TypeAlias = Any  # a record of encode.ROW
Open: TypeAlias = Any  # a view or a state: both hold what everybody sees

BITS_A_WORD = 64
NUMBERS_A_WORD, NUMBER_BITS = 4, 16  # numbers are int16
LOW_16, SIGN_16 = (1 << 16) - 1, 1 << 15

# COMBINATION[type, length]: the bit of a play among the 31 labels of type and length.
COMBINATION = np.zeros((8, HAND_SIZE + 1), dtype=np.int64)
for _place, (_type, _length) in enumerate(TYPE_AND_LENGTH):
    COMBINATION[_type, _length] = 1 << _place
# Tables by a value of a view, which may be -1 and is cut to so many bits: Numba would check for a negative index.
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
def cards_field(cards: Mask) -> Field:
    """A set of cards as bits by card index."""
    return (cards & NATURAL) >> 2 | INDICES_OF_SPECIALS[cards & 15]


@inlined
def cards_from_field(field: Field) -> Mask:
    """The set of cards of such a field."""
    specials = (field & 3) | (field >> 52 & 12)  # Hu, Ma, Dr, Ph; as a mask Ma, Hu, Ph, Dr
    return (field << 2) & NATURAL | (specials & 5) << 1 | (specials & 10) >> 1


@inlined
def seat_field(who: Seat, seat: Seat) -> Field:
    """One-hot: none, me, right, partner, left."""
    return SEAT_BIT[who & 7, seat & 3]


@inlined
def counts_field(me: int, right: int, partner: int, left: int) -> Field:
    """A thermometer of 14 for each seat."""
    field = thermometer(me) | thermometer(right) << HAND_SIZE
    return field | thermometer(partner) << (2 * HAND_SIZE) | thermometer(left) << (3 * HAND_SIZE)


@inlined
def thermometer(number: int) -> Field:
    """The lowest bits, as many as the number says."""
    return (1 << np.int64(number)) - 1


@inlined
def calls_field(view: Open, seat: Seat) -> Field:
    """One-hot for each seat: none, small, grand."""
    field = np.int64(0)
    for other in range(4):
        field |= 1 << (3 * other + np.int64(view.call[(seat + other) & 3]))
    return field


@inlined
def wish_field(view: Open) -> Field:
    """One-hot: none, fulfilled, 2..14."""
    return WISH_BIT[view.wish & 15]


@inlined
def values_field(first: int, second: int, third: int) -> Field:
    """The values of three card indices as one-hot; no bits before schupfen."""
    return VALUE_BIT[first & 63] | VALUE_BIT[second & 63] << NUM_VALUES | VALUE_BIT[third & 63] << (2 * NUM_VALUES)


@inlined
def given_field(view: Open) -> Field:
    """The values of the cards that the seat gave away."""
    return values_field(view.given[0], view.given[1], view.given[2])


@inlined
def received_field(view: Open) -> Field:
    """The values of the cards that the seat got."""
    return values_field(view.received[0], view.received[1], view.received[2])


@inlined
def combination_field(play: PackedPlay) -> Field:
    """One-hot: type and length among their 31 labels; an empty table is a pass."""
    return COMBINATION[type_of(play), count(cards_of(play))]


@inlined
def rank_thermometer(play: PackedPlay) -> Field:
    """As many bits as the play's rank."""
    return thermometer(rank_of(play))


@inlined
def points_in_trick(view: Open) -> int:
    """Points of all cards in the trick."""
    return points(view.trick_cards)


@inlined
def points_of(view: Open, seat: Seat, other: int) -> np.int64:
    """Points that the seat `other` places to the right of `seat` has collected."""
    return np.int64(view.points[(seat + other) & 3])


@inlined
def put_bits(row: Row, place: int, size: int, field: Field) -> None:
    """Adds the bits of a group to a row whose words were 0 there."""
    row.word[place >> 6] |= field << (place & 63)
    if (place & 63) + size > BITS_A_WORD:
        row.word[(place >> 6) + 1] |= field >> (BITS_A_WORD - (place & 63))


@inlined
def four_numbers(a: int, b: int, c: int, d: int) -> int:
    """Four int16 in a word."""
    low = (a & LOW_16) | (b & LOW_16) << NUMBER_BITS
    return low | (c & LOW_16) << (2 * NUMBER_BITS) | d << (3 * NUMBER_BITS)


@inlined
def put_number(row: Row, words: int, place: int, number: int) -> None:
    """Adds a number to a row whose numbers begin behind so many words."""
    row.word[words + (place >> 2)] |= (number & LOW_16) << (NUMBER_BITS * (place & 3))


@inlined
def signed_16(bits: int) -> int:
    """The int16 in the lowest bits."""
    return ((bits & LOW_16) ^ SIGN_16) - SIGN_16
