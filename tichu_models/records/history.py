"""How the turns of a round are kept: as bytes in a file, as one int64 an entry while they are worked on.

In a file a turn is `0x80 | seat` (pass), or `0x90 | seat` followed by the card indices of the play, ascending;
`0xA0 | seat` follows the turn after which the seat took the trick. Collecting passes, the Dog's going over, and
announcements are no entries there. Card indices are below 56, so a byte says by itself what it is.

In a LOG an entry is cards | seat << 56 | kind << 58, and a small Tichu is an entry, too: whoever walks through a log
meets everything in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.rules.cards import BIT_OF_INDEX, DECK, INDEX_OF_BIT, LABELS, NATURAL, NUM_CARDS, lowest_bit

PASS_MARK, PLAY_MARK, TAKE_MARK = 0x80, 0x90, 0xA0
KIND_BITS, SEAT_BITS = 0xF0, 0x03
MAX_HISTORY = 512  # bytes: 56 cards, at most 56 plays, 168 passes and 56 takes
MAX_TURNS = 256

# Kinds of entries. Only the middle three are in a file; the others are a call, and plays whose cards cannot be told.
BAD_LABEL, PASS_ENTRY, PLAY_ENTRY, TAKE_ENTRY, CALL_ENTRY, DOUBLED_CARD = range(6)
SEAT_SHIFT, KIND_SHIFT = 56, 58
MAX_RAW = 512  # bytes and entries that are read; what stands behind cannot be legal, collecting passes included

# One history in a record, because arrays that are passed down a call tree are counted at every call.
MAX_ENTRIES = MAX_RAW + 64  # room for calls and takes
LOG: np.dtype = np.dtype([("length", np.int64), ("entry", np.int64, MAX_ENTRIES)])
# A log that was replayed: of each play, what it was on the table, the Phoenix as it was read; 0 for the Dog.
REPLAYED: np.dtype = np.dtype([("move", np.int64, MAX_ENTRIES), *((name, LOG[name]) for name in LOG.names or ())])

Log: TypeAlias = Any  # a record of LOG, or of REPLAYED

# What a byte adds to an entry: a card, or the entry's seat and kind.
ENTRY_OF_BYTE = np.full(256, BAD_LABEL << KIND_SHIFT, dtype=np.int64)
ENTRY_OF_BYTE[:NUM_CARDS] = np.int64(1) << BIT_OF_INDEX.astype(np.int64)
MARK_OF_KIND = np.zeros(8, dtype=np.uint8)
for _mark, _kind in ((PASS_MARK, PASS_ENTRY), (PLAY_MARK, PLAY_ENTRY), (TAKE_MARK, TAKE_ENTRY)):
    MARK_OF_KIND[_kind] = _mark
    for _seat in range(4):
        ENTRY_OF_BYTE[_mark | _seat] = _kind << KIND_SHIFT | _seat << SEAT_SHIFT

# INDICES_OF_SPECIALS[nibble]: the special cards of a mask as bits in the order of card indices.
INDICES_OF_SPECIALS = np.array(
    [sum(1 << int(INDEX_OF_BIT[bit]) for bit in range(4) if nibble >> bit & 1) for nibble in range(16)], dtype=np.int64
)


@inlined
def entry_of(kind, seat, cards):
    return cards | (seat << SEAT_SHIFT) | (kind << KIND_SHIFT)


@inlined
def kind_of(entry):
    return entry >> KIND_SHIFT


@inlined
def seat_of(entry):
    return (entry >> SEAT_SHIFT) & SEAT_BITS


@inlined
def cards_in(entry):
    return entry & DECK


@inlined
def note(log, kind, seat, cards):
    """Appends an entry."""
    log.entry[log.length] = entry_of(kind, seat, cards)
    log.length += 1


@inlined
def load(log, history, row):
    """Takes a round's history out of a byte array, and puts its small Tichus where they were called."""
    source = history[row.history_from : row.history_to]
    n = 0
    entry = 0
    for i in range(min(len(source), MAX_RAW)):
        byte = source[i]
        begins = 1 if byte >= NUM_CARDS or i == 0 else 0
        entry = (entry & (begins - 1)) | ENTRY_OF_BYTE[byte]
        n += begins
        log.entry[n - 1] = entry
    log.length = n
    for seat in range(4):
        if row.tichu_position[seat] >= 0:
            _insert_call(log, seat, row.tichu_position[seat])


@inner
def _insert_call(log, seat, position):
    """Puts a call directly before the turn with this number; behind everything if there is no such turn."""
    at = turns_before = 0
    while at < log.length and (kind_of(log.entry[at]) > PLAY_ENTRY or turns_before < position):
        turns_before += kind_of(log.entry[at]) <= PLAY_ENTRY
        at += 1
    for i in range(log.length, at, -1):
        log.entry[i] = log.entry[i - 1]
    log.entry[at] = entry_of(CALL_ENTRY, seat, 0)
    log.length += 1


@inlined
def store(log, history, at):
    """Writes a normal log into a byte array; returns the position behind it."""
    for i in range(log.length):
        entry = log.entry[i]
        history[at] = MARK_OF_KIND[kind_of(entry) & 7] | seat_of(entry)
        at += 1
        rest = (entry & NATURAL) >> 2 | INDICES_OF_SPECIALS[entry & 15]
        while rest:
            history[at] = lowest_bit(rest)
            rest &= rest - 1
            at += 1
    return at


@inlined
def is_normal_form(normal, log):
    """Whether a log, its calls left out, is its normal form already."""
    different = n = 0
    if log.length == normal.length:
        for i in range(log.length):
            different |= log.entry[i] ^ normal.entry[i]
        return different == 0
    for i in range(log.length):
        entry = log.entry[i]
        if kind_of(entry) != CALL_ENTRY:
            if n == normal.length:
                return False
            different |= entry ^ normal.entry[n]
            n += 1
    return different == 0 and n == normal.length


def turns(history: bytes) -> Iterator[tuple[str, int, list[str]]]:
    """Entries of a history as a person reads them: ("pass" | "play" | "take", seat, card labels)."""
    at = 0
    while at < len(history):
        mark, seat = history[at] & KIND_BITS, history[at] & SEAT_BITS
        end = at + 1
        while end < len(history) and history[end] < PASS_MARK:
            end += 1
        kind = {PASS_MARK: "pass", PLAY_MARK: "play", TAKE_MARK: "take"}[mark]
        yield kind, seat, [LABELS[index] for index in reversed(history[at + 1 : end])]
        at = end
