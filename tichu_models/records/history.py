"""How the turns of a round are kept: bytes.

A turn is `0x80 | seat` (pass), or `0x90 | seat` followed by the card indices of the play, ascending. `0xA0 | seat`
follows the turn after which the seat took the trick. Collecting passes, the Dog's going over, and announcements are no
entries. Card indices are below 56, so a byte says by itself what it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.rules.cards import (
    CARD_OF_INDEX,
    DOG,
    DOG_BIT,
    DRAGON,
    DRAGON_BIT,
    INDEX_OF_BIT,
    LABELS,
    MAHJONG,
    MAHJONG_BIT,
    NATURAL,
    NUM_CARDS,
    PHOENIX,
    PHOENIX_BIT,
    lowest_bit,
)

PASS_MARK, PLAY_MARK, TAKE_MARK = 0x80, 0x90, 0xA0
# Only in raw histories, as a log has them: a small Tichu called here, and plays whose cards cannot be told.
CALL_MARK, BAD_LABEL_MARK, DOUBLED_CARD_MARK = 0xB0, 0xC0, 0xD0
KIND_BITS, SEAT_BITS = 0xF0, 0x03
MAX_HISTORY = 512  # 56 cards, at most 56 plays, 168 passes and 56 takes
MAX_TURNS = 256
MAX_RAW = 1024  # a log has up to 56 collecting passes more; what stands behind its first 1,024 bytes cannot be legal

# One history in a record, because arrays that are passed down a call tree are counted at every call.
LOG: np.dtype = np.dtype([("length", np.int64), ("entry", np.uint8, MAX_RAW)])


@inlined
def add_mark(log, mark, seat):
    """Appends a pass or a take."""
    log.entry[log.length] = mark | seat
    log.length += 1


@inlined
def add_play(log, seat, cards):
    """Appends a play."""
    add_mark(log, PLAY_MARK, seat)
    at = log.length
    rest = cards & NATURAL
    if cards & DOG:
        log.entry[at] = INDEX_OF_BIT[DOG_BIT]
        at += 1
    if cards & MAHJONG:
        log.entry[at] = INDEX_OF_BIT[MAHJONG_BIT]
        at += 1
    while rest:
        log.entry[at] = INDEX_OF_BIT[lowest_bit(rest)]
        rest &= rest - 1
        at += 1
    if cards & DRAGON:
        log.entry[at] = INDEX_OF_BIT[DRAGON_BIT]
        at += 1
    if cards & PHOENIX:
        log.entry[at] = INDEX_OF_BIT[PHOENIX_BIT]
        at += 1
    log.length = at


@inlined
def read_cards(log, at):
    """(cards, position behind): the card indices that follow a play mark."""
    cards = 0
    while at < log.length and log.entry[at] < NUM_CARDS:
        cards |= CARD_OF_INDEX[log.entry[at]]
        at += 1
    return cards, at


@inlined
def copy_entries(log, source, start, stop):
    """Appends the entries that stand between two positions of another log."""
    to = log.length
    for i in range(start, stop):
        log.entry[to] = source.entry[i]
        to += 1
    log.length = to


@inlined
def load(log, history, start, stop):
    """Takes the history that stands in a byte array."""
    source = history[start:stop]
    n = min(len(source), MAX_RAW)
    for i in range(n):
        log.entry[i] = source[i]
    log.length = n


@inlined
def store(log, history, at):
    """Writes the log into a byte array; returns the position behind it."""
    target = history[at:]
    n = log.length
    for i in range(n):
        target[i] = log.entry[i]
    return at + n


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
