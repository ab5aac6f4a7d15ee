"""A table: one game in play, and the order in which its seats are asked.

`advance` moves a table to its next decision, `answer` checks and performs what a seat chose; both are kernels on one
record, shared by the fused loop of built-in players (`selfplay`) and by batches of any agents (`lockstep`). A choice
is an int64: 0 or 1 for announcements; three card indices, eight bits each (right opponent lowest), for schupfen; a
mask of cards for plays and bombs, 0 to pass; 0 or 2..14 for a wish; RIGHT or LEFT for the Dragon. An illegal choice
changes nothing and gives a code that is not 0. How a player decides does not belong here.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.view import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
    see,
)
from tichu_models.records.history import LOG, MAX_TURNS, PASS, TAKE, note
from tichu_models.records.history import PLAY as PLAYED
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import ACE, CARD_OF_INDEX, DOG, MAHJONG, NUM_CARDS, count
from tichu_models.rules.deal import deal
from tichu_models.rules.legal import has_beating_bomb
from tichu_models.rules.scoring import NOT_OVER, game_result, score_round
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    GRAND,
    LEFT,
    NO_CALL,
    NOBODY,
    NOT_YET,
    RIGHT,
    STATE,
    begin_round,
    call,
    check_pass,
    check_play,
    collect,
    dragon_is_due,
    exchange,
    make_wish,
    pass_turn,
    play,
)

# Phases of a round. In the first three, four seats answer one after the other, but see nothing of each other's answer.
ASK_GRAND, ASK_TICHU, ASK_SCHUPF, ASK_TURN, ASK_PLAY, ASK_WISH, ASK_BOMB, ASK_LAST_BOMB, ASK_DRAGON = range(9)
IDLE = -1
DEALS = 1 << 40  # deals and decisions of a game draw from the same key, far apart
FIRST_DECISIONS = 1 << 39  # and so do the decisions of two games over the same deals
ROUND_OVER = -1  # what `advance` returns instead of a kind of decision

# fmt: off
# A game that is to be played.
FIXTURE = np.dtype([
    ("key", np.uint64),             # deals and decisions draw from it
    ("game", np.int64),             # its number in the run
    ("first_decision", np.int64),   # where the counter of decisions begins: the same deals, other draws
    ("agent", np.int32, 4),         # who sits where, an index that belongs to the run
], align=True)

TABLE = np.dtype([
    ("state", STATE),
    ("key", np.uint64),             # of the game: deals and decisions draw from it
    ("game", np.int64),             # number of the game in its run
    ("answers", np.int64, 4),       # what the seats chose in a phase in which all are asked at once
    ("decisions", np.int64),        # asked so far in the game; the counter of their keys
    ("round_index", np.int32),
    ("phase", np.int8),
    ("asked", np.int8),             # how many seats the phase is through with
    ("seat", np.int8),              # who is asked now
    ("kind", np.int8),              # and what
    ("wish", np.int8),              # the wish that was made, 0 if none
    ("result", np.int8),            # of the game, as scoring.game_result gives it
    ("agent", np.int32, 4),         # which player sits where, an index that belongs to the run
    ("blunders", np.uint8, MAX_TURNS),   # 1: the turn was a blunder of a player who blunders by chance
    ("log", LOG),                   # the round's history so far
], align=True)
# fmt: on


@kernel
def number_games(seed, first_game, fixtures):
    """Makes fixtures games first_game, first_game + 1, .. of the run with this seed."""
    for i in range(len(fixtures)):
        fixtures[i].key = draw(seed, first_game + i)
        fixtures[i].game = first_game + i


def fixtures_of(seating: np.ndarray, seed: int, first_game: int = 0) -> np.ndarray:
    """A game for each row of `seating` (indices of agents, seats 0..3)."""
    fixtures = np.zeros(len(seating), dtype=FIXTURE)
    fixtures["agent"] = seating
    number_games(np.uint64(seed), first_game, fixtures)
    return fixtures


@inner
def begin_fixture(table, fixture):
    """Seats the game and its players."""
    begin_game(table, fixture.key, fixture.game)
    table.decisions = fixture.first_decision
    for seat in range(4):
        table.agent[seat] = fixture.agent[seat]


@inner
def begin_game(table, key, game):
    """Seats a new game; the players stand in table.agent already."""
    table.key = key
    table.game = game
    table.decisions = 0
    table.round_index = -1
    table.result = NOT_OVER
    table.phase = IDLE
    for team in range(2):
        table.state.total[team] = 0
        table.state.score[team] = 0


@inner
def next_round(table):
    """Deals the next round of the game."""
    state = table.state
    last_20, last_31 = state.score[0], state.score[1]
    table.round_index += 1
    deal(draw(table.key, DEALS + table.round_index), state.first, state.start)
    begin_round(state, state.first, state.start, state.total[0], state.total[1], last_20, last_31)
    table.log.length = 0
    table.wish = 0
    table.phase = ASK_GRAND
    table.asked = 0


@inlined
def advance(table, plays):
    """Moves to the next decision and returns its kind, or ROUND_OVER when the round is scored."""
    state = table.state
    while True:
        phase = table.phase
        if phase <= ASK_SCHUPF:
            if table.asked == 4:
                _end_of_common_phase(table)
                continue
            if phase == ASK_TICHU and state.call[table.asked] == GRAND:
                table.answers[table.asked] = 0
                table.asked += 1
                continue
            kind = GRAND_CALL if phase == ASK_GRAND else TICHU_CALL if phase == ASK_TICHU else SCHUPF
            return _ask(table, table.asked, kind)
        if phase == ASK_BOMB or phase == ASK_LAST_BOMB:
            while state.dealt_bombs and table.asked < 4:
                table.asked += 1
                seat = (state.owner + table.asked) & 3
                if (
                    seat != state.turn
                    and (state.dealt_bombs >> seat) & 1
                    and has_beating_bomb(state.hand[seat], state.trick, plays)
                ):
                    return _ask(table, seat, BOMB_THROW)
            table.phase = ASK_TURN if phase == ASK_BOMB else ASK_DRAGON
            continue
        if phase == ASK_DRAGON:
            if dragon_is_due(state):
                return _ask(table, state.owner, DRAGON_GIFT)
            _collect(table, NOBODY)
            continue
        if phase == ASK_WISH:
            return _ask(table, table.seat, WISH)
        if state.over:
            if state.owner != NOBODY:
                table.phase = ASK_DRAGON
                continue
            return _end_of_round(table)
        if state.complete:
            table.phase = ASK_LAST_BOMB
            table.asked = 0
            continue
        if phase == ASK_TURN and state.call[state.turn] == NO_CALL and state.first_play[state.turn] == NOT_YET:
            return _ask(table, state.turn, SMALL_CALL)
        return _ask(table, state.turn, PLAY)


@inlined
def _ask(table, seat, kind):
    table.seat = seat
    table.kind = kind
    return kind


@inlined
def look(table, view):
    """Fills the view of the pending decision."""
    see(table.state, table.seat, table.kind, draw(table.key, table.decisions), view)


@inner
def _end_of_common_phase(table):
    state = table.state
    table.asked = 0
    if table.phase == ASK_SCHUPF:
        for seat in range(4):
            for to in range(3):
                state.given[seat, to] = (table.answers[seat] >> (8 * to)) & 255
        exchange(state, state.given)
        table.phase = ASK_TURN
        return
    for seat in range(4):
        if table.answers[seat]:
            call(state, seat, CALLED_GRAND if table.phase == ASK_GRAND else CALLED_BEFORE_PLAY)
    table.phase += 1


@inlined
def _collect(table, recipient):
    state = table.state
    note(table.log, TAKE, state.owner, 0)
    collect(state, recipient)
    table.phase = ASK_TURN


@inner
def _end_of_round(table):
    state = table.state
    score_round(state)
    for team in range(2):
        state.total[team] += state.score[team]
    table.result = game_result(state.total[0], state.total[1])
    table.phase = IDLE
    return ROUND_OVER


@inlined
def answer(table, choice, plays):
    """Checks and performs the answer to the pending decision; the code is 0 if it was legal."""
    kind, seat, state = table.kind, table.seat, table.state
    if kind == PLAY or kind == BOMB_THROW:
        code = _answer_cards(table, choice, plays)
    elif kind == SCHUPF:
        code = _check_schupf(state, seat, choice)
        if code == 0:
            table.answers[seat] = choice
            table.asked += 1
    elif kind == WISH:
        code = 0 if choice == 0 or 2 <= choice <= ACE else RuleBreak.WISH_WITHOUT_MAHJONG
        if code == 0:
            make_wish(state, choice)
            table.wish = choice
            table.phase = ASK_BOMB
            table.asked = 0
    elif kind == DRAGON_GIFT:
        code = 0 if choice == RIGHT or choice == LEFT else RuleBreak.DRAGON_GIVEN_TO_OWN_TEAM
        if code == 0:
            _collect(table, (seat + choice) & 3)
    else:
        code = 0 if choice == 0 or choice == 1 else RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
        if code == 0 and kind == SMALL_CALL:
            if choice:
                call(state, seat, state.turns)
            table.phase = ASK_PLAY
        elif code == 0:
            table.answers[seat] = choice
            table.asked += 1
    if code == 0:
        table.decisions += 1
    return code


@inlined
def _answer_cards(table, cards, plays):
    kind, seat, state = table.kind, table.seat, table.state
    if cards == 0:
        if kind == BOMB_THROW:
            return 0
        code = check_pass(state, seat, plays)
        if code == 0:
            note(table.log, PASS, seat, 0)
            pass_turn(state, seat)
            table.phase = ASK_TURN
        return code
    move, code = check_play(state, seat, cards, plays)
    if code:
        return code
    note(table.log, PLAYED, seat, cards)
    play(state, seat, move)
    table.asked = 0
    if cards == DOG or state.over:
        table.phase = ASK_TURN
    elif cards & MAHJONG:
        table.phase = ASK_WISH
    else:
        table.phase = ASK_BOMB
    return 0


@inner
def _check_schupf(state, seat, choice):
    """Three different cards of the own hand."""
    given = 0
    for to in range(3):
        index = (choice >> (8 * to)) & 255
        if index >= NUM_CARDS:
            return RuleBreak.INVALID_CARD_LABEL
        given |= CARD_OF_INDEX[index]
    if choice >> 24 or count(given) != 3:
        return RuleBreak.INVALID_CARD_COUNT
    return 0 if given & ~state.hand[seat] == 0 else RuleBreak.CARD_NOT_IN_HAND


@inner
def write_round(table, row):
    """Fills the record of a round that is over, but for the place of its history."""
    state = table.state
    row.game_id = table.game
    row.round_index = table.round_index
    row.wish = table.wish
    row.dragon_recipient = state.dragon_recipient
    for team in range(2):
        row.score[team] = state.score[team]
    for seat in range(4):
        row.first[seat] = state.first[seat]
        row.start[seat] = state.start[seat]
        row.tichu_position[seat] = state.called_at[seat]
        for to in range(3):
            row.given[seat, to] = state.given[seat, to]
