"""The layout `reduced`, of which the vectors of announcements, schupfen, wish and Dragon take their groups."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation import specs
from tichu_models.observation.fields import (
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
from tichu_models.rules.cards import count
from tichu_models.rules.combinations import cards_of, rank_of, type_of

_PLACES = specs.REDUCED_LAYOUT.places
WORDS = specs.REDUCED_LAYOUT.words
HAND = _PLACES[specs.HAND_CARDS.name]
GIVEN = _PLACES[specs.GIVEN_SCHUPF.name]
PLAYED = _PLACES[specs.PLAYED_CARDS.name]
ANNOUNCEMENTS = _PLACES[specs.ANNOUNCEMENTS.name]
WISH = _PLACES[specs.WISH_VALUE.name]
OWNER = _PLACES[specs.TRICK_OWNER.name]
TYPE = _PLACES[specs.TRICK_TYPE.name]
LENGTH = _PLACES[specs.TRICK_LENGTH.name]
VALUE = _PLACES[specs.TRICK_VALUE.name]
WINNER = _PLACES[specs.WINNER.name]
assert specs.REDUCED_LAYOUT.numbers == 9  # four counts, trick_points, four points: as they are written below


@inlined
def _held(view, seat, other):
    return np.int64(view.count[(seat + other) & 3])


@inlined
def encode_reduced(view, packed, i):
    """Packs a view into row i."""
    seat = np.int64(view.seat)
    for word in range(WORDS):
        packed[i, word] = 0
    put_bits(packed, i, HAND, cards_field(view.hand))
    put_bits(packed, i, GIVEN, given_field(view))
    put_bits(packed, i, PLAYED, cards_field(view.played))
    put_bits(packed, i, ANNOUNCEMENTS, calls_field(view, seat))
    put_bits(packed, i, WISH, wish_field(view))
    put_bits(packed, i, OWNER, seat_field(view.owner, seat))
    put_bits(packed, i, TYPE, 1 << type_of(view.trick))
    put_bits(packed, i, LENGTH, 1 << count(cards_of(view.trick)))
    put_bits(packed, i, VALUE, 1 << rank_of(view.trick))
    put_bits(packed, i, WINNER, seat_field(view.winner, seat))
    packed[i, WORDS] = four_numbers(
        _held(view, seat, 0), _held(view, seat, 1), _held(view, seat, 2), _held(view, seat, 3)
    )
    packed[i, WORDS + 1] = four_numbers(
        points_in_trick(view), points_of(view, seat, 0), points_of(view, seat, 1), points_of(view, seat, 2)
    )
    packed[i, WORDS + 2] = four_numbers(points_of(view, seat, 3), 0, 0, 0)
