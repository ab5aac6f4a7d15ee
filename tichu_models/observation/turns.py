"""The latest turns before a decision, which can be appended to a vector: a word each, the last turn first.

`recall` reads them off a log into a view, `put_history` encodes them.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.observation.fields import Row, seat_field
from tichu_models.observation.view import HISTORY_MOST, View
from tichu_models.records.history import (
    CALL_ENTRY,
    PASS_ENTRY,
    TAKE_ENTRY,
    Entry,
    Log,
    cards_in,
    kind_of,
    seat_of,
)
from tichu_models.rules.cards import DOG, PHOENIX, count
from tichu_models.rules.combinations import cards_of, classify, on_trick, rank_of, type_of

# Places in the word of a turn: the player (none, me, right, partner, left) comes first.
LEAD_BIT = 1 << 5
TYPE_AT, LENGTH_AT, VALUE_AT = 6, 14, 29

# A turn in VIEW.past: type, length, rank, seat, lead, and a bit that every turn has.
LENGTH_SHIFT, RANK_SHIFT, SEAT_SHIFT, LEAD_SHIFT, THERE = 3, 7, 11, 13, 1 << 14


@inlined
def _starts_trick(log: Log, at: int) -> bool:
    """Whether the entry at this place of a log opens a trick."""
    before = at - 1
    while before >= 0 and kind_of(log.entry[before]) == CALL_ENTRY:
        before -= 1
    if before < 0 or kind_of(log.entry[before]) == TAKE_ENTRY:
        return True
    return cards_in(log.entry[before]) == DOG


@inner
def recall(log: Log, length: int, most: int, view: View) -> None:
    """Fills in the latest turns, `most` at most, among the first `length` entries of a log."""
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
def _turn(log: Log, at: int, entry: Entry) -> int:
    """An entry of a log as VIEW.past has it."""
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
def put_history(view: View, row: Row, words: int, most: int) -> None:
    """Writes a word for each of the latest turns, from place `words` on; the player is none where there was no turn."""
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
