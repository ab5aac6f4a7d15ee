"""Walks through a logged round and finds everything that was decided in it: what the seat saw, and what it chose.

The one walk of features, loader and commands. It steps a position by `rules.asking`, as a table does, and reads the
answers off the log. A log tells less than a table does, and now and then more:

- A bomb that comes after passes answers yes to the question after the play that it beats. Who declined before the
  thrower is asked, who would have come after him is not, if it came at once.
- A small Tichu that is logged at another seat's turn answers no question; from then on everybody sees it.
- A bomb out of turn is a play decision as well, of whom it makes the seat on turn.

Whoever walks says what becomes of a decision: it is kept with its view, or encoded at once, while the position is at
hand. Histories are in normal form, and rounds are sound: no rule is checked again. Vectors do not belong here.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.blocks import recall
from tichu_models.observation.view import VIEW, see
from tichu_models.records.history import CALL_ENTRY, LOG, PASS_ENTRY, cards_in, kind_of, load, seat_of
from tichu_models.records.history import PLAY_ENTRY as PLAYED
from tichu_models.records.replay import announce, call_small, reading
from tichu_models.rules.asking import (
    ASK_TURN,
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    PLAY,
    POSITION,
    ROUND_OVER,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
    begin_questions,
    lay,
    next_question,
    perform,
    schupf_answer,
)
from tichu_models.rules.legal import PLAYS, is_forced
from tichu_models.rules.state import (
    ALL_SEATS,
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    NEXT,
    NO_CALL,
    NOBODY,
    begin_round,
    exchange,
)

BEFORE_PLAY_KINDS = 1 << GRAND_CALL | 1 << TICHU_CALL | 1 << SCHUPF
MAX_DECISIONS = 1024  # of one round: twelve before the play, five a turn, three more a trick
WHO_ACTS = -1  # in the stead of a seat through whose eyes all decisions are seen
BEFORE_PLAY = -1  # in the stead of a turn

Number: TypeAlias = int | np.int64


class LoggedDecision(NamedTuple):
    """A decision while the walk stands before it: the state tells the rest."""

    kind: Number
    eyes: Number  # the seat that looks
    actor: Number  # who was asked
    label: Number  # the answer, as rules.asking describes it
    turn: Number  # plays and passes before it; -1 before the play
    forced: Number  # 1: only one answer was legal
    out_of_turn: Number  # 1: a bomb before the own turn, or on the own trick
    entries: Number  # of the log that lie before it


# fmt: off
# A decision with what was seen.
DECISION = np.dtype([
    ("seen", VIEW),                 # the view; `seen.kind` says what was asked
    ("label", np.int64),
    ("place", np.int32),            # of the round among those that were walked through
    ("turn", np.int16),
    ("actor", np.int8),
    ("forced", np.int8),
    ("out_of_turn", np.int8),
], align=True)

# What a round begins with.
SCORE_BEFORE = np.dtype([
    ("total", np.int32, 2),         # game score of each team
    ("last", np.int16, 2),          # logged result of the previous round, 0 before the first
], align=True)

# A record, as all scratch of kernels: arrays that are passed down a call tree are counted at every call.
DECISIONS_AT_ONCE = 4 * MAX_DECISIONS
FOUND: np.dtype = np.dtype([("at", DECISION, DECISIONS_AT_ONCE)])

WALK = np.dtype([("position", POSITION), ("seen", VIEW), ("log", LOG), ("plays", PLAYS)], align=True)
# fmt: on


@kernel
def fill_scores_before(rows, standings):
    """The standing before each round; rounds of a game follow each other, and none is left out."""
    for i in range(len(rows)):
        goes_on = i > 0 and rows[i].game_id == rows[i - 1].game_id
        for team in range(2):
            last = rows[i - 1].score[team] if goes_on else 0
            standings[i].last[team] = last
            standings[i].total[team] = standings[i - 1].total[team] + last if goes_on else 0


def scores_before(rows: np.ndarray) -> np.ndarray:
    """The standing before each of many rounds, whole games one behind the other."""
    standings = np.zeros(len(rows), dtype=SCORE_BEFORE)
    fill_scores_before(rows, standings)
    return standings


@inlined
def _ask(scratch, kinds, kind, label, turn, forced, at, observer, note, target, n):
    """Has the pending question noted, if its kind is among those that are looked for; returns how many there are then.
    Before the play all are asked at once: through other eyes than their own there is nothing to see."""
    seat = scratch.position.seat
    eyes = seat if observer < 0 else observer
    if kinds >> kind & 1 == 0 or (kind <= SCHUPF and eyes != seat):
        return n
    note(scratch, LoggedDecision(kind, eyes, seat, np.int64(label), np.int64(turn), forced, 0, at), target, n)
    return n + 1


@inner
def _answer_before_play(row, kind, seat):
    """What a seat announced before the play, or gave away."""
    if kind == SCHUPF:
        return schupf_answer(row.given[seat, 0], row.given[seat, 1], row.given[seat, 2])
    return np.int64(row.tichu_position[seat] == (CALLED_GRAND if kind == GRAND_CALL else CALLED_BEFORE_PLAY))


@inlined
def _next_turn(log, at):
    """The place of the next play, pass or take at or behind this one; the log's end if none comes."""
    while at < log.length and kind_of(log.entry[at]) == CALL_ENTRY:
        at += 1
    return at


@inner
def _hear_calls(state, log, at):
    """Small Tichus that answer no question, up to the next play, pass or take, whose place is returned."""
    while at < log.length and kind_of(log.entry[at]) == CALL_ENTRY:
        call_small(state, seat_of(log.entry[at]))
        at += 1
    return at


@inner
def _thrower(state, log, at):
    """(seat, whether at once): who throws a bomb on the play that lies there, -1 for nobody. `at` is behind the play
    or behind the pass that completes the trick."""
    place = _next_turn(log, at)
    turn = state.turn
    is_complete = state.complete
    at_once = True
    while place < log.length:
        entry = log.entry[place]
        if kind_of(entry) == PLAYED:
            return (seat_of(entry), at_once) if seat_of(entry) != turn or is_complete else (NOBODY, False)
        if kind_of(entry) != PASS_ENTRY:
            return NOBODY, False
        owner = state.owner & 3
        turn = NEXT[(state.holding | (1 << owner)) & ALL_SEATS, seat_of(entry)]
        if turn == owner:  # complete: the next question is about this
            return NOBODY, False
        at_once = False
        place = _next_turn(log, place + 1)
    return NOBODY, False


@inlined
def _is_thrown(log, at):
    """Whether a bomb is the next thing on a complete trick, before it is collected."""
    place = _next_turn(log, at)
    return place < log.length and kind_of(log.entry[place]) == PLAYED


@inlined
def _is_forced(scratch, entry):
    """Whether only one answer was legal. Who plays on a trick could have passed."""
    state, seat = scratch.position.state, scratch.position.seat
    if cards_in(entry) == 0 or state.trick == 0 or state.wish > 0:
        bombs = state.dealt_bombs >> seat & 1
        return np.int64(is_forced(state.hand[seat], state.trick, state.wish, bombs, scratch.plays))
    return np.int64(0)


@inner
def _throw_out_of_turn(scratch, at, kinds, observer, note, target, n):
    """A bomb before its player's turn, or on the own trick: a decision of whom it makes the seat on turn. Returns (what
    is performed of the log, decisions noted)."""
    position, log = scratch.position, scratch.log
    state = position.state
    at = _hear_calls(state, log, at)
    seat, cards = seat_of(log.entry[at]), cards_in(log.entry[at])
    if kinds >> PLAY & 1:
        turn, state.turn = state.turn, seat
        eyes = seat if observer < 0 else observer
        note(scratch, LoggedDecision(PLAY, eyes, seat, cards, np.int64(state.turns), np.int64(0), 1, at), target, n)
        state.turn = turn
        n += 1
    lay(position, seat, reading(state, log, at))
    return at + 1, n


@inlined
def walk(row, standing, history, scratch, kinds, observer, note, target):
    """Has the decisions of these kinds in a round noted, one behind the other; returns how many there are.

    `note(scratch, asked, target, n)` is called before each, as the n-th: `asked` and the position tell about it.
    """
    position, log = scratch.position, scratch.log
    state = position.state
    load(log, history, row)
    begin_round(state, row.first, row.start, standing.total[0], standing.total[1], standing.last[0], standing.last[1])
    begin_questions(position)
    if kinds & BEFORE_PLAY_KINDS == 0:
        announce(state, row, CALLED_GRAND)
        announce(state, row, CALLED_BEFORE_PLAY)
        exchange(state, row.given)
        position.phase = ASK_TURN
    asks_for_bombs = kinds >> BOMB_THROW & 1
    n = at = 0  # decisions noted, entries of the log performed
    thrown = False  # the question about a complete trick was answered by a bomb
    while True:
        ends_trick = state.complete | state.over
        if ends_trick and state.complete and (thrown or not asks_for_bombs) and _is_thrown(log, at):
            thrown = False
            at, n = _throw_out_of_turn(scratch, at, kinds, observer, note, target, n)
            continue
        kind = next_question(position, kinds, scratch.plays)
        if ends_trick and state.owner == NOBODY and kind != ROUND_OVER:  # it was collected on the way
            at = _hear_calls(state, log, at) + 1
        seat = position.seat
        if kind == PLAY:
            at = _hear_calls(state, log, at)
            if at >= log.length:
                return n
            entry = log.entry[at]
            if seat_of(entry) != seat:
                at, n = _throw_out_of_turn(scratch, at, kinds, observer, note, target, n)
                continue
            forced = _is_forced(scratch, entry) if kinds >> PLAY & 1 else np.int64(0)
            n = _ask(scratch, kinds, PLAY, cards_in(entry), state.turns, forced, at, observer, note, target, n)
            if kind_of(entry) == PLAYED:
                lay(position, seat, reading(state, log, at))
            else:
                perform(position, 0)
            at += 1
        elif kind == ROUND_OVER:
            return n
        elif kind == SMALL_CALL:
            place = _next_turn(log, at)
            if place < log.length and seat_of(log.entry[place]) != seat:
                at, n = _throw_out_of_turn(scratch, at, kinds, observer, note, target, n)
                continue
            while at < log.length and kind_of(log.entry[at]) == CALL_ENTRY and seat_of(log.entry[at]) != seat:
                call_small(state, seat_of(log.entry[at]))
                at += 1
            says_yes = at < log.length and kind_of(log.entry[at]) == CALL_ENTRY
            if state.call[seat] == NO_CALL:  # else it was called before the trick was collected
                n = _ask(scratch, kinds, SMALL_CALL, says_yes, state.turns, 0, at, observer, note, target, n)
            perform(position, np.int64(says_yes))
            at += says_yes
        elif kind == BOMB_THROW:
            thrower, at_once = _thrower(state, log, at)
            n = _ask(scratch, kinds, BOMB_THROW, seat == thrower, state.turns, 0, at, observer, note, target, n)
            if seat == thrower and at_once:
                thrown = state.complete != 0
                position.phase = ASK_TURN
        elif kind == WISH:
            n = _ask(scratch, kinds, WISH, row.wish, state.turns, 0, at, observer, note, target, n)
            perform(position, row.wish)
        elif kind == DRAGON_GIFT:
            at = _hear_calls(state, log, at)
            receiver = (row.dragon_recipient - state.owner) & 3
            n = _ask(scratch, kinds, DRAGON_GIFT, receiver, state.turns, 0, at, observer, note, target, n)
            perform(position, receiver)
            at += 1
        else:
            label = _answer_before_play(row, kind, seat)
            n = _ask(scratch, kinds, kind, label, BEFORE_PLAY, 0, 0, observer, note, target, n)
            perform(position, label)


@inlined
def _note_decision(scratch, asked, target, n):
    """Keeps a decision with its view, and the latest turns before it."""
    past, base, place, found = target
    decision = found.at[base + n]
    see(scratch.position.state, asked.eyes, asked.kind, np.uint64(0), decision.seen)
    if past:
        recall(scratch.log, asked.entries, past, decision.seen)
    decision.label = asked.label
    decision.place = place
    decision.turn = asked.turn
    decision.actor = asked.actor
    decision.forced = asked.forced
    decision.out_of_turn = asked.out_of_turn


@kernel
def find_decisions(rows, standings, history, scratch, kinds, past, observer, room, found):
    """Decisions of many rounds, as long as there is room for those of any round; returns (rounds done, decisions)."""
    n = 0
    for i in range(len(rows)):
        if n + MAX_DECISIONS > room:
            return i, n
        target = past, n, i, found
        n += walk(rows[i], standings[i], history, scratch, kinds, observer, _note_decision, target)
    return len(rows), n
