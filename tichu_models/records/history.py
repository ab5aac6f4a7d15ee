"""Histories: the turns of a round as bytes in files, and as a LOG with an int64 for each entry in kernels.

In bytes, a turn is `0x80 | seat` for a pass, or `0x90 | seat` and the card indices of the play, ascending. A byte
`0xA0 | seat` follows the turn after which the seat took the trick. Announcements, collecting passes and the lead that
the Dog hands over are not stored. Card indices are below 56, so the value of a byte tells what it is.

In a LOG, an entry is cards | seat << 56 | kind << 58. Small Tichus are entries, too, so that a log has everything in
its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.records.schema import Round
from tichu_models.rules.cards import BIT_OF_INDEX, DECK, INDEX_OF_BIT, LABELS, NATURAL, NUM_CARDS, Mask, lowest_bit

PASS_MARK, PLAY_MARK, TAKE_MARK = 0x80, 0x90, 0xA0
KIND_BITS, SEAT_BITS = 0xF0, 0x03
MAX_HISTORY = 512  # bytes: 56 cards, at most 56 plays, 168 passes and 56 takes
MAX_TURNS = 256

# Kinds of entries. Passes, plays and takes are stored in files; a bad label or a doubled card is in raw logs only.
BAD_LABEL, PASS_ENTRY, PLAY_ENTRY, TAKE_ENTRY, CALL_ENTRY, DOUBLED_CARD = range(6)
SEAT_SHIFT, KIND_SHIFT = 56, 58
MAX_RAW = 512  # bytes and entries that are read; no legal round has more, collecting passes included

# A record like all scratch of kernels: arrays are reference-counted at every call down a call tree.
MAX_ENTRIES = MAX_RAW + 64  # room for calls and takes
LOG: np.dtype = np.dtype([("length", np.int64), ("entry", np.int64, MAX_ENTRIES)])
# A replayed log: `move` is the packed play of each entry, with the Phoenix as it was read; 0 for the Dog.
REPLAYED: np.dtype = np.dtype([("move", np.int64, MAX_ENTRIES), *((name, LOG[name]) for name in LOG.names or ())])

Entry: TypeAlias = int  # cards, seat and kind
Log: TypeAlias = Any  # a record of LOG, or of REPLAYED

# ENTRY_OF_BYTE[byte]: the bits that a byte adds to an entry, which are a card, or its seat and kind.
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
def entry_of(kind: int, seat: int, cards: Mask) -> Entry:
    """An entry of a log."""
    return cards | (seat << SEAT_SHIFT) | (kind << KIND_SHIFT)


@inlined
def kind_of(entry: Entry) -> int:
    """The kind of an entry."""
    return entry >> KIND_SHIFT


@inlined
def seat_of(entry: Entry) -> int:
    """The seat of an entry."""
    return (entry >> SEAT_SHIFT) & SEAT_BITS


@inlined
def cards_in(entry: Entry) -> Mask:
    """The cards of an entry; none if it is no play."""
    return entry & DECK


@inlined
def note(log: Log, kind: int, seat: int, cards: Mask) -> None:
    """Appends an entry."""
    log.entry[log.length] = entry_of(kind, seat, cards)
    log.length += 1


@inlined
def load(log: Log, history: np.ndarray, row: Round) -> None:
    """Reads the history of a round from a byte array, and inserts its small Tichus where they were called."""
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
def _insert_call(log: Log, seat: int, turns: int) -> None:
    """Inserts a call after so many turns, directly before the next one; at the end if there are fewer."""
    at = turns_before = 0
    while at < log.length and (kind_of(log.entry[at]) > PLAY_ENTRY or turns_before < turns):
        turns_before += kind_of(log.entry[at]) <= PLAY_ENTRY
        at += 1
    for i in range(log.length, at, -1):
        log.entry[i] = log.entry[i - 1]
    log.entry[at] = entry_of(CALL_ENTRY, seat, 0)
    log.length += 1


@inlined
def store(log: Log, history: np.ndarray, at: int) -> int:
    """Writes a log in normal form into a byte array; returns the place behind it."""
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
def is_normal_form(normal: Log, log: Log) -> bool:
    """Whether a log without its calls equals its normal form."""
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
    """Entries of a history for people: ("pass" | "play" | "take", seat, card labels)."""
    at = 0
    while at < len(history):
        mark, seat = history[at] & KIND_BITS, history[at] & SEAT_BITS
        end = at + 1
        while end < len(history) and history[end] < PASS_MARK:
            end += 1
        kind = {PASS_MARK: "pass", PLAY_MARK: "play", TAKE_MARK: "take"}[mark]
        yield kind, seat, [LABELS[index] for index in reversed(history[at + 1 : end])]
        at = end
