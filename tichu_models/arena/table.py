"""A table: a game in play, dealt by its key, with checked answers and a log of what was played.

`advance` moves a table to its next decision, `answer` checks and performs what a seat chose; both are kernels on one
record, shared by the fused loop of built-in players (`selfplay`) and by batches of any agents (`lockstep`). The order
of questions and the form of answers are those of `rules.asking`. An illegal answer changes nothing and gives a code
that is not 0. How a player decides does not belong here.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.view import see
from tichu_models.records.history import LOG, MAX_TURNS, PASS_ENTRY, TAKE_ENTRY, note
from tichu_models.records.history import PLAY_ENTRY as PLAYED
from tichu_models.rules.asking import (
    ALL_KINDS,
    BOMB_THROW,
    CARD_BITS,
    DRAGON_GIFT,
    IDLE,
    PLAY,
    POSITION,
    ROUND_OVER,
    SCHUPF,
    WISH,
    begin_questions,
    given_card,
    next_question,
    perform,
)
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import ACE, CARD_OF_INDEX, NUM_CARDS, count
from tichu_models.rules.deal import deal
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_models.rules.state import LEFT, NOBODY, RIGHT, begin_round, check_pass, check_play

DEALS = 1 << 40  # deals and decisions of a game draw from the same key, far apart
FIRST_DECISIONS = 1 << 39  # and so do the decisions of two games over the same deals

# fmt: off
# A game that is to be played.
FIXTURE = np.dtype([
    ("key", np.uint64),             # deals and decisions draw from it
    ("game", np.int64),             # its number in the run
    ("first_decision", np.int64),   # where the counter of decisions begins: the same deals, other draws
    ("agent", np.int32, 4),         # who sits where, an index that belongs to the run
], align=True)

TABLE = np.dtype([
    ("position", POSITION),         # the round in play, and the pending question
    ("key", np.uint64),             # of the game: deals and decisions draw from it
    ("game", np.int64),             # number of the game in its run
    ("decisions", np.int64),        # asked so far in the game; the counter of their keys
    ("round_index", np.int32),
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
    table.position.phase = IDLE
    for team in range(2):
        table.position.state.total[team] = 0
        table.position.state.score[team] = 0


@inner
def next_round(table):
    """Deals the next round of the game."""
    state = table.position.state
    last_20, last_31 = state.score[0], state.score[1]
    table.round_index += 1
    deal(draw(table.key, DEALS + table.round_index), state.first, state.start)
    begin_round(state, state.first, state.start, state.total[0], state.total[1], last_20, last_31)
    table.log.length = 0
    table.wish = 0
    begin_questions(table.position)


@inlined
def advance(table, plays):
    """Moves to the next decision and returns its kind, or ROUND_OVER when the round is scored."""
    state = table.position.state
    owner = state.owner
    kind = next_question(table.position, ALL_KINDS, plays)
    if owner != NOBODY and state.owner == NOBODY:
        note(table.log, TAKE_ENTRY, owner, 0)
    if kind == ROUND_OVER:
        _end_of_round(table)
    return kind


@inlined
def look(table, view):
    """Fills the view of the pending decision."""
    position = table.position
    see(position.state, position.seat, position.kind, draw(table.key, table.decisions), view)


@inner
def _end_of_round(table):
    state = table.position.state
    for team in range(2):
        state.total[team] += state.score[team]
    table.result = game_result(state.total[0], state.total[1])


@inlined
def answer(table, choice, plays):
    """Checks and performs the answer to the pending decision; the code is 0 if it was legal."""
    position = table.position
    kind, seat, state = position.kind, position.seat, position.state
    performed = choice
    if kind == PLAY or kind == BOMB_THROW:
        performed, code = _check_cards(state, seat, kind, choice, plays)
        if code == 0 and (choice or kind == PLAY):
            note(table.log, PLAYED if choice else PASS_ENTRY, seat, choice)
    elif kind == SCHUPF:
        code = _check_schupf(state, seat, choice)
    elif kind == WISH:
        code = 0 if choice == 0 or 2 <= choice <= ACE else RuleBreak.WISH_WITHOUT_MAHJONG
        if code == 0:
            table.wish = choice
    elif kind == DRAGON_GIFT:
        code = 0 if choice == RIGHT or choice == LEFT else RuleBreak.DRAGON_GIVEN_TO_OWN_TEAM
        if code == 0:
            note(table.log, TAKE_ENTRY, state.owner, 0)
    else:
        code = 0 if choice == 0 or choice == 1 else RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE
    if code == 0:
        perform(position, performed)
        table.decisions += 1
    return code


@inlined
def _check_cards(state, seat, kind, cards, plays):
    """(packed play, code) of cards that are to be laid; no cards are a pass, or no bomb."""
    if cards:
        return check_play(state, seat, cards, plays)
    return 0, 0 if kind == BOMB_THROW else check_pass(state, seat, plays)


@inner
def _check_schupf(state, seat, choice):
    """Three different cards of the own hand."""
    given = 0
    for to in range(3):
        index = given_card(choice, to)
        if index >= NUM_CARDS:
            return RuleBreak.INVALID_CARD_LABEL
        given |= CARD_OF_INDEX[index]
    if choice >> (3 * CARD_BITS) or count(given) != 3:
        return RuleBreak.INVALID_CARD_COUNT
    return 0 if given & ~state.hand[seat] == 0 else RuleBreak.CARD_NOT_IN_HAND


@inner
def write_round(table, row):
    """Fills the record of a round that is over, but for the place of its history."""
    state = table.position.state
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
