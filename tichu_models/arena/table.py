"""A table: a position with its game, the key of its random numbers, and the log of the round.

`advance` moves a table to its next decision; `answer` checks and performs the answer of a seat. Both are kernels on one
record, which the fused loop (`selfplay`) and the lock-step loop (`lockstep`) share. Questions and answers are those of
`rules.asking`. An illegal answer changes nothing and has a code other than 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.view import GOAL_POINTS, View, see
from tichu_models.records.history import LOG, MAX_TURNS, PASS_ENTRY, PLAY_ENTRY, TAKE_ENTRY, note
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
from tichu_models.rules.legal import Plays
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_models.rules.state import LEFT, NOBODY, RIGHT, State, begin_round, check_pass, check_play

# Counters of a game's key: decisions count from 0 on, at the second table of a duplicate deal from FIRST_DECISIONS on,
# deals from DEALS on.
DEALS = 1 << 40
FIRST_DECISIONS = 1 << 39

# fmt: off
# A game that is to be played.
FIXTURE = np.dtype([
    ("key", np.uint64),             # deals and decisions draw from it
    ("game", np.int64),             # its number in the run
    ("first_decision", np.int64),   # first counter of its decisions, which makes other draws over the same deals
    ("agent", np.int32, 4),         # the agent at each seat, an index of the run's agents
    ("total", np.int32, 2),         # score of each team with which it begins
    ("goal", np.int16, (2, len(GOAL_POINTS))),  # what each team plays for, as views hold it
], align=True)

TABLE = np.dtype([
    ("position", POSITION),         # the round in play, and the pending question
    ("key", np.uint64),             # of the game: deals and decisions draw from it
    ("game", np.int64),             # number of the game in its run
    ("decisions", np.int64),        # counter of the pending decision
    ("round_index", np.int32),
    ("wish", np.int8),              # the wish that was made, 0 if none
    ("result", np.int8),            # of the game, as scoring.game_result gives it
    ("agent", np.int32, 4),         # the agent at each seat, an index of the run's agents
    ("blunders", np.uint8, MAX_TURNS),   # 1: the turn was a blunder of a built-in player
    ("goal", np.int16, (2, len(GOAL_POINTS))),  # what each team plays for
    ("log", LOG),                   # the round's history so far
], align=True)
# fmt: on
Fixture: TypeAlias = Any  # a record of FIXTURE
Table: TypeAlias = Any  # a record of TABLE


@kernel
def number_games(seed: np.uint64, first_game: int, fixtures: np.ndarray) -> None:
    """Makes the fixtures games first_game, first_game + 1, .. of the run with this seed."""
    for i in range(len(fixtures)):
        fixtures[i].key = draw(seed, first_game + i)
        fixtures[i].game = first_game + i


def fixtures_of(seating: np.ndarray, seed: int, first_game: int = 0) -> np.ndarray:
    """A fixture for each row of `seating` (indices of agents, seats 0..3)."""
    fixtures = np.zeros(len(seating), dtype=FIXTURE)
    fixtures["agent"] = seating
    number_games(np.uint64(seed), first_game, fixtures)
    return fixtures


@inner
def begin_fixture(table: Table, fixture: Fixture) -> None:
    """Seats a game and its agents at a table."""
    begin_game(table, fixture.key, fixture.game)
    table.decisions = fixture.first_decision
    for team in range(2):
        table.position.state.total[team] = fixture.total[team]
        for point in range(len(GOAL_POINTS)):
            table.goal[team, point] = fixture.goal[team, point]
    for seat in range(4):
        table.agent[seat] = fixture.agent[seat]


@inner
def begin_game(table: Table, key: np.uint64, game: int) -> None:
    """Begins a game at a table whose agents are already seated."""
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
def next_round(table: Table) -> None:
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
def advance(table: Table, plays: Plays) -> int:
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
def look(table: Table, view: View) -> None:
    """Fills the view of the pending decision."""
    position = table.position
    see(position.state, position.seat, position.kind, draw(table.key, table.decisions), view)
    for point in range(len(GOAL_POINTS)):
        view.goal[point] = table.goal[position.seat & 1, point]


@inner
def _end_of_round(table: Table) -> None:
    """Adds the round's score to the game's."""
    state = table.position.state
    for team in range(2):
        state.total[team] += state.score[team]
    table.result = game_result(state.total[0], state.total[1])


@inlined
def answer(table: Table, choice: int, plays: Plays) -> int:
    """Checks and performs the answer to the pending decision. Returns 0, or the RuleBreak of an illegal answer."""
    position = table.position
    kind, seat, state = position.kind, position.seat, position.state
    performed = choice
    if kind == PLAY or kind == BOMB_THROW:
        performed, code = _check_cards(state, seat, kind, choice, plays)
        if code == 0 and (choice or kind == PLAY):
            note(table.log, PLAY_ENTRY if choice else PASS_ENTRY, seat, choice)
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
def _check_cards(state: State, seat: int, kind: int, cards: int, plays: Plays) -> tuple[int, int]:
    """(packed play, code) of an answer in cards; no cards are a pass, or no bomb."""
    if cards:
        return check_play(state, seat, cards, plays)
    return 0, 0 if kind == BOMB_THROW else check_pass(state, seat, plays)


@inner
def _check_schupf(state: State, seat: int, choice: int) -> int:
    """The code of an answer to schupf, 0 if it is three different cards of the hand."""
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
def write_round(table: Table, row: Any) -> None:
    """Fills the record of a table's round (ROUND), except for the place of its history."""
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
