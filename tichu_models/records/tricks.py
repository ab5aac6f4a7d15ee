"""What a round's tricks were: a row a trick, and counts of all plays by what they were and whether they were beaten.

Walks sound rounds once through the replay. How often a combination holds is a question for SQL; here it is counted.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.records.history import CALL, PLAY, TAKE, kind_of, load, seat_of
from tichu_models.records.replay import begin, step, take
from tichu_models.rules.cards import PHOENIX, count, points
from tichu_models.rules.combinations import BOMB, SINGLE, TYPE_AND_LENGTH, cards_of, rank_of, type_of
from tichu_models.rules.state import HAND_SIZE, LEFT, NOBODY, RIGHT, begin_round

# fmt: off
TRICK = np.dtype([
    ("round", np.int64),            # place of the round among those walked through
    ("trick_index", np.int8),
    ("first_turn", np.int16),       # turns of the round before the trick's first play
    ("num_turns", np.int8),         # plays and passes
    ("num_plays", np.int8),
    ("num_bombs", np.int8),
    ("leader", np.int8),            # who played first
    ("winner", np.int8),            # whose play lay on top
    ("recipient", np.int8),         # who got the cards: the winner, or whom he gave the Dragon's trick
    ("points", np.int16),
    ("type", np.int8),              # the play that won
    ("length", np.int8),
    ("rank", np.int8),
], align=True)

# Of a round's course: over turns x four seats, the points collected before the turn.
SPREAD = np.dtype([("min_points", np.int16), ("max_points", np.int16), ("sum_points", np.int32)])
# fmt: on

MAX_TRICKS = 56
NUM_RANKS = 17  # 0 the Dog .. 15 the Dragon, 16 the Phoenix alone
SINGLE_PHOENIX = 16

# LABEL[type, length]: place of a combination in TYPE_AND_LENGTH.
LABEL = np.zeros((8, 15), dtype=np.int64)
for _place, (_type, _length) in enumerate(TYPE_AND_LENGTH):
    LABEL[_type, _length] = _place

# Axes of the counts: type and length, rank, own call, highest call of the opponents, cards held before, beaten or not.
COUNTS_SHAPE = (len(TYPE_AND_LENGTH), NUM_RANKS, 3, 3, HAND_SIZE + 1, 2)


@inner
def _note_play(counts, state, seat, move, cards_before, beaten):
    rank = SINGLE_PHOENIX if cards_of(move) == PHOENIX else rank_of(move)
    calls = max(state.call[(seat + RIGHT) & 3], state.call[(seat + LEFT) & 3])
    label = LABEL[type_of(move), count(cards_of(move))]
    counts[label, rank, state.call[seat], calls, cards_before, beaten] += 1


@inner
def walk(row, place, scratch, tricks, n, spread, counts):
    """Appends the tricks of one sound round behind the n there are; returns how many there are then."""
    state, log = scratch.state, scratch.log
    begin_round(state, row.first, row.start, 0, 0, 0, 0)
    begin(state, row)
    at = 0
    lowest = highest = total = collected = 0
    open_trick = False
    index = 0
    lying, lying_seat, lying_before = 0, NOBODY, 0
    low, high = 0, 0  # of points collected so far; they count from the next turn on
    while at < log.length:
        kind, seat = kind_of(log.entry[at]), seat_of(log.entry[at])
        if kind == TAKE:
            trick = tricks[n]
            trick.winner = state.owner
            trick.points = points(state.trick_cards)
            trick.type = type_of(state.trick)
            trick.length = count(cards_of(state.trick))
            trick.rank = SINGLE_PHOENIX if cards_of(state.trick) == PHOENIX else rank_of(state.trick)
            trick.num_turns = state.turns - trick.first_turn
            recipient_before = state.dragon_recipient
            take(state, row)
            trick.recipient = state.dragon_recipient if state.dragon_recipient != recipient_before else trick.winner
            _note_play(counts, state, lying_seat, lying, lying_before, 0)
            lying = 0
            collected += trick.points
            low = high = state.points[0]
            for other in range(1, 4):
                low, high = min(low, state.points[other]), max(high, state.points[other])
            open_trick = False
            n += 1
            index += 1
            at += 1
            continue
        if kind == CALL:
            step(state, row, log, at, scratch.plays)
            at += 1
            continue
        total += collected
        lowest, highest = min(lowest, low), max(highest, high)
        before = count(state.hand[seat])
        step(state, row, log, at, scratch.plays)
        at += 1
        if kind != PLAY:
            continue
        if state.owner == NOBODY:  # the Dog
            counts[
                LABEL[SINGLE, 1],
                0,
                state.call[seat],
                max(state.call[(seat + 1) & 3], state.call[(seat + 3) & 3]),
                before,
                0,
            ] += 1
            continue
        if not open_trick:
            open_trick = True
            trick = tricks[n]
            trick.round = place
            trick.trick_index = index
            trick.first_turn = state.turns - 1
            trick.leader = seat
            trick.num_plays = trick.num_bombs = 0
        if lying:
            _note_play(counts, state, lying_seat, lying, lying_before, 1)
        lying, lying_seat, lying_before = state.trick, seat, before
        tricks[n].num_plays += 1
        tricks[n].num_bombs += type_of(state.trick) == BOMB
    spread.min_points = lowest
    spread.max_points = highest
    spread.sum_points = total
    return n


@kernel
def walk_rounds(rows, history, complete, scratch, tricks, spreads, counts):
    """Tricks of all complete rounds, one behind the other, and counts of their plays; returns how many tricks."""
    n = 0
    for i in range(len(rows)):
        if complete[i]:
            load(scratch.log, history, rows[i])
            n = walk(rows[i], i, scratch, tricks, n, spreads[i], counts)
    return n
