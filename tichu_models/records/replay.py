"""Replays a logged round in the engine, from the deal to the score, and finds the first rule that it breaks.

`step` performs one entry of a log. A history may be raw, as in the text of a log: with collecting passes, and without
the entries that say who took a trick. `replay` writes its normal form. A rule break is a code of `RuleBreak`; the
replay stops at the first.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.records.history import (
    CALL_ENTRY,
    DOUBLED_CARD,
    LOG,
    MAX_RAW,
    PASS_ENTRY,
    PLAY_ENTRY,
    REPLAYED,
    TAKE_ENTRY,
    Log,
    cards_in,
    is_normal_form,
    kind_of,
    load,
    note,
    seat_of,
    store,
)
from tichu_models.records.schema import NO_RECIPIENT, Round, Rounds
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, MAHJONG, NUM_CARDS, PHOENIX, count
from tichu_models.rules.combinations import PackedPlay, beats, cards_of, classify, lower_reading, on_trick
from tichu_models.rules.legal import PLAYS, Plays
from tichu_models.rules.scoring import DOUBLE_VICTORY, POINT_STEP, ROUND_POINTS, bonus, score_round
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    FIRST_SIZE,
    HAND_SIZE,
    NO_CALL,
    NOBODY,
    NOT_YET,
    STATE,
    Seat,
    State,
    begin_round,
    call,
    check_pass,
    check_play,
    collect,
    collects_itself,
    dragon_is_due,
    exchange,
    make_wish,
    pass_turn,
    play,
)

# fmt: off
OUTCOME = np.dtype([
    ("history_length", np.int32),   # bytes of the history in normal form
    ("num_turns", np.int16),
    ("num_tricks", np.int16),
    ("points", np.int16, 4),        # collected by each seat
    ("score", np.int16, 2),         # replayed result; 0, 0 in a broken round
    ("tichu_position", np.int16, 4),
    ("break_at", np.int16),         # place in the log of the entry that breaks a rule; -1 if no entry does
    ("rule_break", np.int8),
    ("dealt", np.int8),             # 1: the dealt and given cards are possible
    ("completed", np.int8),         # 1: the round was played to its end: points, score and places are known
    ("winner_index", np.int8),
    ("loser_index", np.int8),
    ("is_double_victory", np.int8),
    ("phoenix_low", np.int8),       # 1: an ambiguous Phoenix was read low, because of the play that beat it
    ("bomb_owners", np.int8, 4),    # 1 for seats with a bomb after schupfen
], align=True)
# fmt: on

Outcome: TypeAlias = Any  # a record of OUTCOME


@inner
def check_deal(round_: Round) -> int:
    """The rule that the dealt and given cards break, or 0."""
    for seat in range(4):
        if count(round_.first[seat]) != FIRST_SIZE or count(round_.start[seat]) != HAND_SIZE:
            return RuleBreak.INVALID_CARD_COUNT
    dealt = 0
    for seat in range(4):
        if dealt & round_.start[seat]:
            return RuleBreak.DUPLICATE_CARD
        dealt |= round_.start[seat]
    for seat in range(4):
        given = 0
        for to in range(3):
            index = round_.given[seat, to]
            if index < 0 or index >= NUM_CARDS:
                return RuleBreak.INVALID_CARD_LABEL
            given |= CARD_OF_INDEX[index]
        if count(given) != 3:
            return RuleBreak.DUPLICATE_CARD
    for seat in range(4):
        if round_.first[seat] & ~round_.start[seat]:
            return RuleBreak.CARD_NOT_IN_HAND
        for to in range(3):
            if round_.start[seat] & CARD_OF_INDEX[round_.given[seat, to]] == 0:
                return RuleBreak.CARD_NOT_IN_HAND
    return 0 if dealt == DECK else RuleBreak.DUPLICATE_CARD


@inlined
def announce(state: State, round_: Round, called_at: int) -> None:
    """Makes the announcements before the play: CALLED_GRAND or CALLED_BEFORE_PLAY."""
    for seat in range(4):
        if round_.tichu_position[seat] == called_at:
            call(state, seat, called_at)


@inner
def begin(state: State, round_: Round) -> None:
    """Brings a round from begin_round to its first turn: announcements before the play, and schupfen."""
    announce(state, round_, CALLED_GRAND)
    announce(state, round_, CALLED_BEFORE_PLAY)
    exchange(state, round_.given)


@inner
def _proved_low(move: PackedPlay, log: Log, at: int, others: int) -> PackedPlay:
    """The lower reading of a play if the next play beats only that; else 0. `others`: seats that hold cards, too.

    When all of these have passed, the trick is over, and the next play proves nothing.
    """
    low = lower_reading(move)
    if low == 0:
        return 0
    passes = 0
    while at < log.length and passes < others and kind_of(log.entry[at]) != TAKE_ENTRY:
        if kind_of(log.entry[at]) == PLAY_ENTRY:
            following = classify(cards_in(log.entry[at]))
            return low if following and beats(following, low) and not beats(following, move) else 0
        passes += kind_of(log.entry[at]) == PASS_ENTRY
        at += 1
    return 0


@inlined
def call_small(state: State, seat: Seat) -> None:
    """Announces a small Tichu in the play, unless the seat has called before."""
    if state.call[seat] == NO_CALL:
        call(state, seat, state.turns)


@inlined
def reading(state: State, log: Log, at: int) -> PackedPlay:
    """The play at a place of a sound log, as it counts on the trick."""
    return _proved(state, log, at, on_trick(classify(cards_in(log.entry[at])), state.trick))


@inlined
def _proved(state: State, log: Log, at: int, move: PackedPlay) -> PackedPlay:
    """The play in the reading that was meant: an ambiguous Phoenix is low where the next play proves it."""
    if cards_of(move) & PHOENIX:
        seat = seat_of(log.entry[at])
        low = _proved_low(move, log, at + 1, count(state.holding & ~(1 << seat)))
        if low:
            state.phoenix_low = 1
            return low
    return move


@inlined
def step(state: State, round_: Round, log: Log, at: int, plays: Plays) -> int:
    """Performs the entry at a place of the log. Returns the rule that it breaks, which leaves the state alone, or 0.

    A collecting pass is no turn: it takes the trick, as a take does.
    """
    entry = log.entry[at]
    kind, seat, cards = kind_of(entry), seat_of(entry), cards_in(entry)
    if kind == PLAY_ENTRY:
        if collects_itself(state) and seat == state.turn:
            code = take(state, round_)
            if code:
                return code
        move, code = check_play(state, seat, cards, plays)
        if code == 0:
            play(state, seat, _proved(state, log, at, move))
            if cards & MAHJONG and not state.over:
                make_wish(state, round_.wish)
        return code
    if cards:
        return RuleBreak.INVALID_CARD_LABEL
    if kind == PASS_ENTRY:
        if state.complete and seat == state.owner and seat == state.turn:
            return take(state, round_)
        code = check_pass(state, seat, plays)
        if code == 0:
            pass_turn(state, seat)
        return code
    if kind == TAKE_ENTRY:
        return take(state, round_)
    if kind == CALL_ENTRY:
        call_small(state, seat)
        return 0
    return RuleBreak.DUPLICATE_CARD if kind == DOUBLED_CARD else RuleBreak.INVALID_CARD_LABEL


@inlined
def take(state: State, round_: Round) -> int:
    """Collects the trick; a Dragon's trick goes to the logged recipient."""
    if state.owner == NOBODY:
        return RuleBreak.PLAYER_NOT_ON_TURN
    if dragon_is_due(state):
        if round_.dragon_recipient == NO_RECIPIENT:
            return RuleBreak.DRAGON_NOT_GIVEN
        if (round_.dragon_recipient ^ state.owner) & 1 == 0:
            return RuleBreak.DRAGON_GIVEN_TO_OWN_TEAM
    collect(state, round_.dragon_recipient)
    return 0


@inner
def _check_announcements(state: State) -> int:
    """The rule that a small Tichu breaks, or 0: it may be logged up to directly behind the caller's first play."""
    for seat in range(4):
        first, called_at = state.first_play[seat], state.called_at[seat]
        if called_at > state.turns or (first != NOT_YET and called_at > first + 1):
            return RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
    return 0


@inner
def score_is_possible(state: State, score: np.ndarray) -> bool:
    """Whether a score is possible with these announcements, whoever went out first."""
    if score[0] % POINT_STEP or score[1] % POINT_STEP:
        return False
    for first in range(4):
        expected = 0
        for seat in range(4):
            expected += bonus(state.call[seat], seat == first)
        total = score[0] + score[1] - expected
        if total == ROUND_POINTS or total == DOUBLE_VICTORY:
            return True
    return False


@inner
def _check_gift_wish_and_calls(state: State, round_: Round) -> int:
    """The rule that Dragon gift, wish or announcements break, or 0: these are judged after the play."""
    if round_.dragon_recipient != NO_RECIPIENT and state.dragon_recipient == NOBODY:
        return RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT
    if round_.wish > 0 and state.played & MAHJONG == 0:
        return RuleBreak.WISH_WITHOUT_MAHJONG
    for seat in range(4):
        if round_.tichu_position[seat] >= 0 and state.called_at[seat] != round_.tichu_position[seat]:  # after the end
            return RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
    return _check_announcements(state)


@inner
def _check_score(state: State, round_: Round) -> int:
    """Scores the round; the rule that the logged score breaks, or 0."""
    score_round(state)
    if state.score[0] == round_.score[0] and state.score[1] == round_.score[1]:
        return 0
    return RuleBreak.SCORE_MISMATCH if score_is_possible(state, round_.score) else RuleBreak.SCORE_NOT_POSSIBLE


@inner
def _replay_turns(state: State, round_: Round, log: Log, normal: Log, outcome: Outcome, plays: Plays) -> int:
    """Plays a log to its end and writes its normal form; returns the rule that a turn breaks, or 0."""
    at = 0
    while at < log.length and not state.over:
        turns, tricks, owner = state.turns, state.tricks, state.owner
        code = step(state, round_, log, at, plays)
        if state.tricks > tricks:
            note(normal, TAKE_ENTRY, owner, 0)
        if code:
            outcome.break_at = at
            return code
        normal.entry[normal.length] = log.entry[at]
        normal.move[normal.length] = state.trick
        normal.length += state.turns - turns  # neither a take nor a call is a turn
        at += 1
    if not state.over:
        return RuleBreak.HISTORY_TOO_SHORT
    played_on = False
    for behind in range(at, log.length):
        kind = kind_of(log.entry[behind])
        if kind == CALL_ENTRY:
            call_small(state, seat_of(log.entry[behind]))
        played_on |= kind != CALL_ENTRY and kind != PASS_ENTRY and kind != TAKE_ENTRY  # with unreadable cards, too
    if state.owner != NOBODY:
        owner = state.owner
        code = take(state, round_)
        if code:
            return code
        note(normal, TAKE_ENTRY, owner, 0)
    return RuleBreak.HISTORY_TOO_LONG if played_on else 0


@inner
def _call_where_logged(state: State, log: Log, at: int) -> None:
    """Announces the small Tichus after a rule break, by the turns as logged. A pass on one's own play only collects."""
    turns, owner = state.turns, state.owner
    for behind in range(at, log.length):
        kind, seat = kind_of(log.entry[behind]), seat_of(log.entry[behind])
        if kind == CALL_ENTRY:
            if state.call[seat] == NO_CALL:
                call(state, seat, turns)
        elif kind == PASS_ENTRY:
            turns += seat != owner
        elif kind != TAKE_ENTRY:
            turns += 1
            owner = seat


@inner
def replay(
    state: State, round_: Round, log: Log, normal: Log, outcome: Outcome, plays: Plays, deal_break: int, late_break: int
) -> int:
    """Replays a round with every check; writes its outcome and the normal form of its history.

    `deal_break` and `late_break` are rules that the text of the round breaks (0: none), in the deal, and in Dragon
    gift, wish or announcements. The first break counts: deal, play, then the late ones by number, then the score.
    """
    for seat in range(4):
        outcome.bomb_owners[seat] = 0
    normal.length = 0
    outcome.break_at = NOT_YET
    outcome.completed = 0
    begin_round(state, round_.first, round_.start, 0, 0, 0, 0)
    code = deal_break if deal_break else check_deal(round_)
    outcome.dealt = code == 0
    if code == 0:
        begin(state, round_)
        for seat in range(4):
            outcome.bomb_owners[seat] = (state.dealt_bombs >> seat) & 1
        code = _replay_turns(state, round_, log, normal, outcome, plays)
        if code == 0:
            outcome.completed = 1
            code = _check_gift_wish_and_calls(state, round_)
            if code == 0 or 0 < late_break < code:
                code = late_break
            score_code = _check_score(state, round_)
            if code == 0:
                code = score_code
        elif outcome.break_at != NOT_YET:
            _call_where_logged(state, log, outcome.break_at)
    else:
        announce(state, round_, CALLED_GRAND)
        announce(state, round_, CALLED_BEFORE_PLAY)
        _call_where_logged(state, log, 0)
    outcome.rule_break = code
    outcome.num_turns = state.turns
    outcome.num_tricks = state.tricks
    for seat in range(4):
        outcome.points[seat] = state.points[seat]
        outcome.tichu_position[seat] = state.called_at[seat]
    for team in range(2):
        outcome.score[team] = state.score[team]
    outcome.winner_index = state.winner
    outcome.loser_index = state.loser
    outcome.is_double_victory = state.double
    outcome.phoenix_low = state.phoenix_low
    return code


SCRATCH = np.dtype([("state", STATE), ("log", LOG), ("normal", REPLAYED), ("plays", PLAYS)], align=True)
Scratch: TypeAlias = Any  # a record of SCRATCH


@inner
def _store_normal(scratch: Scratch, history: np.ndarray, row: Round, target: np.ndarray, to: int) -> int:
    """Writes the normal form of a history, and returns the place behind it. A normal history is copied."""
    if not is_normal_form(scratch.normal, scratch.log):
        return store(scratch.normal, target, to)
    source = history[row.history_from : row.history_to]
    for i in range(len(source)):
        target[to + i] = source[i]
    return to + len(source)


@kernel
def replay_rounds(
    rows: np.ndarray, history: np.ndarray, scratch: Scratch, target: np.ndarray, outcomes: np.ndarray
) -> int:
    """Replays many rounds, corrects the places of their calls, and writes their normal histories to `target`, end to
    end. Returns the length of them all."""
    to = 0
    for i in range(len(rows)):
        load(scratch.log, history, rows[i])
        replay(scratch.state, rows[i], scratch.log, scratch.normal, outcomes[i], scratch.plays, 0, 0)
        for seat in range(4):
            rows[i].tichu_position[seat] = outcomes[i].tichu_position[seat]
        behind = _store_normal(scratch, history, rows[i], target, to)
        outcomes[i].history_length = behind - to
        to = behind
    return to


def check(rounds: Rounds) -> tuple[np.ndarray, Rounds]:
    """Replays rounds: their outcomes, and the rounds with histories in normal form."""
    outcomes = np.zeros(len(rounds), dtype=OUTCOME)
    target = np.empty(2 * len(rounds.history) + 2 * MAX_RAW, dtype=np.uint8)
    rows = rounds.rows.copy()
    length = replay_rounds(rows, rounds.history, np.zeros(1, dtype=SCRATCH)[0], target, outcomes)
    rows["history_to"] = np.cumsum(outcomes["history_length"])
    rows["history_from"] = rows["history_to"] - outcomes["history_length"]
    return outcomes, Rounds(rows, target[:length].copy())
