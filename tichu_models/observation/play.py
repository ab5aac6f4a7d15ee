"""The layout `play`: what a seat sees while cards are played, 368 bits and 7 numbers."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation import specs
from tichu_models.observation.fields import (
    calls_field,
    cards_field,
    combination_field,
    counts_field,
    four_numbers,
    given_field,
    points_in_trick,
    points_of,
    rank_thermometer,
    received_field,
    seat_field,
    wish_field,
)

WORDS = specs.PLAY_LAYOUT.words
_PLACES = specs.PLAY_LAYOUT.places


def _shift(word: int, group: specs.Group) -> int:
    """Where a group begins in the word that the encoder puts it into."""
    assert _PLACES[group.name] >> 6 == word
    return _PLACES[group.name] & 63


COUNT, CURRENT_TURN = _shift(0, specs.COUNT_THERMOMETER), _shift(0, specs.CURRENT_TURN)
PLAYED, START_PLAYER = _shift(1, specs.PLAYED_CARDS), _shift(1, specs.START_PLAYER)
HAND, DRAGON_RECIPIENT = _shift(2, specs.HAND_CARDS), _shift(2, specs.DRAGON_RECIPIENT)
GIVEN, ANNOUNCEMENTS = _shift(3, specs.GIVEN_SCHUPF), _shift(3, specs.ANNOUNCEMENTS)
RECEIVED, OWNER, WINNER = _shift(4, specs.RECEIVED_SCHUPF), _shift(4, specs.TRICK_OWNER), _shift(4, specs.WINNER)
COMBINATION, WISH, RANK = _shift(5, specs.TRICK_COMBINATION), _shift(5, specs.WISH_VALUE), _shift(5, specs.TRICK_RANK)
assert specs.PLAY_LAYOUT.numbers == 7  # trick_points, four points, two scores: as they are written below


@inlined
def encode_play(view, packed, i):
    """Packs a view into row i."""
    seat = np.int64(view.seat)
    own, other = np.int64(view.last[seat & 1]), np.int64(view.last[1 - (seat & 1)])
    word_0 = counts_field(view, seat) << COUNT | seat_field(view.turn, seat) << CURRENT_TURN
    word_1 = cards_field(view.played) << PLAYED | seat_field(view.start_player, seat) << START_PLAYER
    word_2 = cards_field(view.hand) << HAND | seat_field(view.dragon_recipient, seat) << DRAGON_RECIPIENT
    word_3 = given_field(view) << GIVEN | calls_field(view, seat) << ANNOUNCEMENTS
    word_4 = received_field(view) << RECEIVED | seat_field(view.owner, seat) << OWNER
    word_4 |= seat_field(view.winner, seat) << WINNER
    word_5 = combination_field(view.trick) << COMBINATION | wish_field(view) << WISH
    word_5 |= rank_thermometer(view.trick) << RANK
    me, right = points_of(view, seat, 0), points_of(view, seat, 1)
    partner, left = points_of(view, seat, 2), points_of(view, seat, 3)
    packed[i, 0] = word_0
    packed[i, 1] = word_1
    packed[i, 2] = word_2
    packed[i, 3] = word_3
    packed[i, 4] = word_4
    packed[i, 5] = word_5
    packed[i, WORDS] = four_numbers(points_in_trick(view), me, right, partner)
    packed[i, WORDS + 1] = four_numbers(left, own, other, 0)
