"""The walk through a logged round that finds all its decisions: what each seat saw, and what it answered.

Features, loader and commands share it. It steps a position by `rules.asking`, as a table does, and reads the answers
from the log. A log tells less than a table, and sometimes more:

- A bomb that comes after passes answers yes to the question after the play that it beats. Seats before the thrower are
  asked and decline. Seats after the thrower are not asked if the bomb came at once.
- A small Tichu that is logged at another seat's turn answers no question; from then on everybody sees it.
- A bomb out of turn is also a play decision of its player, as if on turn.

The caller passes a function `note`, which keeps a decision with its view or encodes it at once, while the position is
there. Histories must be in normal form and rounds sound: no rule is checked again.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.observation.view import VIEW
from tichu_models.records.history import (
    CALL_ENTRY,
    LOG,
    PASS_ENTRY,
    PLAY_ENTRY,
    Entry,
    Log,
    cards_in,
    kind_of,
    load,
    seat_of,
)
from tichu_models.records.replay import announce, call_small, reading
from tichu_models.records.schema import Round
from tichu_models.records.scores import ScoreBefore
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
    Answer,
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
    Seat,
    State,
    begin_round,
    exchange,
)

BEFORE_PLAY_KINDS = 1 << GRAND_CALL | 1 << TICHU_CALL | 1 << SCHUPF
MAX_DECISIONS = 1024  # of one round: twelve before the play, five a turn, three more a trick
WHO_ACTS = -1  # as observer: each decision is seen by the seat that acts
BEFORE_PLAY = -1  # in place of a turn

Number: TypeAlias = int | np.int64


class LoggedDecision(NamedTuple):
    """A decision that the walk has just reached: the position holds the rest."""

    kind: Number
    observer: Number  # the seat whose view it is
    actor: Number  # the seat that was asked
    label: Number  # the answer, as rules.asking describes it
    turn: Number  # plays and passes before it; -1 before the play
    forced: Number  # 1: only one answer was legal
    out_of_turn: Number  # 1: a bomb before the own turn, or on the own trick
    entries: Number  # of the log before it


# fmt: off
WALK = np.dtype([("position", POSITION), ("seen", VIEW), ("log", LOG), ("plays", PLAYS)], align=True)
# fmt: on

Walk: TypeAlias = Any  # a record of WALK
Note: TypeAlias = Any  # a kernel (walk, LoggedDecision, target, n) that keeps the n-th decision
Target: TypeAlias = Any  # whatever `note` keeps decisions in


@inlined
def _ask(
    scratch: Walk,
    kinds: int,
    kind: int,
    label: Answer,
    turn: int,
    forced: int,
    at: int,
    observer: Seat,
    note: Note,
    target: Target,
    n: int,
) -> int:
    """Notes the pending question as the n-th decision, if its kind is asked for; returns the number of decisions then.
    Before the play, when all seats are asked at once, other observers than the seat itself see nothing."""
    seat = scratch.position.seat
    watching = seat if observer < 0 else observer
    if kinds >> kind & 1 == 0 or (kind <= SCHUPF and watching != seat):
        return n
    note(scratch, LoggedDecision(kind, watching, seat, np.int64(label), np.int64(turn), forced, 0, at), target, n)
    return n + 1


@inner
def _answer_before_play(row: Round, kind: int, seat: Seat) -> Number:
    """The answer of a seat to a question before the play."""
    if kind == SCHUPF:
        return schupf_answer(row.given[seat, 0], row.given[seat, 1], row.given[seat, 2])
    return np.int64(row.tichu_position[seat] == (CALLED_GRAND if kind == GRAND_CALL else CALLED_BEFORE_PLAY))


@inlined
def _next_turn(log: Log, at: int) -> int:
    """The place of the next play, pass or take from here on, or the end of the log."""
    while at < log.length and kind_of(log.entry[at]) == CALL_ENTRY:
        at += 1
    return at


@inner
def _make_calls(state: State, log: Log, at: int) -> int:
    """Announces small Tichus that answer no question, up to the next play, pass or take; returns its place."""
    while at < log.length and kind_of(log.entry[at]) == CALL_ENTRY:
        call_small(state, seat_of(log.entry[at]))
        at += 1
    return at


@inner
def _thrower(state: State, log: Log, at: int) -> tuple[Seat, bool]:
    """Returns who throws a bomb on the top of the trick, or NOBODY, and whether at once. `at` is the place behind the
    play, or behind the pass that completes the trick."""
    place = _next_turn(log, at)
    turn = state.turn
    is_complete = state.complete
    at_once = True
    while place < log.length:
        entry = log.entry[place]
        if kind_of(entry) == PLAY_ENTRY:
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
def _is_thrown(log: Log, at: int) -> bool:
    """Whether a complete trick is beaten by a bomb before it is collected."""
    place = _next_turn(log, at)
    return place < log.length and kind_of(log.entry[place]) == PLAY_ENTRY


@inlined
def _is_forced(scratch: Walk, entry: Entry) -> np.int64:
    """Whether only one answer was legal. A play on a trick was not forced, unless there is a wish: a pass was legal."""
    state, seat = scratch.position.state, scratch.position.seat
    if cards_in(entry) == 0 or state.trick == 0 or state.wish > 0:
        bombs = state.dealt_bombs >> seat & 1
        return np.int64(is_forced(state.hand[seat], state.trick, state.wish, bombs, scratch.plays))
    return np.int64(0)


@inner
def _throw_out_of_turn(
    scratch: Walk, at: int, kinds: int, observer: Seat, note: Note, target: Target, n: int
) -> tuple[int, int]:
    """Lays a bomb before its player's turn, or on the own trick: a decision of its player, who counts as being on turn.
    Returns the place behind it and the number of decisions."""
    position, log = scratch.position, scratch.log
    state = position.state
    at = _make_calls(state, log, at)
    seat, cards = seat_of(log.entry[at]), cards_in(log.entry[at])
    if kinds >> PLAY & 1:
        turn, state.turn = state.turn, seat
        watching = seat if observer < 0 else observer
        note(scratch, LoggedDecision(PLAY, watching, seat, cards, np.int64(state.turns), np.int64(0), 1, at), target, n)
        state.turn = turn
        n += 1
    lay(position, seat, reading(state, log, at))
    return at + 1, n


@inlined
def walk(
    row: Round,
    before: ScoreBefore,
    history: np.ndarray,
    scratch: Walk,
    kinds: int,
    observer: Seat,
    note: Note,
    target: Target,
) -> int:
    """Notes the decisions of these kinds in a round, in order; returns their number.

    Calls `note(scratch, decision, target, n)` at the n-th, when the position is the one before its answer.
    """
    position, log = scratch.position, scratch.log
    state = position.state
    load(log, history, row)
    begin_round(state, row.first, row.start, before.total[0], before.total[1], before.last[0], before.last[1])
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
            at = _make_calls(state, log, at) + 1
        seat = position.seat
        if kind == PLAY:
            at = _make_calls(state, log, at)
            if at >= log.length:
                return n
            entry = log.entry[at]
            if seat_of(entry) != seat:
                at, n = _throw_out_of_turn(scratch, at, kinds, observer, note, target, n)
                continue
            forced = _is_forced(scratch, entry) if kinds >> PLAY & 1 else np.int64(0)
            n = _ask(scratch, kinds, PLAY, cards_in(entry), state.turns, forced, at, observer, note, target, n)
            if kind_of(entry) == PLAY_ENTRY:
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
            at = _make_calls(state, log, at)
            receiver = (row.dragon_recipient - state.owner) & 3
            n = _ask(scratch, kinds, DRAGON_GIFT, receiver, state.turns, 0, at, observer, note, target, n)
            perform(position, receiver)
            at += 1
        else:
            label = _answer_before_play(row, kind, seat)
            n = _ask(scratch, kinds, kind, label, BEFORE_PLAY, 0, 0, observer, note, target, n)
            perform(position, label)
