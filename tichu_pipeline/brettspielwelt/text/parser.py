"""Parses a log's text into rounds: bytes to records in one pass, without a Python object for each line.

`next_round` reads one round of a game into a DRAFT: the record, the raw history, the places of names, and the breaks
that only the text shows (cards that do not exist, a wish after another card than the Mahjong). The replay
(`tichu_models.records.replay`) checks the rules. A part without a result, or with a line that cannot be read, is a
fragment: only its text is kept. Whatever the bytes are, every call moves forward.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.records.history import BAD_LABEL, CALL_ENTRY, DOUBLED_CARD, LOG, MAX_RAW, PASS_ENTRY, PLAY_ENTRY, note
from tichu_models.records.schema import NO_RECIPIENT, ROUND
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import INDEX_OF_BIT, MAHJONG, count
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND, FIRST_SIZE, HAND_SIZE, NOT_CALLED
from tichu_pipeline.brettspielwelt.text.scanning import COLON, LINE_FEED, byte_at, word_at
from tichu_pipeline.brettspielwelt.text.tokens import (
    BOMBS,
    DASH,
    GIFT,
    GIVES,
    GRAND_HEADER,
    GRAND_TICHU,
    MAX_SCORE,
    OPEN,
    PASSES,
    PLAY_HEADER,
    RESULT,
    SCHUPFEN,
    START_HEADER,
    TICHU,
    UNKNOWN,
    USUAL_PASS,
    WISH,
    WORD_LENGTHS,
    Text,
    after_name,
    after_word,
    at_line,
    card_at,
    cards_at,
    end_of_line,
    ends_line,
    is_cut_word,
    is_word,
    next_line,
    score_at,
    seat_at,
    skip_spaces,
    wish_at,
)

# fmt: off
DRAFT = np.dtype([
    ("row", ROUND),
    ("log", LOG),
    ("begin", np.int64),                # of the round's text within the game's
    ("end", np.int64),
    ("line", np.int32),                 # of its header, counted from 1
    ("fragment", np.int8),              # 0: a round; else SYNTAX or TRUNCATED
    ("syntax_line", np.int32),          # the first line that cannot be read; 0 if there is none
    ("deal_break", np.int8),            # the RuleBreak in the deal: an unknown label, a wrong count, a doubled card
    ("late_break", np.int8),            # a RuleBreak of Dragon gift, wish or call, which counts if the play is sound
    ("bad_first", np.int8, 4),          # 1: the cards are unknown, because of a label, a count or a doubled card
    ("bad_start", np.int8, 4),
    ("bad_given", np.int8, (4, 3)),
    ("name_begin", np.int64, 4),
    ("name_length", np.int32, 4),
    ("entry_line", np.int32, MAX_RAW),  # the line of each entry of the log
], align=True)
# fmt: on
Draft: TypeAlias = Any  # a record of DRAFT

# The fewest bytes of each. A round has three headers; a fragment has one, follows a round or begins the game.
SHORTEST_ROUND = int(WORD_LENGTHS[[GRAND_HEADER, START_HEADER, PLAY_HEADER]].sum())
SHORTEST_FRAGMENT = int(WORD_LENGTHS[GRAND_HEADER])
SHORTEST_PLAY = len("(0):Hu\n")


@inner
def _hands(text: Text, draft: Draft, hands: np.ndarray, bad: np.ndarray, size: int) -> bool:
    """Reads the four lines of a card list, with `size` cards each. False if they are missing."""
    for seat in range(4):
        if not next_line(text) or seat_at(text, text.at) != seat:
            return False
        end = after_name(text, text.at + 3)
        if byte_at(text.address, end) == COLON:
            return False
        draft.name_begin[seat] = text.at + 3
        draft.name_length[seat] = end - text.at - 3
        cards, labels, unknown, text.at = cards_at(text, end)
        hands[seat] = cards
        _note_deal_break(draft, labels, unknown, size, count(cards))
        bad[seat] = unknown > 0 or labels != size or count(cards) != size
    return True


@inlined
def _note_deal_break(draft: Draft, labels: int, unknown: int, size: int, different: int) -> None:
    """Notes a break in a list of cards. Of all lists, unknown labels come first, then counts, then doubled cards."""
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
def _given(text: Text, draft: Draft) -> bool:
    """Reads the four lines of the schupfen. False if they are missing."""
    for seat in range(4):
        if not next_line(text) or seat_at(text, text.at) != seat:
            return False
        at = skip_spaces(text, after_name(text, text.at + 3))
        if not is_word(text, at, GIVES):
            return False
        at = skip_spaces(text, at + WORD_LENGTHS[GIVES])
        given = labels = unknown = 0
        while byte_at(text.address, at) != LINE_FEED and labels < 4:
            at = after_name(text, at)
            if byte_at(text.address, at) != COLON:
                return False
            at = skip_spaces(text, at + 1)
            if byte_at(text.address, at) != DASH and byte_at(text.address, at) != LINE_FEED:
                bit, at = card_at(text, at)
                if labels < 3:
                    draft.bad_given[seat, labels] = bit == UNKNOWN
                    draft.row.given[seat, labels] = 0 if bit == UNKNOWN else INDEX_OF_BIT[bit]
                if bit == UNKNOWN:
                    unknown += 1
                else:
                    given |= 1 << bit
                labels += 1
            at = skip_spaces(text, at)
            if byte_at(text.address, at) == DASH:
                at = skip_spaces(text, at + 1)
        for to in range(labels, 3):
            draft.bad_given[seat, to] = 1
        _note_deal_break(draft, labels, unknown, 3, count(given) + unknown)
    return True


@inner
def _call(text: Text, draft: Draft, in_play: bool) -> bool:
    """Reads a call; False if the line is none. A grand Tichu counts wherever it is, and excludes a later small one.

    A small Tichu during the play goes into the raw history: only the replay can count the turns before it.
    """
    grand = is_word(text, text.at, GRAND_TICHU)
    if not grand and not is_word(text, text.at, TICHU):
        return False
    seat = seat_at(text, after_word(text, GRAND_TICHU if grand else TICHU))
    if seat == UNKNOWN:
        return False
    if grand:
        draft.row.tichu_position[seat] = CALLED_GRAND
    elif draft.row.tichu_position[seat] == CALLED_GRAND:
        _note_late_break(draft, RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE)
    elif not in_play:
        draft.row.tichu_position[seat] = CALLED_BEFORE_PLAY
    elif _has_room(draft):
        draft.entry_line[draft.log.length] = text.line
        note(draft.log, CALL_ENTRY, seat, 0)
    return True


@inlined
def _note_late_break(draft: Draft, code: int) -> None:
    """Notes a break of Dragon gift, wish or call. The lowest code counts."""
    if draft.late_break == 0 or code < draft.late_break:
        draft.late_break = code


@inlined
def _has_room(draft: Draft) -> bool:
    """Whether the raw history has room for another entry."""
    return draft.log.length < MAX_RAW


@inner
def _result(text: Text, draft: Draft) -> bool:
    """Reads the line of the result. False if it cannot be read."""
    at = after_word(text, RESULT)
    score_20, at = score_at(text, at)
    at = skip_spaces(text, at)
    if byte_at(text.address, at) != DASH:
        return False
    score_31, at = score_at(text, skip_spaces(text, at + 1))
    if score_20 > MAX_SCORE or score_31 > MAX_SCORE or not ends_line(text, at):
        return False
    draft.row.score[0], draft.row.score[1] = score_20, score_31
    return True


@inlined
def _turn(text: Text, draft: Draft) -> int:
    """Reads a play or a pass. Returns the cards, 0 for a pass, UNKNOWN if the line is neither."""
    seat = seat_at(text, text.at)
    if seat == UNKNOWN:
        return UNKNOWN
    at = after_name(text, text.at + 3)
    room = _has_room(draft)
    if room:
        draft.entry_line[draft.log.length] = text.line
    if byte_at(text.address, at) != COLON:
        if word_at(text.address, at) == USUAL_PASS:
            at += 7
        else:
            at = skip_spaces(text, at)
            if not is_word(text, at, PASSES):
                return UNKNOWN
        text.at = at
        if room:
            note(draft.log, PASS_ENTRY, seat, 0)
        return 0
    cards, labels, unknown, at = cards_at(text, at + 1)
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
        note(draft.log, PLAY_ENTRY, seat, cards)
    return cards


@inner
def _play(text: Text, draft: Draft) -> bool:
    """Reads the play and the result. False if a line cannot be read. True if the text ends without a result."""
    row = draft.row
    last = 0
    while next_line(text):
        first = byte_at(text.address, text.at)
        if first == OPEN:
            last = _turn(text, draft)
            if last == UNKNOWN:
                return False
        elif is_word(text, text.at, RESULT):
            if not _result(text, draft):
                return False
            draft.fragment = 0
            return True
        elif is_word(text, text.at, WISH):
            wish = wish_at(text, after_word(text, WISH))
            if wish == 0:
                return False
            if last & MAHJONG == 0 or row.wish:
                _note_late_break(draft, RuleBreak.WISH_WITHOUT_MAHJONG)
            else:
                row.wish = wish
        elif is_word(text, text.at, GIFT):
            seat = seat_at(text, after_word(text, GIFT))
            if seat == UNKNOWN:
                return False
            if row.dragon_recipient != NO_RECIPIENT:
                _note_late_break(draft, RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT)
            row.dragon_recipient = seat
        elif is_word(text, text.at, GRAND_HEADER):
            return True
        elif not _call(text, draft, True):
            return False
    return True


@inner
def _round(text: Text, draft: Draft) -> bool:
    """Reads a round from the line after its header. False if a line cannot be read; then `text` is at that line."""
    row = draft.row
    if not _hands(text, draft, row.first, draft.bad_first, FIRST_SIZE):
        return False
    if not next_line(text) or not is_word(text, text.at, START_HEADER):
        return False
    if not _hands(text, draft, row.start, draft.bad_start, HAND_SIZE):
        return False
    while next_line(text) and not is_word(text, text.at, SCHUPFEN):
        if not _call(text, draft, False):
            return False
    if not is_word(text, text.at, SCHUPFEN) or not _given(text, draft):
        return False
    while next_line(text) and not is_word(text, text.at, PLAY_HEADER):
        if not is_word(text, text.at, BOMBS) and not _call(text, draft, False):
            return False
    return is_word(text, text.at, PLAY_HEADER) and _play(text, draft)


@inner
def _clear(draft: Draft) -> None:
    """Resets the draft for the next round."""
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
def next_round(text: Text, draft: Draft) -> bool:
    """Reads the next round or fragment of a game. False if only blank lines are left."""
    if not at_line(text):
        return False
    _clear(draft)
    draft.begin = text.at
    draft.line = text.line
    draft.fragment = RuleBreak.TRUNCATED
    if has_header(text, draft):
        unread = not _round(text, draft) and text.at < text.length and not _cut_off(text)
    else:
        unread = not is_cut_word(text, GRAND_HEADER)
    if unread:
        draft.fragment = RuleBreak.SYNTAX
        draft.syntax_line = text.line
    if draft.fragment:
        _skip_to_header(text)
    else:
        next_line(text)
    draft.end = text.at
    return True


@inlined
def has_header(text: Text, draft: Draft) -> bool:
    """Whether the round or fragment begins with the header of a round."""
    return is_word(text, draft.begin, GRAND_HEADER)


@inner
def _cut_off(text: Text) -> bool:
    """Whether the round is cut off: another one begins here, or the text ends within this line."""
    return is_word(text, text.at, GRAND_HEADER) or end_of_line(text, text.at) >= text.length


@inner
def _skip_to_header(text: Text) -> None:
    """Moves to the next header of a round, or to the end."""
    while not is_word(text, text.at, GRAND_HEADER) and next_line(text):
        pass
