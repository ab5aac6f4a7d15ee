"""The layout `play`: what a seat sees while cards are played, 368 bits and 7 numbers."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation import specs
from tichu_models.observation.fields import (
    calls_field,
    cards_field,
    combination_field,
    four_numbers,
    points_in_trick,
    points_of,
    rank_thermometer,
    seat_field,
    wish_field,
)

WORDS = specs.PLAY_LAYOUT.words
_PLACES = specs.PLAY_LAYOUT.places


def _place(word: int, group: specs.Group) -> int:
    """Where a group begins in the word that the encoder puts its first bit into."""
    assert _PLACES[group.name] // specs.BITS_A_WORD == word
    return _PLACES[group.name] % specs.BITS_A_WORD


TURN, START_PLAYER, COUNT = (_place(0, at) for at in (specs.CURRENT_TURN, specs.START_PLAYER, specs.COUNT_THERMOMETER))
PLAYED, CALLS = _place(1, specs.PLAYED_CARDS), _place(1, specs.ANNOUNCEMENTS)
WISH, RECIPIENT, OWNER = (_place(2, at) for at in (specs.WISH_VALUE, specs.DRAGON_RECIPIENT, specs.TRICK_OWNER))
COMBINATION, RANK = _place(2, specs.TRICK_COMBINATION), _place(2, specs.TRICK_RANK)
WINNER, HAND = _place(3, specs.WINNER), _place(3, specs.HAND_CARDS)
GIVEN, RECEIVED = _place(4, specs.GIVEN_SCHUPF), _place(4, specs.RECEIVED_SCHUPF)
assert WORDS == 6
assert specs.PLAY_LAYOUT.numbers == 7  # trick_points, four points, two scores: as they are written below


@inlined
def encode_play(seen, seat, hand, counts, given, received, row):
    """Packs a view into a row. `seen` holds what lies open: a view, or the state that it would be made of; beside it
    stands what the seat alone sees. What has no room in its word goes on in the next."""
    own, other = np.int64(seen.last[seat & 1]), np.int64(seen.last[1 - (seat & 1)])
    calls, rank = calls_field(seen, seat), rank_thermometer(seen.trick)
    hand = cards_field(hand)
    word_0 = seat_field(seen.turn, seat) << TURN | seat_field(seen.start_player, seat) << START_PLAYER | counts << COUNT
    word_1 = counts >> (64 - COUNT) | cards_field(seen.played) << PLAYED | calls << CALLS
    word_2 = calls >> (64 - CALLS) | wish_field(seen) << WISH | seat_field(seen.dragon_recipient, seat) << RECIPIENT
    word_2 |= seat_field(seen.owner, seat) << OWNER | combination_field(seen.trick) << COMBINATION | rank << RANK
    word_3 = rank >> (64 - RANK) | seat_field(seen.winner, seat) << WINNER | hand << HAND
    word_4 = hand >> (64 - HAND) | given << GIVEN | received << RECEIVED
    word_5 = received >> (64 - RECEIVED)
    me, right = points_of(seen, seat, 0), points_of(seen, seat, 1)
    partner, left = points_of(seen, seat, 2), points_of(seen, seat, 3)
    row.word[0] = word_0
    row.word[1] = word_1
    row.word[2] = word_2
    row.word[3] = word_3
    row.word[4] = word_4
    row.word[5] = word_5
    row.word[WORDS] = four_numbers(points_in_trick(seen), me, right, partner)
    row.word[WORDS + 1] = four_numbers(left, own, other, 0)
