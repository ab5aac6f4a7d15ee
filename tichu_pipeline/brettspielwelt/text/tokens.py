"""Reads the tokens of a log's lines: words, labels of cards, seats, names, numbers.

Every function takes a TEXT and most a place in it. They check nothing: a label that names no card is UNKNOWN. `parser`
knows which lines make a round, `scanning` reads eight or sixteen bytes at a time.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.rules.cards import DOG_BIT, DRAGON_BIT, MAHJONG_BIT, PHOENIX_BIT, RANK_LABELS
from tichu_pipeline.brettspielwelt.text.scanning import (
    COLON,
    LINE_FEED,
    SPACE,
    WIDTH,
    before_line_ends,
    before_name_ends,
    byte_at,
    word_at,
)

MAX_SCORE = 9_999
UNKNOWN = -1

# fmt: off
# One game's text, and the reader's place in it.
TEXT = np.dtype([
    ("length", np.int64),
    ("at", np.int64),
    ("line", np.int64),                 # number of the line of `at`, from 1
    ("address", np.int64),              # of its first byte; line feeds follow the text, so the end needs no check
])
# fmt: on
Text: TypeAlias = Any  # a record of TEXT

RETURN, TAB = 13, 9
OPEN, DASH, ONE, ZERO, NINE = (ord(c) for c in "(-109")

# The card of a label's first two letters: its bit; TEN + colour if a 0 must follow; UNKNOWN if there is none.
TEN = 64
CARD_OF_LETTERS = np.full(1 << 16, UNKNOWN, dtype=np.int8)
RANK_OF_BYTE = np.zeros(256, dtype=np.int8)  # of a wish
for _label, _rank in {**RANK_LABELS, "Z": 10}.items():
    for _bit, _colour in enumerate("SBGR"):
        _letters = int.from_bytes((_colour + _label)[:2].encode(), "little")
        CARD_OF_LETTERS[_letters] = TEN + _bit if _label == "10" else 4 * (_rank - 1) + _bit
    if len(_label) == 1 and _label != "Z":
        RANK_OF_BYTE[ord(_label)] = _rank
for _label, _bit in (("Dr", DRAGON_BIT), ("Ph", PHOENIX_BIT), ("Hu", DOG_BIT), ("Ma", MAHJONG_BIT)):
    CARD_OF_LETTERS[int.from_bytes(_label.encode(), "little")] = _bit


def _number(text: bytes) -> int:
    """Bytes as one number, the first in the lowest bits."""
    return int.from_bytes(text, "little")


# `(0)` to `(3)`: SEAT_LETTERS in the bits of SEAT_MASK.
SEAT_MASK, SEAT_LETTERS = _number(b"\xff\xfc\xff"), _number(b"(0)")
USUAL_PASS = _number(b" passt.\n")  # the rest of the line of a pass, as nearly all logs have it


def _words(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts as rows of eight-byte words, the masks of the bits that count, and the lengths in bytes."""
    pieces = max(map(len, texts)) // 8 + 1
    numbers = b"".join(text.ljust(8 * pieces, b"\0") for text in texts)
    masks = b"".join((b"\xff" * len(text)).ljust(8 * pieces, b"\0") for text in texts)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    shape = (len(texts), pieces)
    return np.frombuffer(numbers, np.int64).reshape(shape), np.frombuffer(masks, np.int64).reshape(shape), lengths


# `writer` spells these words as well: a slip in one list shows when the parser reads what the writer wrote.
WORDS, WORD_MASKS, WORD_LENGTHS = _words(
    [
        b"---------------Gr.Tichukarten",
        b"---------------Startkarten",
        b"---------------Rundenverlauf",
        b"Schupfen:",
        b"Grosses Tichu:",
        b"Tichu:",
        b"BOMBE:",
        b"Wunsch:",
        b"Drache an:",
        b"Ergebnis:",
        b"gibt:",
        b"passt",
    ]
)
(
    GRAND_HEADER,
    START_HEADER,
    PLAY_HEADER,
    SCHUPFEN,
    GRAND_TICHU,
    TICHU,
    BOMBS,
    WISH,
    GIFT,
    RESULT,
    GIVES,
    PASSES,
) = range(12)


@inner
def begin_text(text: Text, source: np.ndarray, start: int, stop: int) -> None:
    """Moves to the beginning of a game, after a byte order mark. Line feeds must follow the bytes, as in a Chunk."""
    if stop - start >= 3 and source[start] == 0xEF and source[start + 1] == 0xBB and source[start + 2] == 0xBF:
        start += 3
    text.address = np.intp(source.ctypes.data) + start
    text.length = stop - start
    text.at = 0
    text.line = 1


@inner
def is_word(text: Text, at: int, word: int) -> bool:
    """Whether this word of WORDS begins here. What follows it does not matter."""
    different = 0
    for i in range((WORD_LENGTHS[word] + 7) >> 3):
        different |= (word_at(text.address, at + 8 * i) ^ WORDS[word, i]) & WORD_MASKS[word, i]
    return different == 0


@inner
def is_cut_word(text: Text, word: int) -> bool:
    """Whether this word begins at the reader's place, and the text ends within it."""
    for i in range(text.length - text.at):
        expected = (WORDS[word, i >> 3] >> (8 * (i & 7))) & 255
        if i == WORD_LENGTHS[word] or byte_at(text.address, text.at + i) != expected:
            return False
    return True


@inlined
def skip_spaces(text: Text, at: int) -> int:
    """The next place from here on that is not a blank."""
    while byte_at(text.address, at) == SPACE or byte_at(text.address, at) == TAB or byte_at(text.address, at) == RETURN:
        at += 1
    return at


@inlined
def after_word(text: Text, word: int) -> int:
    """The place after the word that begins at the reader's place, and after blanks."""
    return skip_spaces(text, text.at + WORD_LENGTHS[word])


@inlined
def ends_line(text: Text, at: int) -> bool:
    """Whether the rest of the line is blank."""
    return byte_at(text.address, skip_spaces(text, at)) == LINE_FEED


@inlined
def next_line(text: Text) -> bool:
    """Moves to the beginning of the next line that is not blank. False at the end of the text."""
    at = text.at
    if byte_at(text.address, at) == LINE_FEED and byte_at(text.address, at + 1) > SPACE:  # nearly always
        text.at = at + 1
        text.line += 1
        return True
    return _next_line_that_is_not_blank(text)


@inner
def _next_line_that_is_not_blank(text: Text) -> bool:
    """Does the work of `next_line` where blank lines may follow."""
    at = end_of_line(text, text.at)
    while at < text.length:
        if byte_at(text.address, at) == LINE_FEED:
            text.line += 1
        elif (
            byte_at(text.address, at) != SPACE
            and byte_at(text.address, at) != RETURN
            and byte_at(text.address, at) != TAB
        ):
            text.at = at
            return True
        at += 1
    text.at = text.length
    return False


@inner
def at_line(text: Text) -> bool:
    """Moves to the next line that is not blank, unless the reader is at one. False at the end of the text."""
    text.at = skip_spaces(text, text.at)
    return byte_at(text.address, text.at) != LINE_FEED or next_line(text)


@inlined
def end_of_line(text: Text, at: int) -> int:
    """The place of the line feed that ends this line."""
    n = before_line_ends(text.address, at)
    while n == WIDTH:
        at += WIDTH
        n = before_line_ends(text.address, at)
    return at + n


@inlined
def card_at(text: Text, at: int) -> tuple[int, int]:
    """(bit, place after it) of the card whose label begins here. The bit is UNKNOWN if the label names no card."""
    letters = word_at(text.address, at)
    bit = CARD_OF_LETTERS[letters & 0xFFFF]
    end = at + 2
    follows = (letters >> 16) & 255
    if bit >= TEN:
        bit = 4 * (10 - 1) + bit - TEN if follows == ZERO else UNKNOWN
        end = at + 3
        follows = (letters >> 24) & 255
    if bit == UNKNOWN or follows > SPACE:
        return UNKNOWN, _after_label(text, at)
    return bit, end


@inner
def _after_label(text: Text, at: int) -> int:
    """The place after a label, whatever it is."""
    at += 1
    while byte_at(text.address, at) > SPACE:
        at += 1
    return at


@inlined
def cards_at(text: Text, at: int) -> tuple[int, int, int, int]:
    """(cards, number of labels, number of unknown ones, place of the line feed) from here to the end of the line."""
    cards = labels = unknown = 0
    at = skip_spaces(text, at)
    while byte_at(text.address, at) != LINE_FEED:
        bit, at = card_at(text, at)
        if bit == UNKNOWN:
            unknown += 1
        else:
            cards |= 1 << bit
        labels += 1
        at = skip_spaces(text, at)
    return cards, labels, unknown, at


@inlined
def seat_at(text: Text, at: int) -> int:
    """The seat of `(0)` to `(3)` at this place; UNKNOWN if there is none."""
    letters = word_at(text.address, at)
    return (letters >> 8) & 3 if letters & SEAT_MASK == SEAT_LETTERS else UNKNOWN


@inlined
def after_name(text: Text, at: int) -> int:
    """The place of the space, tab, colon or end of line that ends a name."""
    n = before_name_ends(text.address, at)
    while n == WIDTH:
        at += WIDTH
        n = before_name_ends(text.address, at)
    at += n
    return at if byte_at(text.address, at) >= SPACE else _after_odd_name(text, at)


@inner
def _after_odd_name(text: Text, at: int) -> int:
    """The same from a control character on, which may be part of the name."""
    byte = byte_at(text.address, at)
    while byte != SPACE and byte != COLON and byte != TAB and byte != LINE_FEED:
        if byte == RETURN and byte_at(text.address, at + 1) == LINE_FEED:
            return at
        at += 1
        byte = byte_at(text.address, at)
    return at


@inner
def score_at(text: Text, at: int) -> tuple[int, int]:
    """(value, place after it) of a number with or without a minus. The value exceeds MAX_SCORE if there is none."""
    negative = byte_at(text.address, at) == DASH
    if negative:
        at += 1
    value = digits = 0
    while ZERO <= byte_at(text.address, at) <= NINE:
        if value <= MAX_SCORE:
            value = 10 * value + byte_at(text.address, at) - ZERO
        digits += 1
        at += 1
    if digits == 0 or value > MAX_SCORE:
        return MAX_SCORE + 1, at
    return -value if negative else value, at


@inner
def wish_at(text: Text, at: int) -> int:
    """The rank that a wish names; 0 if it names none."""
    first, second = byte_at(text.address, at), byte_at(text.address, at + 1)
    if first == ONE and second == ZERO:
        return 10 if ends_line(text, at + 2) else 0
    return RANK_OF_BYTE[first] if ends_line(text, at + 1) else 0
