"""Replays a logged round in the engine and says where it breaks the rules.

`step` performs one entry of a history, so that whoever needs the positions in between (features, search) drives the
same loop as `replay`, which runs a round from the deal to the score. A history may be raw, as a log has it: with the
collecting passes, and without the marks that say who took a trick; `replay` then writes the normal form. An error is
a code of `RuleBreak`; the replay stops at the first. Reading text does not belong here.
"""

from __future__ import annotations

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
    cards_in,
    is_normal_form,
    kind_of,
    load,
    note,
    seat_of,
    store,
)
from tichu_models.records.schema import NO_RECIPIENT, Rounds
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, MAHJONG, NUM_CARDS, PHOENIX, count
from tichu_models.rules.combinations import beats, cards_of, classify, lower_reading, on_trick
from tichu_models.rules.legal import PLAYS
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
    ("history_length", np.int32),   # bytes of the normalised history
    ("num_turns", np.int16),
    ("num_tricks", np.int16),
    ("points", np.int16, 4),        # collected by each seat
    ("score", np.int16, 2),         # replayed result; 0, 0 in a broken round
    ("tichu_position", np.int16, 4),
    ("break_at", np.int16),         # place in the history of the entry that breaks a rule; -1 if no entry does
    ("rule_break", np.int8),
    ("dealt", np.int8),             # 1: the cards are possible
    ("completed", np.int8),         # 1: the round was played to its end, and points, score and places are known
    ("winner_index", np.int8),
    ("loser_index", np.int8),
    ("is_double_victory", np.int8),
    ("phoenix_low", np.int8),       # 1: an ambiguous Phoenix was read low, because of what was laid on it
    ("bomb_owners", np.int8, 4),    # who holds a bomb after schupfen
], align=True)
# fmt: on


@inner
def check_deal(round_):
    """Why the dealt and given cards are impossible, 0 if they are not."""
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
def announce(state, round_, position):
    """Announces what was called at this point before the play."""
    for seat in range(4):
        if round_.tichu_position[seat] == position:
            call(state, seat, position)


@inner
def begin(state, round_):
    """After begin_round: announces what was called before the play, and exchanges the cards."""
    announce(state, round_, CALLED_GRAND)
    announce(state, round_, CALLED_BEFORE_PLAY)
    exchange(state, round_.given)


@inner
def _proved_low(move, log, at, others):
    """The lower reading of a play, if what is laid on it beats only that; else 0. `others` hold cards, too.

    When all of them have passed, the trick is over: what comes then is a lead, or a bomb, and proves nothing.
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
def call_small(state, seat):
    """A small Tichu in the play; who has called already, calls no more."""
    if state.call[seat] == NO_CALL:
        call(state, seat, state.turns)


@inlined
def reading(state, log, at):
    """The play at a place of a sound log: what its cards are on the trick that lies there."""
    return _proved(state, log, at, on_trick(classify(cards_in(log.entry[at])), state.trick))


@inlined
def _proved(state, log, at, move):
    """The play that was meant: an ambiguous Phoenix is low where what is laid on it proves that."""
    if cards_of(move) & PHOENIX:
        seat = seat_of(log.entry[at])
        low = _proved_low(move, log, at + 1, count(state.holding & ~(1 << seat)))
        if low:
            state.phoenix_low = 1
            return low
    return move


@inlined
def step(state, round_, log, at, plays):
    """Performs the entry at a place of the log; a code that is not 0 left the state alone.

    An entry may be a collecting pass, which is no turn: it takes the trick like a take.
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
def take(state, round_):
    """Collects the lying trick; a Dragon's trick goes to the logged recipient."""
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
def _check_announcements(state):
    """A small Tichu stands until the caller's first play, or directly after it."""
    for seat in range(4):
        first, position = state.first_play[seat], state.called_at[seat]
        if position > state.turns or (first != NOT_YET and position > first + 1):
            return RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
    return 0


@inner
def score_is_possible(state, score):
    """Whether a result can come from these announcements, whoever went out first."""
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
def _check_gift_wish_and_calls(state, round_):
    """What can only be judged when the play is over, but for the score."""
    if round_.dragon_recipient != NO_RECIPIENT and state.dragon_recipient == NOBODY:
        return RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT
    if round_.wish > 0 and state.played & MAHJONG == 0:
        return RuleBreak.WISH_WITHOUT_MAHJONG
    for seat in range(4):
        if round_.tichu_position[seat] >= 0 and state.called_at[seat] != round_.tichu_position[seat]:  # behind the end
            return RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
    return _check_announcements(state)


@inner
def _check_score(state, round_):
    score_round(state)
    if state.score[0] == round_.score[0] and state.score[1] == round_.score[1]:
        return 0
    return RuleBreak.SCORE_MISMATCH if score_is_possible(state, round_.score) else RuleBreak.SCORE_NOT_POSSIBLE


@inner
def _replay_turns(state, round_, log, normal, outcome, plays):
    """Plays a log to its end and writes its normal form; the code is 0 if every turn was legal."""
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
        played_on |= (
            kind != CALL_ENTRY and kind != PASS_ENTRY and kind != TAKE_ENTRY
        )  # also with cards that cannot be told
    if state.owner != NOBODY:
        owner = state.owner
        code = take(state, round_)
        if code:
            return code
        note(normal, TAKE_ENTRY, owner, 0)
    return RuleBreak.HISTORY_TOO_LONG if played_on else 0


@inner
def _call_where_logged(state, log, at):
    """Small Tichus from a break on: before them lie the turns as logged. A pass on one's own play only collects."""
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
def replay(state, round_, log, normal, outcome, plays, deal_break, late_break):
    """Replays a round with every check; writes its outcome and the normal form of its history.

    `deal_break` and `late_break` are what the round's text says against it (0: nothing): of the deal, and of Dragon,
    wish or announcements. The code that comes first counts: deal, play, then the late ones by number, then the score.
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


@inner
def _store_normal(scratch, history, row, target, to):
    """Writes the normal form of a history: its own bytes, if it was normal already."""
    if not is_normal_form(scratch.normal, scratch.log):
        return store(scratch.normal, target, to)
    source = history[row.history_from : row.history_to]
    for i in range(len(source)):
        target[to + i] = source[i]
    return to + len(source)


@kernel
def replay_rounds(rows, history, scratch, target, outcomes):
    """Replays many rounds; their calls get their places. Their normal histories go to target, one behind the other.

    Returns the whole length.
    """
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
    """Outcomes of all rounds, and the rounds with their histories in normal form."""
    outcomes = np.zeros(len(rounds), dtype=OUTCOME)
    target = np.empty(2 * len(rounds.history) + 2 * MAX_RAW, dtype=np.uint8)
    rows = rounds.rows.copy()
    length = replay_rounds(rows, rounds.history, np.zeros(1, dtype=SCRATCH)[0], target, outcomes)
    rows["history_to"] = np.cumsum(outcomes["history_length"])
    rows["history_from"] = rows["history_to"] - outcomes["history_length"]
    return outcomes, Rounds(rows, target[:length].copy())
