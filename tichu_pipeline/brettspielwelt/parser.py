"""A log's text to the rounds that stand in it: bytes to records in one pass, without a Python object a line.

`next_round` reads one round of a game into a DRAFT: the record, the raw history, where the names stand, what is wrong
with the text. It judges what only text can tell (cards that do not exist, a wish behind another card than the Mahjong);
what the rules forbid, `tichu_models.records.replay` judges. A part without a result, or with a line that cannot be
read, is a fragment: its text is kept, its contents are not. Whatever the bytes are, every call moves on.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.records.history import BAD_LABEL, CALL, DOUBLED_CARD, LOG, MAX_RAW, PASS, PLAY, note
from tichu_models.records.schema import NO_RECIPIENT, ROUND
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import (
    DOG_BIT,
    DRAGON_BIT,
    INDEX_OF_BIT,
    MAHJONG,
    MAHJONG_BIT,
    PHOENIX_BIT,
    RANK_LABELS,
    count,
)
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND, FIRST_SIZE, HAND_SIZE, NOT_CALLED
from tichu_pipeline.brettspielwelt.scanning import (
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
# One game's text, and how far it is read.
TEXT = np.dtype([
    ("length", np.int64),
    ("at", np.int64),
    ("line", np.int64),                 # number of the line that begins at or before `at`, from 1
    ("address", np.int64),              # of its first byte; line feeds stand behind its end, so that nobody looks back
])

DRAFT = np.dtype([
    ("row", ROUND),
    ("log", LOG),
    ("begin", np.int64),                # the round's text within the game's
    ("end", np.int64),
    ("line", np.int32),                 # of its header, from 1
    ("fragment", np.int8),              # 0: a round; else SYNTAX or TRUNCATED
    ("syntax_line", np.int32),          # the first line that cannot be read, 0 if all can
    ("deal_break", np.int8),            # what the text says against the deal: a label, a count, a doubled card
    ("late_break", np.int8),            # what it says against wish and Dragon, judged after the play
    ("bad_first", np.int8, 4),          # 1: not to be known, because a label is unknown or doubled
    ("bad_start", np.int8, 4),
    ("bad_given", np.int8, (4, 3)),
    ("name_begin", np.int64, 4),
    ("name_length", np.int32, 4),
    ("entry_line", np.int32, MAX_RAW),  # line of the history entry that begins at this place
], align=True)
# fmt: on

RETURN, TAB = 13, 9
OPEN, DASH, ONE, ZERO, NINE = (ord(c) for c in "(-109")

# What the first two letters of a label say: the card's bit; TEN + colour if a 0 must follow; else UNKNOWN.
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
    return int.from_bytes(text, "little")


# `(0)` to `(3)`: these bits of a word are these; the rest of a line that passes.
SEAT_MASK, SEAT_LETTERS = _number(b"\xff\xfc\xff"), _number(b"(0)")
PASSES_AS_EVER = _number(b" passt.\n")


def _words(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts in pieces of eight bytes, which of their bits count, and their lengths in bytes."""
    pieces = max(map(len, texts)) // 8 + 1
    numbers = b"".join(text.ljust(8 * pieces, b"\0") for text in texts)
    masks = b"".join((b"\xff" * len(text)).ljust(8 * pieces, b"\0") for text in texts)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    shape = (len(texts), pieces)
    return np.frombuffer(numbers, np.int64).reshape(shape), np.frombuffer(masks, np.int64).reshape(shape), lengths


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

# Bytes that each takes at least: a round has three headers, a fragment has one or follows a round or begins the game.
SHORTEST_ROUND = int(WORD_LENGTHS[[GRAND_HEADER, START_HEADER, PLAY_HEADER]].sum())
SHORTEST_FRAGMENT = int(WORD_LENGTHS[GRAND_HEADER])
SHORTEST_PLAY = len("(0):Hu\n")


@inner
def _is_word(text, at, which):
    different = 0
    for i in range((WORD_LENGTHS[which] + 7) >> 3):
        different |= (word_at(text.address, at + 8 * i) ^ WORDS[which, i]) & WORD_MASKS[which, i]
    return different == 0


@inlined
def _skip_spaces(text, at):
    while byte_at(text.address, at) == SPACE or byte_at(text.address, at) == TAB or byte_at(text.address, at) == RETURN:
        at += 1
    return at


@inlined
def _ends_line(text, at):
    return byte_at(text.address, _skip_spaces(text, at)) == LINE_FEED


@inlined
def _next_line(text):
    """Moves to the beginning of the next line that is not blank. False at the end of the game."""
    at = text.at
    if byte_at(text.address, at) == LINE_FEED and byte_at(text.address, at + 1) > SPACE:  # as nearly always in the play
        text.at = at + 1
        text.line += 1
        return True
    return _next_line_that_is_not_blank(text)


@inner
def _next_line_that_is_not_blank(text):
    at = _end_of_line(text, text.at)
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


@inlined
def _end_of_line(text, at):
    n = before_line_ends(text.address, at)
    while n == WIDTH:
        at += WIDTH
        n = before_line_ends(text.address, at)
    return at + n


@inlined
def _card(text, at):
    """(bit, position behind): the card whose label begins here; the bit is UNKNOWN if it names none."""
    letters = word_at(text.address, at)
    bit = CARD_OF_LETTERS[letters & 0xFFFF]
    behind = at + 2
    follows = (letters >> 16) & 255
    if bit >= TEN:
        bit = 4 * (10 - 1) + bit - TEN if follows == ZERO else UNKNOWN
        behind = at + 3
        follows = (letters >> 24) & 255
    if bit == UNKNOWN or follows > SPACE:
        return UNKNOWN, _behind_label(text, at)
    return bit, behind


@inner
def _behind_label(text, at):
    """The place behind a label that may be anything."""
    at += 1
    while byte_at(text.address, at) > SPACE:
        at += 1
    return at


@inlined
def _cards(text, at):
    """(cards, how many labels, labels unknown, place of the line feed) from here to the end of the line."""
    cards = labels = unknown = 0
    at = _skip_spaces(text, at)
    while byte_at(text.address, at) != LINE_FEED:
        bit, at = _card(text, at)
        if bit == UNKNOWN:
            unknown += 1
        else:
            cards |= 1 << bit
        labels += 1
        at = _skip_spaces(text, at)
    return cards, labels, unknown, at


@inlined
def _seat(text, at):
    """The seat of `(0)` at this place, UNKNOWN if there is none."""
    letters = word_at(text.address, at)
    return (letters >> 8) & 3 if letters & SEAT_MASK == SEAT_LETTERS else UNKNOWN


@inlined
def _behind_name(text, at):
    """The place behind a name: at the space, tab, colon or end of line that ends it."""
    n = before_name_ends(text.address, at)
    while n == WIDTH:
        at += WIDTH
        n = before_name_ends(text.address, at)
    at += n
    return at if byte_at(text.address, at) >= SPACE else _behind_odd_name(text, at)


@inner
def _behind_odd_name(text, at):
    """The same from a control character on, which may be part of the name."""
    byte = byte_at(text.address, at)
    while byte != SPACE and byte != COLON and byte != TAB and byte != LINE_FEED:
        if byte == RETURN and byte_at(text.address, at + 1) == LINE_FEED:
            return at
        at += 1
        byte = byte_at(text.address, at)
    return at


@inner
def _score(text, at):
    """(value, position behind) of a number with or without a minus; the value is beyond MAX_SCORE if there is none."""
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
def _hands(text, draft, hands, bad, size):
    """Reads the four lines of a card list. False if they are not there."""
    for seat in range(4):
        if not _next_line(text) or _seat(text, text.at) != seat:
            return False
        behind = _behind_name(text, text.at + 3)
        if byte_at(text.address, behind) == COLON:
            return False
        draft.name_begin[seat] = text.at + 3
        draft.name_length[seat] = behind - text.at - 3
        cards, labels, unknown, text.at = _cards(text, behind)
        hands[seat] = cards
        _object_to_deal(draft, labels, unknown, size, count(cards))
        bad[seat] = unknown > 0 or labels != size or count(cards) != size
    return True


@inlined
def _object_to_deal(draft, labels, unknown, size, different):
    """Notes what is wrong with a list of cards: of all lists, unknown labels come first, then counts, then doubles."""
    code = 0
    if unknown:
        code = RuleBreak.INVALID_CARD_LABEL
    elif labels != size:
        code = RuleBreak.INVALID_CARD_COUNT
    elif different != size:
        code = RuleBreak.DUPLICATE_CARD
    if code and (draft.deal_break == 0 or code < draft.deal_break):
        draft.deal_break = code


@inner
def _given(text, draft):
    """Reads the four lines of the schupfen. False if they are not there."""
    for seat in range(4):
        if not _next_line(text) or _seat(text, text.at) != seat:
            return False
        at = _skip_spaces(text, _behind_name(text, text.at + 3))
        if not _is_word(text, at, GIVES):
            return False
        at = _skip_spaces(text, at + WORD_LENGTHS[GIVES])
        given = labels = unknown = 0
        while byte_at(text.address, at) != LINE_FEED and labels < 4:
            at = _behind_name(text, at)
            if byte_at(text.address, at) != COLON:
                return False
            at = _skip_spaces(text, at + 1)
            if byte_at(text.address, at) != DASH and byte_at(text.address, at) != LINE_FEED:
                bit, at = _card(text, at)
                if labels < 3:
                    draft.bad_given[seat, labels] = bit == UNKNOWN
                    draft.row.given[seat, labels] = 0 if bit == UNKNOWN else INDEX_OF_BIT[bit]
                if bit == UNKNOWN:
                    unknown += 1
                else:
                    given |= 1 << bit
                labels += 1
            at = _skip_spaces(text, at)
            if byte_at(text.address, at) == DASH:
                at = _skip_spaces(text, at + 1)
        for to in range(labels, 3):
            draft.bad_given[seat, to] = 1
        _object_to_deal(draft, labels, unknown, 3, count(given) + unknown)
    return True


@inner
def _call(text, draft, in_play):
    """Reads a call, if one stands here. A grand one is grand wherever it stands, and no small one comes after it.

    A small one in the play goes into the raw history: only the replay knows how many turns lie before it.
    """
    grand = _is_word(text, text.at, GRAND_TICHU)
    if not grand and not _is_word(text, text.at, TICHU):
        return False
    seat = _seat(text, _skip_spaces(text, text.at + WORD_LENGTHS[GRAND_TICHU if grand else TICHU]))
    if seat == UNKNOWN:
        return False
    if grand:
        draft.row.tichu_position[seat] = CALLED_GRAND
    elif draft.row.tichu_position[seat] == CALLED_GRAND:
        _object_late(draft, RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE)
    elif not in_play:
        draft.row.tichu_position[seat] = CALLED_BEFORE_PLAY
    elif _has_room(draft):
        draft.entry_line[draft.log.length] = text.line
        note(draft.log, CALL, seat, 0)
    return True


@inlined
def _object_late(draft, code):
    """Notes what is wrong with Dragon, wish or announcements; the lowest code comes first."""
    if draft.late_break == 0 or code < draft.late_break:
        draft.late_break = code


@inlined
def _has_room(draft):
    return draft.log.length < MAX_RAW


@inner
def _result(text, draft):
    at = _skip_spaces(text, text.at + WORD_LENGTHS[RESULT])
    score_20, at = _score(text, at)
    at = _skip_spaces(text, at)
    if byte_at(text.address, at) != DASH:
        return False
    score_31, at = _score(text, _skip_spaces(text, at + 1))
    if score_20 > MAX_SCORE or score_31 > MAX_SCORE or not _ends_line(text, at):
        return False
    draft.row.score[0], draft.row.score[1] = score_20, score_31
    return True


@inlined
def _turn(text, draft):
    """Reads a play or a pass. Returns the cards played, 0 for a pass, UNKNOWN if the line is neither."""
    seat = _seat(text, text.at)
    if seat == UNKNOWN:
        return UNKNOWN
    at = _behind_name(text, text.at + 3)
    room = _has_room(draft)
    if room:
        draft.entry_line[draft.log.length] = text.line
    if byte_at(text.address, at) != COLON:
        if word_at(text.address, at) == PASSES_AS_EVER:
            at += 7
        else:
            at = _skip_spaces(text, at)
            if not _is_word(text, at, PASSES):
                return UNKNOWN
        text.at = at
        if room:
            note(draft.log, PASS, seat, 0)
        return 0
    cards, labels, unknown, at = _cards(text, at + 1)
    if labels == 0:
        return UNKNOWN
    text.at = at
    if not room:
        return cards
    if unknown:
        note(draft.log, BAD_LABEL, seat, 0)
    elif labels != count(cards):
        note(draft.log, DOUBLED_CARD, seat, 0)
    else:
        note(draft.log, PLAY, seat, cards)
    return cards


@inner
def _play(text, draft):
    """Reads the play up to and with the result. False if a line cannot be read; a result may be missing."""
    row = draft.row
    last = 0
    while _next_line(text):
        first = byte_at(text.address, text.at)
        if first == OPEN:
            last = _turn(text, draft)
            if last == UNKNOWN:
                return False
        elif _is_word(text, text.at, RESULT):
            if not _result(text, draft):
                return False
            draft.fragment = 0
            return True
        elif _is_word(text, text.at, WISH):
            wish = _wish(text)
            if wish == 0:
                return False
            if last & MAHJONG == 0 or row.wish:
                _object_late(draft, RuleBreak.WISH_WITHOUT_MAHJONG)
            else:
                row.wish = wish
        elif _is_word(text, text.at, GIFT):
            seat = _seat(text, _skip_spaces(text, text.at + WORD_LENGTHS[GIFT]))
            if seat == UNKNOWN:
                return False
            if row.dragon_recipient != NO_RECIPIENT:
                _object_late(draft, RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT)
            row.dragon_recipient = seat
        elif _is_word(text, text.at, GRAND_HEADER):
            return True
        elif not _call(text, draft, True):
            return False
    return True


@inner
def _wish(text):
    """The wished rank, 0 if none stands here."""
    at = _skip_spaces(text, text.at + WORD_LENGTHS[WISH])
    first, second = byte_at(text.address, at), byte_at(text.address, at + 1)
    if first == ONE and second == ZERO:
        return 10 if _ends_line(text, at + 2) else 0
    return RANK_OF_BYTE[first] if _ends_line(text, at + 1) else 0


@inner
def _round(text, draft):
    """Reads a round behind its header. False if a line cannot be read; then `text` stands at that line."""
    row = draft.row
    if not _hands(text, draft, row.first, draft.bad_first, FIRST_SIZE):
        return False
    if not _next_line(text) or not _is_word(text, text.at, START_HEADER):
        return False
    if not _hands(text, draft, row.start, draft.bad_start, HAND_SIZE):
        return False
    while _next_line(text) and not _is_word(text, text.at, SCHUPFEN):
        if not _call(text, draft, False):
            return False
    if not _is_word(text, text.at, SCHUPFEN) or not _given(text, draft):
        return False
    while _next_line(text) and not _is_word(text, text.at, PLAY_HEADER):
        if not _is_word(text, text.at, BOMBS) and not _call(text, draft, False):
            return False
    return _is_word(text, text.at, PLAY_HEADER) and _play(text, draft)


@inner
def _clear(draft):
    row = draft.row
    row.wish = 0
    row.dragon_recipient = NO_RECIPIENT
    draft.log.length = 0
    draft.deal_break = draft.late_break = 0
    draft.syntax_line = 0
    for team in range(2):
        row.score[team] = 0
    for seat in range(4):
        row.tichu_position[seat] = NOT_CALLED
        row.first[seat] = row.start[seat] = 0
        draft.bad_first[seat] = draft.bad_start[seat] = 1
        draft.name_length[seat] = 0
        for to in range(3):
            draft.bad_given[seat, to] = 1
            row.given[seat, to] = 0


@inner
def next_round(text, draft):
    """Reads the next round or fragment of a game. False if nothing but blank lines is left."""
    if not _at_line(text):
        return False
    _clear(draft)
    draft.begin = text.at
    draft.line = text.line
    draft.fragment = RuleBreak.TRUNCATED
    if has_header(text, draft):
        unread = not _round(text, draft) and text.at < text.length and not _cut_off(text)
    else:
        unread = not _is_cut_header(text)
    if unread:
        draft.fragment = RuleBreak.SYNTAX
        draft.syntax_line = text.line
    if draft.fragment:
        _skip_to_header(text)
    else:
        _next_line(text)
    draft.end = text.at
    return True


@inlined
def has_header(text, draft):
    """Whether the round or fragment begins as rounds do."""
    return _is_word(text, draft.begin, GRAND_HEADER)


@inner
def _is_cut_header(text):
    """Whether the text ends within a header."""
    for i in range(text.length - text.at):
        expected = (WORDS[GRAND_HEADER, i >> 3] >> (8 * (i & 7))) & 255
        if i == WORD_LENGTHS[GRAND_HEADER] or byte_at(text.address, text.at + i) != expected:
            return False
    return True


@inner
def _at_line(text):
    """Moves on to a line that is not blank, unless the reader stands at one. False at the end of the game."""
    text.at = _skip_spaces(text, text.at)
    return byte_at(text.address, text.at) != LINE_FEED or _next_line(text)


@inner
def _cut_off(text):
    """Whether the round goes no further for want of text: a new one begins here, or the text ends within this line."""
    return _is_word(text, text.at, GRAND_HEADER) or _end_of_line(text, text.at) >= text.length


@inner
def _skip_to_header(text):
    while not _is_word(text, text.at, GRAND_HEADER) and _next_line(text):
        pass


@inner
def begin_text(text, source, start, stop):
    """Takes a game's bytes where they are; without a byte order mark. Line feeds stand behind them, as in a Chunk."""
    if stop - start >= 3 and source[start] == 0xEF and source[start + 1] == 0xBB and source[start + 2] == 0xBF:
        start += 3
    text.address = np.intp(source.ctypes.data) + start
    text.length = stop - start
    text.at = 0
    text.line = 1
