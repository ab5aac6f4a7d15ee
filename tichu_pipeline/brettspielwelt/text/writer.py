"""Writes rounds as Brettspielwelt does: records to text, equal except for the order of cards within a line.

A kernel fills one byte buffer, so that writing keeps up with playing, whatever the size of a corpus. Cards are in
canonical order, descending.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.records.history import CALL_ENTRY, LOG, PASS_ENTRY, TAKE_ENTRY, cards_in, kind_of, load, seat_of
from tichu_models.records.schema import Round, Rounds
from tichu_models.rules.cards import CARD_OF_INDEX, DESCENDING, DRAGON, LABEL_OF_RANK, LABELS, MAHJONG
from tichu_models.rules.legal import has_bomb
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND

MAX_NAME = 120  # bytes
MAX_ROUND_TEXT = 16_384  # without names: 224 turns of at most 60 bytes
USUAL_ROUND_TEXT = 3_000
SPACE, NEWLINE, MINUS, ZERO = 32, 10, 45, 48

_ORDER = np.array(DESCENDING, dtype=np.int64)


def _bytes_table(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Texts as rows of a byte matrix, and their lengths."""
    encoded = [text.encode() for text in texts]
    table = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.uint8)
    for row, text in zip(table, encoded, strict=True):
        row[: len(text)] = np.frombuffer(text, dtype=np.uint8)
    return table, np.array([len(text) for text in encoded], dtype=np.int64)


LABEL_BYTES, LABEL_LENGTHS = _bytes_table(list(LABELS))
WISH_BYTES, WISH_LENGTHS = _bytes_table(["", "", *(LABEL_OF_RANK[rank] for rank in range(2, 15))])
# `tokens` spells these words as well: a slip in one list shows when the parser reads what the writer wrote.
PHRASES, PHRASE_LENGTHS = _bytes_table(
    [
        "---------------Gr.Tichukarten------------------\n",
        "---------------Startkarten------------------\n",
        "---------------Rundenverlauf------------------\n",
        "Schupfen:\n",
        "Grosses Tichu: ",
        "Tichu: ",
        " gibt: ",
        ": ",
        " - ",
        "BOMBE: ",
        " passt.\n",
        "Wunsch:",
        "Drache an: ",
        "Ergebnis: ",
    ]
)
(
    GRAND_HEADER,
    START_HEADER,
    PLAY_HEADER,
    SCHUPFEN,
    GRAND_TICHU,
    TICHU,
    GIVES,
    COLON,
    DASH,
    BOMBS,
    PASSES,
    WISH,
    GIFT,
    RESULT,
) = range(14)

NAME = np.dtype([("length", np.int64), ("text", np.uint8, MAX_NAME)])
NAMES = np.dtype([("seat", NAME, 4)])
# The text so far, the names at the table, and the history that is written: scratch of kernels as one record.
PAGE = np.dtype(
    [
        ("length", np.int64),
        ("log", LOG),
        ("names", NAME, 4),
        ("text", np.uint8, MAX_ROUND_TEXT + 400 * MAX_NAME),
    ]
)
Page: TypeAlias = Any  # a record of PAGE


@inner
def _byte(page: Page, value: int) -> None:
    page.text[page.length] = value
    page.length += 1


@inner
def _phrase(page: Page, phrase: int) -> None:
    """Writes a phrase of PHRASES."""
    for i in range(PHRASE_LENGTHS[phrase]):
        page.text[page.length + i] = PHRASES[phrase, i]
    page.length += PHRASE_LENGTHS[phrase]


@inner
def _name(page: Page, seat: int) -> None:
    name = page.names[seat]
    for i in range(name.length):
        page.text[page.length + i] = name.text[i]
    page.length += name.length


@inner
def _player(page: Page, seat: int) -> None:
    """Writes a seat and its player: `(0)anna`."""
    _byte(page, 40)
    _byte(page, ZERO + seat)
    _byte(page, 41)
    _name(page, seat)


@inner
def _label(page: Page, index: int) -> None:
    for i in range(LABEL_LENGTHS[index]):
        _byte(page, LABEL_BYTES[index, i])


@inner
def _cards(page: Page, cards: int) -> None:
    for index in _ORDER:
        if cards & CARD_OF_INDEX[index]:
            _label(page, index)
            _byte(page, SPACE)


@inner
def _number(page: Page, value: int) -> None:
    if value < 0:
        _byte(page, MINUS)
        value = -value
    scale = 1
    while scale * 10 <= value:
        scale *= 10
    while scale:
        _byte(page, ZERO + value // scale % 10)
        scale //= 10


@inner
def _call(page: Page, phrase: int, seat: int) -> None:
    """Writes a line that ends with a seat: an announcement, or the Dragon gift."""
    _phrase(page, phrase)
    _player(page, seat)
    _byte(page, NEWLINE)


@inner
def _hands(page: Page, header: int, hands: np.ndarray) -> None:
    """Writes a card list: a header and four lines."""
    _phrase(page, header)
    for seat in range(4):
        _player(page, seat)
        _byte(page, SPACE)
        _cards(page, hands[seat])
        _byte(page, NEWLINE)


@inner
def _schupfen(page: Page, row: Round, hand: np.ndarray) -> None:
    """Writes the schupfen, and puts the hands after it into `hand`."""
    _phrase(page, SCHUPFEN)
    for seat in range(4):
        hand[seat] = row.start[seat]
    for seat in range(4):
        _player(page, seat)
        _phrase(page, GIVES)
        for to in range(3):
            other = (seat + 1 + to) & 3
            _name(page, other)
            _phrase(page, COLON)
            _label(page, row.given[seat, to])
            _phrase(page, DASH)
            card = CARD_OF_INDEX[row.given[seat, to]]
            hand[seat] &= ~card
            hand[other] |= card
        _byte(page, NEWLINE)


@inner
def _bomb_owners(page: Page, hand: np.ndarray) -> None:
    """Writes the line of the seats that hold a bomb, if there are any."""
    some = False
    for seat in range(4):
        if has_bomb(hand[seat]):
            if not some:
                _phrase(page, BOMBS)
                some = True
            _player(page, seat)
            _byte(page, SPACE)
    if some:
        _byte(page, NEWLINE)


@inner
def _play(page: Page, row: Round, hand: np.ndarray) -> None:
    """Writes the play of `page.log`. Takes the cards played out of `hand`."""
    log = page.log
    top = 0
    last = log.length - 1
    while last >= 0 and kind_of(log.entry[last]) == CALL_ENTRY:
        last -= 1
    for at in range(log.length):
        entry = log.entry[at]
        kind, seat = kind_of(entry), seat_of(entry)
        if kind == CALL_ENTRY:
            _call(page, TICHU, seat)
        elif kind == TAKE_ENTRY:
            if at < last and hand[seat]:
                _player(page, seat)
                _phrase(page, PASSES)
            if top == DRAGON and row.dragon_recipient >= 0:
                _call(page, GIFT, row.dragon_recipient)
        elif kind == PASS_ENTRY:
            _player(page, seat)
            _phrase(page, PASSES)
        else:
            top = cards_in(entry)
            hand[seat] &= ~top
            _player(page, seat)
            _phrase(page, COLON)
            _cards(page, top)
            _byte(page, NEWLINE)
            if top & MAHJONG and row.wish:
                _phrase(page, WISH)
                for i in range(WISH_LENGTHS[row.wish]):
                    _byte(page, WISH_BYTES[row.wish, i])
                _byte(page, NEWLINE)


@inner
def write_round(page: Page, row: Round, history: np.ndarray) -> None:
    """Appends the text of a round to the page. The names are those in the page."""
    hand = np.zeros(4, dtype=np.int64)
    load(page.log, history, row)
    _hands(page, GRAND_HEADER, row.first)
    _hands(page, START_HEADER, row.start)
    for seat in range(4):
        if row.tichu_position[seat] == CALLED_GRAND:
            _call(page, GRAND_TICHU, seat)
    for seat in range(4):
        if row.tichu_position[seat] == CALLED_BEFORE_PLAY:
            _call(page, TICHU, seat)
    _schupfen(page, row, hand)
    _bomb_owners(page, hand)
    _phrase(page, PLAY_HEADER)
    _play(page, row, hand)
    _phrase(page, RESULT)
    _number(page, row.score[0])
    _phrase(page, DASH)
    _number(page, row.score[1])
    _byte(page, NEWLINE)


@kernel
def write_rounds(
    page: Page, rows: np.ndarray, history: np.ndarray, names: np.ndarray, text: np.ndarray, ends: np.ndarray
) -> int:
    """Writes rounds one after the other into a byte array, and the end of each into `ends`. Returns how many fitted."""
    to = 0
    for i in range(len(rows)):
        page.length = 0
        for seat in range(4):
            source, target = names[i].seat[seat], page.names[seat]
            target.length = source.length
            for k in range(source.length):
                target.text[k] = source.text[k]
        write_round(page, rows[i], history)
        if to + page.length > len(text):
            return i
        for k in range(page.length):
            text[to + k] = page.text[k]
        to += page.length
        ends[i] = to
    return len(rows)


def name_table(names: list[bytes]) -> np.ndarray:
    """Names as records of NAME, with at most MAX_NAME bytes each."""
    table = np.zeros(len(names), dtype=NAME)
    for entry, name in zip(table, names, strict=True):
        entry["length"] = len(name)
        entry["text"][: len(name)] = np.frombuffer(name, dtype=np.uint8)
    return table


def write(rounds: Rounds, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The text of all rounds as bytes, and the end of each round. `names` has a record of NAMES for each round."""
    page, ends = np.zeros(1, dtype=PAGE)[0], np.zeros(len(rounds), dtype=np.int64)
    text = np.empty(len(rounds) * USUAL_ROUND_TEXT + MAX_ROUND_TEXT, dtype=np.uint8)
    while write_rounds(page, rounds.rows, rounds.history, names, text, ends) < len(rounds):
        text = np.empty(2 * len(text), dtype=np.uint8)
    return text[: ends[-1] if len(ends) else 0], ends
