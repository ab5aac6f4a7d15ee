"""What a round's tricks were: a row a trick, and counts of all plays by what they were and whether they were beaten.

The replay has found these rounds sound and has noted who took each trick. Their histories are read as they stand: what
a play is says `combinations`, as everywhere, but nothing is checked a second time, and no hands are kept. How often a
combination holds is a question for SQL; here it is counted.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, kernel
from tichu_models.records.history import MAX_TURNS, PASS_MARK, PLAY_MARK, SEAT_BITS, TAKE_MARK
from tichu_models.rules.cards import CARD_OF_INDEX, DOG, DRAGON, PHOENIX, count, points
from tichu_models.rules.combinations import (
    BOMB,
    TYPE_AND_LENGTH,
    beats,
    cards_of,
    classify,
    lower_reading,
    on_trick,
    rank_of,
    type_of,
)
from tichu_models.rules.state import (
    CALLED_GRAND,
    GRAND,
    HAND_SIZE,
    LEFT,
    NO_CALL,
    NOT_CALLED,
    PARTNER,
    RIGHT,
    SMALL,
)

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


# fmt: off
# Of one round, while its history is read.
SEATS = np.dtype([
    ("held", np.int64, 4),          # cards on each hand
    ("points", np.int64, 4),        # collected
    ("call", np.int64, 4),          # what each seat has called
    ("highest_call", np.int64, 2),  # of each team
])
# fmt: on


@inlined
def _announce(row, seats, turns):
    """Notes what has been called before this turn; returns the turn of the next call."""
    following = MAX_TURNS
    seats.highest_call[0] = seats.highest_call[1] = NO_CALL
    for seat in range(4):
        position = row.tichu_position[seat]
        call = GRAND if position == CALLED_GRAND else SMALL if NOT_CALLED < position <= turns else NO_CALL
        seats.call[seat] = call
        seats.highest_call[seat & 1] = max(seats.highest_call[seat & 1], call)
        if position > turns:
            following = min(following, position)
    return following


@inlined
def _shown_rank(move):
    return SINGLE_PHOENIX if cards_of(move) == PHOENIX else rank_of(move)


@inlined
def _count_play(counts, seats, seat, move, cards_before, beaten):
    label = LABEL[type_of(move), count(cards_of(move))]
    opponents = seats.highest_call[(seat + RIGHT) & 1]
    counts[label, _shown_rank(move), seats.call[seat], opponents, cards_before, beaten] += 1


@inlined
def _as_beaten(move, by):
    """A play as it was meant, given what was laid on it: an ambiguous Phoenix is read low if only that is beaten."""
    low = lower_reading(move)
    return low if low and beats(by, low) and not beats(by, move) else move


@inlined
def _keeps_dragon(seats, winner):
    """Whether the Dragon's trick has ended the round with a double victory, and is not given away."""
    held = seats.held
    team = held[winner] + held[(winner + PARTNER) & 3]
    return team == 0 and held[(winner + RIGHT) & 3] > 0 and held[(winner + LEFT) & 3] > 0


@inlined
def _read_round(row, place, history, seats, tricks, n, spread, counts):
    """Appends the tricks of one sound round behind the n there are; returns how many there are then."""
    for seat in range(4):
        seats.held[seat] = HAND_SIZE
        seats.points[seat] = 0
    next_call = _announce(row, seats, 0)
    first = n
    turns = since = 0  # turns so far, and those before the last take
    low = high = collected = 0  # of points collected so far; they count from the next turn on
    lowest = highest = total = 0
    top = top_seat = top_before = 0  # the play that lies on the trick, who laid it and from how many cards
    lying = num_plays = num_bombs = first_turn = 0
    at, end = row.history_from, row.history_to
    while at < end:
        mark = history[at]
        seat = mark & SEAT_BITS
        at += 1
        if mark < PLAY_MARK:
            turns += 1
            continue
        if turns >= next_call:
            next_call = _announce(row, seats, turns)
        if mark < TAKE_MARK:
            cards = 0
            while at < end and history[at] < PASS_MARK:
                cards |= CARD_OF_INDEX[history[at]]
                at += 1
            move = on_trick(classify(cards), top)
            if cards == DOG:
                _count_play(counts, seats, seat, move, seats.held[seat], 0)
            else:
                if top:
                    if top & PHOENIX:
                        top = _as_beaten(top, move)
                    _count_play(counts, seats, top_seat, top, top_before, 1)
                else:
                    first_turn = turns
                    lying = num_plays = num_bombs = 0
                    tricks[n].leader = seat
                top, top_seat, top_before = move, seat, seats.held[seat]
                lying |= cards
                num_plays += 1
                num_bombs += type_of(move) == BOMB
            seats.held[seat] -= count(cards)
            turns += 1
        else:
            _count_play(counts, seats, top_seat, top, top_before, 0)
            is_given = cards_of(top) == DRAGON and not _keeps_dragon(seats, seat)
            trick = tricks[n]
            trick.round = place
            trick.trick_index = n - first
            trick.first_turn = first_turn
            trick.num_turns = turns - first_turn
            trick.num_plays = num_plays
            trick.num_bombs = num_bombs
            trick.winner = seat
            trick.recipient = row.dragon_recipient if is_given else seat
            trick.points = points(lying)
            trick.type = type_of(top)
            trick.length = count(cards_of(top))
            trick.rank = _shown_rank(top)
            lowest, highest = min(lowest, low), max(highest, high)
            total += collected * (turns - since)
            since = turns
            seats.points[trick.recipient] += trick.points
            collected += trick.points
            low = min(seats.points[0], seats.points[1], seats.points[2], seats.points[3])
            high = max(seats.points[0], seats.points[1], seats.points[2], seats.points[3])
            top = 0
            n += 1
    if turns > since:  # the Dog has ended the round
        lowest, highest = min(lowest, low), max(highest, high)
    spread.min_points = lowest
    spread.max_points = highest
    spread.sum_points = total + collected * (turns - since)
    return n


@kernel
def read_tricks(rows, history, complete, seats, tricks, spreads, counts):
    """Tricks of all complete rounds, one behind the other, and counts of their plays; returns how many tricks."""
    n = 0
    for i in range(len(rows)):
        if complete[i]:
            n = _read_round(rows[i], i, history, seats, tricks, n, spreads[i], counts)
    return n
