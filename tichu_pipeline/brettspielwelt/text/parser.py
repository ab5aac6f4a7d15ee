"""A log's text to the rounds that stand in it: bytes to records in one pass, without a Python object a line.

`next_round` reads one round of a game into a DRAFT: the record, the raw history, where the names stand, what is wrong
with the text. It judges what only text can tell (cards that do not exist, a wish behind another card than the Mahjong);
what the rules forbid, `tichu_models.records.replay` judges. A part without a result, or with a line that cannot be
read, is a fragment: its text is kept, its contents are not. Whatever the bytes are, every call moves on.
"""

from __future__ import annotations

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
    PASSES_AS_EVER,
    PLAY_HEADER,
    RESULT,
    SCHUPFEN,
    START_HEADER,
    TICHU,
    UNKNOWN,
    WISH,
    WORD_LENGTHS,
    at_line,
    behind_name,
    behind_word,
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

# Bytes that each takes at least: a round has three headers, a fragment has one or follows a round or begins the game.
SHORTEST_ROUND = int(WORD_LENGTHS[[GRAND_HEADER, START_HEADER, PLAY_HEADER]].sum())
SHORTEST_FRAGMENT = int(WORD_LENGTHS[GRAND_HEADER])
SHORTEST_PLAY = len("(0):Hu\n")


@inner
def _hands(text, draft, hands, bad, size):
    """Reads the four lines of a card list. False if they are not there."""
    for seat in range(4):
        if not next_line(text) or seat_at(text, text.at) != seat:
            return False
        behind = behind_name(text, text.at + 3)
        if byte_at(text.address, behind) == COLON:
            return False
        draft.name_begin[seat] = text.at + 3
        draft.name_length[seat] = behind - text.at - 3
        cards, labels, unknown, text.at = cards_at(text, behind)
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
        if not next_line(text) or seat_at(text, text.at) != seat:
            return False
        at = skip_spaces(text, behind_name(text, text.at + 3))
        if not is_word(text, at, GIVES):
            return False
        at = skip_spaces(text, at + WORD_LENGTHS[GIVES])
        given = labels = unknown = 0
        while byte_at(text.address, at) != LINE_FEED and labels < 4:
            at = behind_name(text, at)
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
        _object_to_deal(draft, labels, unknown, 3, count(given) + unknown)
    return True


@inner
def _call(text, draft, in_play):
    """Reads a call, if one stands here. A grand one is grand wherever it stands, and no small one comes after it.

    A small one in the play goes into the raw history: only the replay knows how many turns lie before it.
    """
    grand = is_word(text, text.at, GRAND_TICHU)
    if not grand and not is_word(text, text.at, TICHU):
        return False
    seat = seat_at(text, behind_word(text, GRAND_TICHU if grand else TICHU))
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
        note(draft.log, CALL_ENTRY, seat, 0)
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
    at = behind_word(text, RESULT)
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
def _turn(text, draft):
    """Reads a play or a pass. Returns the cards played, 0 for a pass, UNKNOWN if the line is neither."""
    seat = seat_at(text, text.at)
    if seat == UNKNOWN:
        return UNKNOWN
    at = behind_name(text, text.at + 3)
    room = _has_room(draft)
    if room:
        draft.entry_line[draft.log.length] = text.line
    if byte_at(text.address, at) != COLON:
        if word_at(text.address, at) == PASSES_AS_EVER:
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
def _play(text, draft):
    """Reads the play up to and with the result. False if a line cannot be read; a result may be missing."""
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
            wish = wish_at(text, behind_word(text, WISH))
            if wish == 0:
                return False
            if last & MAHJONG == 0 or row.wish:
                _object_late(draft, RuleBreak.WISH_WITHOUT_MAHJONG)
            else:
                row.wish = wish
        elif is_word(text, text.at, GIFT):
            seat = seat_at(text, behind_word(text, GIFT))
            if seat == UNKNOWN:
                return False
            if row.dragon_recipient != NO_RECIPIENT:
                _object_late(draft, RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT)
            row.dragon_recipient = seat
        elif is_word(text, text.at, GRAND_HEADER):
            return True
        elif not _call(text, draft, True):
            return False
    return True


@inner
def _round(text, draft):
    """Reads a round behind its header. False if a line cannot be read; then `text` stands at that line."""
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
def has_header(text, draft):
    """Whether the round or fragment begins as rounds do."""
    return is_word(text, draft.begin, GRAND_HEADER)


@inner
def _cut_off(text):
    """Whether the round goes no further for want of text: a new one begins here, or the text ends within this line."""
    return is_word(text, text.at, GRAND_HEADER) or end_of_line(text, text.at) >= text.length


@inner
def _skip_to_header(text):
    while not is_word(text, text.at, GRAND_HEADER) and next_line(text):
        pass
