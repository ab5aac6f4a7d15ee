"""Walks through a logged round and finds everything that was decided in it: what the seat saw, and what it chose.

The one walk of features, loader and commands. It asks the questions of `arena.table` in their order and reads the
answers off the log. A log tells less than a table does, and now and then more:

- A bomb that comes after passes answers yes to the question after the play that it beats. Who declined before the
  thrower is asked, who would have come after him is not, if it came at once.
- A small Tichu that is logged at another seat's turn answers no question; from then on everybody sees it.
- A bomb out of turn is a play decision as well, of whom it makes the seat on turn.

Histories are in normal form, and rounds are sound: the walk stops where a rule is broken. Vectors do not belong here.
"""

from __future__ import annotations

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
from tichu_models.records.replay import announce, step
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

# fmt: off
DECISION = np.dtype([
    ("seen", VIEW),                 # the view; `seen.kind` says what was asked
    ("label", np.int64),            # what was chosen, as arena.table describes it
    ("place", np.int32),            # of the round among those that were walked through
    ("turn", np.int16),             # plays and passes before it; -1 before the play
    ("actor", np.int8),             # who was asked
    ("forced", np.int8),            # 1: only one answer was legal
    ("out_of_turn", np.int8),       # 1: a bomb before the own turn, or on the own trick
], align=True)

# What a round begins with.
STANDING = np.dtype([
    ("total", np.int32, 2),         # game score of each team
    ("last", np.int16, 2),          # logged result of the previous round, 0 before the first
], align=True)

# A record, as all scratch of kernels: arrays that are passed down a call tree are counted at every call.
DECISIONS_AT_ONCE = 4 * MAX_DECISIONS
FOUND: np.dtype = np.dtype([("at", DECISION, DECISIONS_AT_ONCE)])

WALK = np.dtype([("state", STATE), ("log", LOG), ("plays", PLAYS)], align=True)
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
def _ask(state, seat, kind, label, observer, found, n):
    """Notes a decision; returns how many there are then."""
    decision = found.at[n]
    see(state, seat if observer < 0 else observer, kind, np.uint64(0), decision.seen)
    decision.label = label
    decision.turn = state.turns
    decision.actor = seat
    decision.forced = 0
    decision.out_of_turn = 0
    return n + 1


@inner
def _before_play(state, row, kinds, observer, found, n):
    """Announcements and schupfen. All are asked at once: through other eyes than their own there is nothing to see."""
    first = n
    for seat in range(4):
        if _wants(kinds, GRAND_CALL) and (observer < 0 or observer == seat):
            n = _ask(state, seat, GRAND_CALL, row.tichu_position[seat] == CALLED_GRAND, observer, found, n)
    announce(state, row, CALLED_GRAND)
    for seat in range(4):
        if _wants(kinds, TICHU_CALL) and state.call[seat] != GRAND and (observer < 0 or observer == seat):
            n = _ask(state, seat, TICHU_CALL, row.tichu_position[seat] == CALLED_BEFORE_PLAY, observer, found, n)
    announce(state, row, CALLED_BEFORE_PLAY)
    for seat in range(4):
        if _wants(kinds, SCHUPF) and (observer < 0 or observer == seat):
            choice = np.int64(0)
            for to in range(3):
                choice |= np.int64(row.given[seat, to]) << (8 * to)
            n = _ask(state, seat, SCHUPF, choice, observer, found, n)
    for i in range(first, n):
        found.at[i].turn = BEFORE_PLAY
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
def _ask_for_bombs(state, log, at, plays, observer, found, n):
    """Every seat that is not on turn and could throw a bomb, in the order in which a table asks."""
    thrower, at_once = _thrower(state, log, at)
    for away in range(1, 5):
        seat = (state.owner + away) & 3
        if (
            seat != state.turn
            and state.dealt_bombs >> seat & 1
            and has_beating_bomb(state.hand[seat], state.trick, plays)
        ):
            n = _ask(state, seat, BOMB_THROW, seat == thrower, observer, found, n)
            if seat == thrower and at_once:
                break
    return n


@inlined
def _ask_small(state, seat, label, kinds, observer, found, n):
    """Who is on turn and has neither called nor played."""
    if (
        _wants(kinds, SMALL_CALL)
        and seat == state.turn
        and state.complete == 0
        and state.call[seat] == NO_CALL
        and state.first_play[seat] == NOT_YET
    ):
        return _ask(state, seat, SMALL_CALL, label, observer, found, n)
    return n


@inlined
def _ask_play(state, entry, plays, observer, found, n):
    """The cards that are played next, or a pass."""
    seat, cards = seat_of(entry), cards_in(entry)
    n = _ask(state, seat, PLAY_CARDS, cards, observer, found, n)
    decision = found.at[n - 1]
    if seat != state.turn or state.complete:
        decision.out_of_turn = 1
        decision.seen.turn = seat
    elif cards == 0 or state.trick == 0 or state.wish > 0:  # who plays on a trick could have passed
        bombs = state.dealt_bombs >> seat & 1
        decision.forced = is_forced(state.hand[seat], state.trick, state.wish, bombs, plays)
    return n


@inlined
def walk(row, standing, history, scratch, kinds, past, observer, found, n):
    """Appends the decisions of these kinds in a round behind the n there are; returns how many there are then. The
    latest `past` turns before each are recalled."""
    state, log, plays = scratch.state, scratch.log, scratch.plays
    load(log, history, row)
    begin_round(state, row.first, row.start, standing.total[0], standing.total[1], standing.last[0], standing.last[1])
    first = n
    if kinds & (1 << GRAND_CALL | 1 << TICHU_CALL | 1 << SCHUPF):
        n = _before_play(state, row, kinds, observer, found, n)
    else:
        announce(state, row, CALLED_GRAND)
        announce(state, row, CALLED_BEFORE_PLAY)
    exchange(state, row.given)
    if past:
        for i in range(first, n):
            recall(log, 0, past, found.at[i].seen)
    for at in range(log.length):
        before = n
        entry = log.entry[at]
        kind, seat = kind_of(entry), seat_of(entry)
        if kind <= PLAY:
            n = _ask_small(state, seat, 0, kinds, observer, found, n)
            if _wants(kinds, PLAY_CARDS):
                n = _ask_play(state, entry, plays, observer, found, n)
        elif kind == CALL:
            following = _next_turn(log, at)
            if following < log.length and seat_of(log.entry[following]) == seat:
                n = _ask_small(state, seat, 1, kinds, observer, found, n)
        elif kind == TAKE and _wants(kinds, DRAGON_GIFT) and dragon_is_due(state):
            n = _ask(state, state.owner, DRAGON_GIFT, (row.dragon_recipient - state.owner) & 3, observer, found, n)
        if past:
            for i in range(before, n):
                recall(log, at, past, found.at[i].seen)
            before = n
        if step(state, row, log, at, plays):
            break
        if kind == PLAY and not state.over and cards_in(entry) & MAHJONG and _wants(kinds, WISH):
            n = _ask(state, seat, WISH, row.wish, observer, found, n)
            found.at[n - 1].seen.wish = NO_WISH  # the step has made it already
        if _wants(kinds, BOMB_THROW) and state.dealt_bombs and not state.over:
            if (kind == PLAY and cards_in(entry) != DOG) or (kind == PASS and state.complete):
                n = _ask_for_bombs(state, log, at + 1, plays, observer, found, n)
        if past:
            for i in range(before, n):
                recall(log, at + 1, past, found.at[i].seen)
    return n


@kernel
def find_decisions(rows, standings, history, scratch, kinds, past, observer, room, found):
    """Decisions of many rounds, as long as there is room for those of any round; returns (rounds done, decisions)."""
    n = 0
    for i in range(len(rows)):
        if n + MAX_DECISIONS > room:
            return i, n
        before = n
        n = walk(rows[i], standings[i], history, scratch, kinds, past, observer, found, n)
        for k in range(before, n):
            found.at[k].place = i
    return len(rows), n
