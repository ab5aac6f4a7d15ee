"""Walks through a logged round and finds everything that was decided in it: what the seat saw, and what it chose.

The one walk of features, loader and commands. It asks the questions of `arena.table` in their order and reads the
answers off the log. A log tells less than a table does, and now and then more:

- A bomb that comes after passes answers yes to the question after the play that it beats. Who declined before the
  thrower is asked, who would have come after him is not, if it came at once.
- A small Tichu that is logged at another seat's turn answers no question; from then on everybody sees it.
- A bomb out of turn is a play decision as well, of whom it makes the seat on turn.

What becomes of a decision is told by whoever walks: it is kept with its view, or encoded at once, while the state it is
about is at hand. Histories are in normal form, and rounds are sound: no rule is checked again. Vectors do not belong
here.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.blocks import recall
from tichu_models.observation.view import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    VIEW,
    WISH,
    see,
)
from tichu_models.observation.view import PLAY as PLAY_CARDS
from tichu_models.records.history import CALL, LOG, PASS, PLAY, TAKE, cards_in, kind_of, load, seat_of
from tichu_models.records.replay import advance, announce
from tichu_models.rules.cards import DOG, MAHJONG
from tichu_models.rules.legal import PLAYS, has_beating_bomb, is_forced
from tichu_models.rules.state import (
    ALL_SEATS,
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    GRAND,
    NEXT,
    NO_CALL,
    NO_WISH,
    NOBODY,
    NOT_YET,
    STATE,
    begin_round,
    dragon_is_due,
    exchange,
)

ALL_KINDS = 255  # bit k: decisions of kind k
MAX_DECISIONS = 1024  # of one round: twelve before the play, five a turn, three more a trick
WHO_ACTS = -1  # in the stead of a seat through whose eyes all decisions are seen
BEFORE_PLAY = -1  # in the stead of a turn

Number: TypeAlias = int | np.int64


class Asked(NamedTuple):
    """A decision while the walk stands before it: the state tells the rest."""

    kind: Number
    eyes: Number  # the seat that looks
    actor: Number  # who was asked
    label: Number  # what was chosen, as arena.table describes it
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
STANDING = np.dtype([
    ("total", np.int32, 2),         # game score of each team
    ("last", np.int16, 2),          # logged result of the previous round, 0 before the first
], align=True)

# A record, as all scratch of kernels: arrays that are passed down a call tree are counted at every call.
DECISIONS_AT_ONCE = 4 * MAX_DECISIONS
FOUND: np.dtype = np.dtype([("at", DECISION, DECISIONS_AT_ONCE)])

WALK = np.dtype([("state", STATE), ("seen", VIEW), ("log", LOG), ("plays", PLAYS)], align=True)
# fmt: on


@kernel
def fill_standings(rows, standings):
    """The standing before each round; rounds of a game follow each other, and none is left out."""
    for i in range(len(rows)):
        goes_on = i > 0 and rows[i].game_id == rows[i - 1].game_id
        for team in range(2):
            last = rows[i - 1].score[team] if goes_on else 0
            standings[i].last[team] = last
            standings[i].total[team] = standings[i - 1].total[team] + last if goes_on else 0


def standings_of(rows: np.ndarray) -> np.ndarray:
    """The standing before each of many rounds, whole games one behind the other."""
    standings = np.zeros(len(rows), dtype=STANDING)
    fill_standings(rows, standings)
    return standings


@inlined
def _wants(kinds, kind):
    return kinds >> kind & 1


@inlined
def _ask(scratch, seat, kind, label, at, observer, note, target, n):
    """Has a decision noted; returns how many there are then."""
    eyes = seat if observer < 0 else observer
    note(scratch, Asked(kind, eyes, seat, np.int64(label), np.int64(scratch.state.turns), 0, 0, at), target, n)
    return n + 1


@inlined
def _ask_early(scratch, seat, kind, label, observer, note, target, n):
    """Before the play all are asked at once: through other eyes than their own there is nothing to see."""
    if observer >= 0 and observer != seat:
        return n
    note(scratch, Asked(kind, seat, seat, np.int64(label), BEFORE_PLAY, 0, 0, 0), target, n)
    return n + 1


@inner
def _before_play(scratch, row, kinds, observer, note, target):
    """Announcements and schupfen."""
    state = scratch.state
    n = 0
    for seat in range(4):
        if _wants(kinds, GRAND_CALL):
            called = row.tichu_position[seat] == CALLED_GRAND
            n = _ask_early(scratch, seat, GRAND_CALL, called, observer, note, target, n)
    announce(state, row, CALLED_GRAND)
    for seat in range(4):
        if _wants(kinds, TICHU_CALL) and state.call[seat] != GRAND:
            called = row.tichu_position[seat] == CALLED_BEFORE_PLAY
            n = _ask_early(scratch, seat, TICHU_CALL, called, observer, note, target, n)
    announce(state, row, CALLED_BEFORE_PLAY)
    for seat in range(4):
        if _wants(kinds, SCHUPF):
            choice = np.int64(0)
            for to in range(3):
                choice |= np.int64(row.given[seat, to]) << (8 * to)
            n = _ask_early(scratch, seat, SCHUPF, choice, observer, note, target, n)
    return n


@inlined
def _next_turn(log, at):
    """The place of the next play, pass or take at or behind this one; the log's end if none comes."""
    while at < log.length and kind_of(log.entry[at]) == CALL:
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
        if kind_of(entry) == PLAY:
            return (seat_of(entry), at_once) if seat_of(entry) != turn or is_complete else (NOBODY, False)
        if kind_of(entry) != PASS:
            return NOBODY, False
        owner = state.owner & 3
        turn = NEXT[(state.holding | (1 << owner)) & ALL_SEATS, seat_of(entry)]
        if turn == owner:  # complete: the next question is about this
            return NOBODY, False
        at_once = False
        place = _next_turn(log, place + 1)
    return NOBODY, False


@inner
def _ask_for_bombs(scratch, at, observer, note, target, n):
    """Every seat that is not on turn and could throw a bomb, in the order in which a table asks."""
    state = scratch.state
    thrower, at_once = _thrower(state, scratch.log, at)
    for away in range(1, 5):
        seat = (state.owner + away) & 3
        if (
            seat != state.turn
            and state.dealt_bombs >> seat & 1
            and has_beating_bomb(state.hand[seat], state.trick, scratch.plays)
        ):
            n = _ask(scratch, seat, BOMB_THROW, seat == thrower, at, observer, note, target, n)
            if seat == thrower and at_once:
                break
    return n


@inner
def _ask_small(scratch, seat, label, at, observer, note, target, n):
    """Who is on turn and has neither called nor played."""
    state = scratch.state
    if seat == state.turn and not state.complete and state.call[seat] == NO_CALL and state.first_play[seat] == NOT_YET:
        return _ask(scratch, seat, SMALL_CALL, label, at, observer, note, target, n)
    return n


@inlined
def _ask_play(scratch, entry, at, observer, note, target, n):
    """The cards that are played next, or a pass."""
    state = scratch.state
    seat, cards, turn = seat_of(entry), cards_in(entry), state.turn
    out_of_turn, forced = 0, np.int64(0)
    if seat != turn or state.complete:
        out_of_turn = 1
        state.turn = seat
    elif cards == 0 or state.trick == 0 or state.wish > 0:  # who plays on a trick could have passed
        bombs = state.dealt_bombs >> seat & 1
        forced = np.int64(is_forced(state.hand[seat], state.trick, state.wish, bombs, scratch.plays))
    eyes = seat if observer < 0 else observer
    note(scratch, Asked(PLAY_CARDS, eyes, seat, cards, np.int64(state.turns), forced, out_of_turn, at), target, n)
    if out_of_turn:
        state.turn = turn
    return n + 1


@inlined
def walk(row, standing, history, scratch, kinds, observer, note, target):
    """Has the decisions of these kinds in a round noted, one behind the other; returns how many there are.

    `note(scratch, asked, target, n)` is called before each, as the n-th: `asked` and the state tell about it.
    """
    state, log = scratch.state, scratch.log
    load(log, history, row)
    begin_round(state, row.first, row.start, standing.total[0], standing.total[1], standing.last[0], standing.last[1])
    n = 0
    if kinds & (1 << GRAND_CALL | 1 << TICHU_CALL | 1 << SCHUPF):
        n = _before_play(scratch, row, kinds, observer, note, target)
    else:
        announce(state, row, CALLED_GRAND)
        announce(state, row, CALLED_BEFORE_PLAY)
    exchange(state, row.given)
    for at in range(log.length):
        if state.over and kind_of(log.entry[at]) <= PLAY:
            break
        entry = log.entry[at]
        kind, seat = kind_of(entry), seat_of(entry)
        if kind <= PLAY:
            if _wants(kinds, SMALL_CALL):
                n = _ask_small(scratch, seat, 0, at, observer, note, target, n)
            if _wants(kinds, PLAY_CARDS):
                n = _ask_play(scratch, entry, at, observer, note, target, n)
        elif kind == CALL and _wants(kinds, SMALL_CALL):
            following = _next_turn(log, at)
            if following < log.length and seat_of(log.entry[following]) == seat:
                n = _ask_small(scratch, seat, 1, at, observer, note, target, n)
        elif kind == TAKE and _wants(kinds, DRAGON_GIFT) and dragon_is_due(state):
            receiver = (row.dragon_recipient - state.owner) & 3
            n = _ask(scratch, state.owner, DRAGON_GIFT, receiver, at, observer, note, target, n)
        advance(state, row, log, at)
        if kind == PLAY and not state.over and cards_in(entry) & MAHJONG and _wants(kinds, WISH):
            state.wish = NO_WISH  # the step has made it already
            n = _ask(scratch, seat, WISH, row.wish, at + 1, observer, note, target, n)
            state.wish = row.wish
        if _wants(kinds, BOMB_THROW) and state.dealt_bombs and not state.over:
            if (kind == PLAY and cards_in(entry) != DOG) or (kind == PASS and state.complete):
                n = _ask_for_bombs(scratch, at + 1, observer, note, target, n)
    return n


@inlined
def _note_decision(scratch, asked, target, n):
    """Keeps a decision with its view, and the latest turns before it."""
    past, base, place, found = target
    decision = found.at[base + n]
    see(scratch.state, asked.eyes, asked.kind, np.uint64(0), decision.seen)
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
