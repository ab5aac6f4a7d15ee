"""The encoder of the layout `play`: what a seat sees while cards are played, 368 bits and 7 numbers."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation import specs
from tichu_models.observation.fields import (
    BITS_A_WORD,
    Field,
    Open,
    Row,
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
from tichu_models.rules.cards import Mask
from tichu_models.rules.state import Seat

WORDS = specs.PLAY_LAYOUT.words
_PLACES = specs.PLAY_LAYOUT.places


def _place(word: int, group: specs.Group) -> int:
    """The place of a group's first bit in the word that the encoder puts it into."""
    assert _PLACES[group.name] // BITS_A_WORD == word
    return _PLACES[group.name] % BITS_A_WORD


TURN, START_PLAYER, COUNT = (_place(0, at) for at in (specs.CURRENT_TURN, specs.START_PLAYER, specs.COUNT_THERMOMETER))
PLAYED, CALLS = _place(1, specs.PLAYED_CARDS), _place(1, specs.ANNOUNCEMENTS)
WISH, RECIPIENT, OWNER = (_place(2, at) for at in (specs.WISH_VALUE, specs.DRAGON_RECIPIENT, specs.TRICK_OWNER))
COMBINATION, RANK = _place(2, specs.TRICK_COMBINATION), _place(2, specs.TRICK_RANK)
WINNER, HAND = _place(3, specs.WINNER), _place(3, specs.HAND_CARDS)
GIVEN, RECEIVED = _place(4, specs.GIVEN_SCHUPF), _place(4, specs.RECEIVED_SCHUPF)
assert WORDS == 6
assert specs.PLAY_LAYOUT.numbers == 7  # trick_points, four points, two scores: as they are written below


@inlined
def encode_play(seen: Open, seat: Seat, hand: Mask, counts: Field, given: Field, received: Field, row: Row) -> None:
    """Packs a view into a row. `seen` holds what everybody sees: a view, or the state that the view would be made of.
    The other arguments are what the seat alone sees. A field that exceeds its word continues in the next."""
    own, other = np.int64(seen.last[seat & 1]), np.int64(seen.last[1 - (seat & 1)])
    calls, rank = calls_field(seen, seat), rank_thermometer(seen.trick)
    hand = cards_field(hand)
    word_0 = seat_field(seen.turn, seat) << TURN | seat_field(seen.start_player, seat) << START_PLAYER | counts << COUNT
    word_1 = counts >> (BITS_A_WORD - COUNT) | cards_field(seen.played) << PLAYED | calls << CALLS
    word_2 = (
        calls >> (BITS_A_WORD - CALLS) | wish_field(seen) << WISH | seat_field(seen.dragon_recipient, seat) << RECIPIENT
    )
    word_2 |= seat_field(seen.owner, seat) << OWNER | combination_field(seen.trick) << COMBINATION | rank << RANK
    word_3 = rank >> (BITS_A_WORD - RANK) | seat_field(seen.winner, seat) << WINNER | hand << HAND
    word_4 = hand >> (BITS_A_WORD - HAND) | given << GIVEN | received << RECEIVED
    word_5 = received >> (BITS_A_WORD - RECEIVED)
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
