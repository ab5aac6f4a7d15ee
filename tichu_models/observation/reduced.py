"""The encoder of the layout `reduced`, whose groups make up the vectors of announcements, schupfen, wish and Dragon."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation import specs
from tichu_models.observation.fields import (
    Row,
    calls_field,
    cards_field,
    four_numbers,
    given_field,
    points_in_trick,
    points_of,
    put_bits,
    seat_field,
    wish_field,
)
from tichu_models.observation.view import View
from tichu_models.rules.cards import count
from tichu_models.rules.combinations import cards_of, rank_of, type_of
from tichu_models.rules.state import Seat

_PLACES = specs.REDUCED_LAYOUT.places
WORDS = specs.REDUCED_LAYOUT.words
HAND, CARDS = _PLACES[specs.HAND_CARDS.name], specs.HAND_CARDS.size
PLAYED = _PLACES[specs.PLAYED_CARDS.name]
GIVEN, THREE_VALUES = _PLACES[specs.GIVEN_SCHUPF.name], specs.GIVEN_SCHUPF.size
CALLS, FOUR_CALLS = _PLACES[specs.ANNOUNCEMENTS.name], specs.ANNOUNCEMENTS.size
WISH, WISHES = _PLACES[specs.WISH_VALUE.name], specs.WISH_VALUE.size
OWNER, SEAT_OR_NONE = _PLACES[specs.TRICK_OWNER.name], specs.TRICK_OWNER.size
WINNER = _PLACES[specs.WINNER.name]
TYPE, TYPES = _PLACES[specs.TRICK_TYPE.name], specs.TRICK_TYPE.size
LENGTH, LENGTHS = _PLACES[specs.TRICK_LENGTH.name], specs.TRICK_LENGTH.size
VALUE, VALUES = _PLACES[specs.TRICK_VALUE.name], specs.TRICK_VALUE.size
assert specs.REDUCED_LAYOUT.numbers == 9  # four counts, trick_points, four points: as they are written below


@inlined
def _held(view: View, seat: Seat, other: int) -> np.int64:
    """Cards that the seat `other` places to the right of `seat` holds."""
    return np.int64(view.count[(seat + other) & 3])


@inlined
def encode_reduced(view: View, row: Row) -> None:
    """Packs a view into a row."""
    seat = np.int64(view.seat)
    for word in range(WORDS):
        row.word[word] = 0
    put_bits(row, HAND, CARDS, cards_field(view.hand))
    put_bits(row, GIVEN, THREE_VALUES, given_field(view))
    put_bits(row, PLAYED, CARDS, cards_field(view.played))
    put_bits(row, CALLS, FOUR_CALLS, calls_field(view, seat))
    put_bits(row, WISH, WISHES, wish_field(view))
    put_bits(row, OWNER, SEAT_OR_NONE, seat_field(view.owner, seat))
    put_bits(row, TYPE, TYPES, 1 << type_of(view.trick))
    put_bits(row, LENGTH, LENGTHS, 1 << count(cards_of(view.trick)))
    put_bits(row, VALUE, VALUES, 1 << rank_of(view.trick))
    put_bits(row, WINNER, SEAT_OR_NONE, seat_field(view.winner, seat))
    row.word[WORDS] = four_numbers(
        _held(view, seat, 0), _held(view, seat, 1), _held(view, seat, 2), _held(view, seat, 3)
    )
    row.word[WORDS + 1] = four_numbers(
        points_in_trick(view), points_of(view, seat, 0), points_of(view, seat, 1), points_of(view, seat, 2)
    )
    row.word[WORDS + 2] = four_numbers(points_of(view, seat, 3), 0, 0, 0)
