"""The tricks of a round, a row each, and counts of all plays by figure, calls, cards held, and whether beaten.

Reads the log of a sound round as the replay has noted it, with the takes and the packed play of each entry: nothing is
checked or classified again. SQL turns the counts into shares.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.records.history import MAX_TURNS, PASS_ENTRY, PLAY_ENTRY, Log, cards_in, kind_of, seat_of
from tichu_models.records.schema import Round
from tichu_models.rules.cards import DOG, DRAGON, PHOENIX, count, points
from tichu_models.rules.combinations import (
    BOMB,
    SINGLE,
    TYPE_AND_LENGTH,
    TYPE_SHIFT,
    PackedPlay,
    cards_of,
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
    Seat,
)

# fmt: off
TRICK = np.dtype([
    ("game_id", np.int64),
    ("round_index", np.int32),
    ("trick_index", np.int8),
    ("first_turn", np.int16),       # turns of the round before the trick's first play
    ("num_turns", np.int8),         # plays and passes
    ("num_plays", np.int8),
    ("num_bombs", np.int8),
    ("leader", np.int8),            # who led
    ("winner", np.int8),            # who made the last play
    ("recipient", np.int8),         # who got the cards: the winner, or the recipient of the Dragon's trick
    ("points", np.int16),
    ("type", np.int8),              # of the winning play
    ("length", np.int8),
    ("rank", np.int8),
], align=True)

# The spread of points in a round: over all turns and seats, the points collected before the turn.
SPREAD = np.dtype([("min_points", np.int16), ("max_points", np.int16), ("sum_points", np.int32)])
# fmt: on

NUM_RANKS = 17  # 0 the Dog .. 15 the Dragon, 16 the Phoenix alone
SINGLE_PHOENIX = 16
DOG_LED = DOG | SINGLE << TYPE_SHIFT  # as a play

# LABEL[type, length]: the place of a combination in TYPE_AND_LENGTH.
LABEL = np.zeros((8, 15), dtype=np.int64)
for _place, (_type, _length) in enumerate(TYPE_AND_LENGTH):
    LABEL[_type, _length] = _place

# Axes of the counts: type and length, rank, own call, higher call of the opponents, cards held before, beaten or not.
COUNTS_SHAPE = (len(TYPE_AND_LENGTH), NUM_RANKS, 3, 3, HAND_SIZE + 1, 2)
NUM_COUNTS = math.prod(COUNTS_SHAPE)
LABEL_STEP, RANK_STEP, CALL_STEP, OPPONENTS_STEP, HELD_STEP, BEATEN_STEP = (
    math.prod(COUNTS_SHAPE[axis + 1 :]) for axis in range(len(COUNTS_SHAPE))
)


# fmt: off
# The seats of a round while its log is read.
SEAT_COUNTS = np.dtype([
    ("held", np.int64, 4),          # cards on each hand
    ("points", np.int64, 4),        # collected
    ("calls", np.int64, 4),         # calls of each seat and its opponents, as an offset in the counts
])
# fmt: on

SeatCounts: TypeAlias = Any  # a record of SEAT_COUNTS
Spread: TypeAlias = Any  # a record of SPREAD


@inlined
def _announce(row: Round, seats: SeatCounts, turns: int) -> int:
    """Notes the calls before this turn; returns the turn of the next call."""
    following = MAX_TURNS
    for seat in range(4):
        called_at = row.tichu_position[seat]
        opponents = max(_called(row, (seat + RIGHT) & 3, turns), _called(row, (seat + LEFT) & 3, turns))
        seats.calls[seat] = CALL_STEP * _called(row, seat, turns) + OPPONENTS_STEP * opponents
        if called_at > turns:
            following = min(following, called_at)
    return following


@inlined
def _called(row: Round, seat: Seat, turns: int) -> int:
    """What a seat has called before this turn."""
    called_at = row.tichu_position[seat]
    return GRAND if called_at == CALLED_GRAND else SMALL if NOT_CALLED < called_at <= turns else NO_CALL


@inlined
def _shown_rank(move: PackedPlay) -> int:
    """The rank of a play; of a Phoenix alone, whatever it beat, SINGLE_PHOENIX."""
    return SINGLE_PHOENIX if cards_of(move) == PHOENIX else rank_of(move)


@inlined
def _counted_at(move: PackedPlay, cards_before: int) -> int:
    """The place of a play in the counts, without the offsets for calls and for being beaten."""
    label = LABEL[type_of(move), count(cards_of(move))]
    return LABEL_STEP * label + RANK_STEP * _shown_rank(move) + HELD_STEP * cards_before


@inlined
def _keeps_dragon(seats: SeatCounts, winner: Seat) -> bool:
    """Whether the Dragon's trick ended the round with a double victory, after which it is not given away."""
    held = seats.held
    team = held[winner] + held[(winner + PARTNER) & 3]
    return team == 0 and held[(winner + RIGHT) & 3] > 0 and held[(winner + LEFT) & 3] > 0


@inner
def read_tricks(
    row: Round, replayed: Log, seats: SeatCounts, tricks: np.ndarray, n: int, spread: Spread, counts: np.ndarray
) -> int:
    """Appends the tricks of a finished round to the first n; returns the new n. `counts` have COUNTS_SHAPE, flat."""
    for seat in range(4):
        seats.held[seat] = HAND_SIZE
        seats.points[seat] = 0
    next_call = _announce(row, seats, 0)
    first = n
    turns = since = 0  # turns so far, and those before the last take
    low = high = collected = 0  # fewest, most and all points of the seats so far; they count from the next turn on
    lowest = highest = total = 0
    top = top_seat = top_at = 0  # the play on top of the trick, who laid it, and its place in the counts
    lying = num_plays = num_bombs = first_turn = 0
    for at in range(replayed.length):
        entry = replayed.entry[at]
        kind, seat = kind_of(entry), seat_of(entry)
        if kind == PASS_ENTRY:
            turns += 1
            continue
        if turns >= next_call:
            next_call = _announce(row, seats, turns)
        if kind == PLAY_ENTRY:
            cards = cards_in(entry)
            if cards == DOG:
                counts[_counted_at(DOG_LED, seats.held[seat]) + seats.calls[seat]] += 1
            else:
                if top:
                    counts[top_at + seats.calls[top_seat] + BEATEN_STEP] += 1
                else:
                    first_turn = turns
                    lying = num_plays = num_bombs = 0
                    tricks[n].leader = seat
                top, top_seat = replayed.move[at], seat
                top_at = _counted_at(top, seats.held[seat])
                lying |= cards
                num_plays += 1
                num_bombs += type_of(top) == BOMB
            seats.held[seat] -= count(cards)
            turns += 1
        else:
            counts[top_at + seats.calls[top_seat]] += 1
            is_given = cards_of(top) == DRAGON and not _keeps_dragon(seats, seat)
            trick = tricks[n]
            trick.game_id = row.game_id
            trick.round_index = row.round_index
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
