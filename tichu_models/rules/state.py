"""A round in play: the one record that every user of the rules steps, and the steps themselves.

Replayed logs, self-play, features, search and live agents call the same functions: `begin_round`, `exchange`,
`check_play`, `check_pass`, `play`, `pass_turn`, `collect`. A step does not check; the two `check_` functions do, and
answer with a code of `RuleBreak`, 0 if the move is legal. Who is asked what, and when, does not belong here.

Seats are 0..3; the right opponent of a seat is seat + 1, the partner + 2, the left opponent + 3. Team 20 (seats 2 and
0) is team 0 in arrays, team 31 is team 1: the team of a seat is seat & 1.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import CARD_OF_INDEX, DOG, DRAGON, MAHJONG, of_rank, points
from tichu_models.rules.combinations import BOMB, beats, cards_of, classify, on_trick, type_of
from tichu_models.rules.legal import defies_wish, has_bomb

RIGHT, PARTNER, LEFT = 1, 2, 3
NOBODY = NOT_YET = -1
NO_CALL, SMALL, GRAND = 0, 1, 2
CALLED_BEFORE_PLAY, CALLED_GRAND, NOT_CALLED = -1, -2, -3  # in place of the turns before a call
NO_WISH, FULFILLED = 0, -1
HAND_SIZE, FIRST_SIZE = 14, 8
ALL_SEATS = 15

# NEXT[seats, s]: the first seat after s whose bit is set, s itself if no other is. Without branches: who is next is a
# coin toss to the processor, and replay spends most of its time on such.
NEXT = np.array(
    [
        [next(t & 3 for t in range(s + 1, s + 5) if seats >> (t & 3) & 1 or t == s + 4) for s in range(4)]
        for seats in range(16)
    ],
    dtype=np.int8,
)
GAME_GOAL = 1000

# fmt: off
# What everybody sees: a part of the state that stands in every view as well, in the same order, so that it is copied as
# a whole.
OPEN: list[tuple] = [
    ("played", np.int64),           # all cards played in the round
    ("trick", np.int64),            # the play on top of the trick; 0 on an empty table
    ("trick_cards", np.int64),      # all cards that lie in the trick
    ("total", np.int32, 2),         # game score of each team before this round
    ("last", np.int16, 2),          # result of the previous round; 0 in the first
    ("points", np.int16, 4),        # points each seat has collected
    ("turns", np.int16),            # plays and passes so far; collecting a trick is no turn
    ("call", np.int8, 4),           # 0 none, 1 small Tichu, 2 grand Tichu
    ("place", np.int8, 4),          # 1..3 in the order of going out; 0 while still in
    ("winner", np.int8),            # who went out first, or -1
    ("start_player", np.int8),      # who held the Mahjong after schupfen; -1 before
    ("turn", np.int8),              # who is on turn; when the trick is complete, who collects or leads next; -1 before
    ("owner", np.int8),             # who laid the top of the trick, or -1
    ("complete", np.int8),          # 1: all others have passed, the trick waits to be collected
    ("wish", np.int8),              # 0 none made, 2..14 open, -1 fulfilled
    ("dragon_recipient", np.int8),  # who got the Dragon's trick, or -1
]
STATE = np.dtype([
    # what a seat keeps to itself
    ("first", np.int64, 4),         # the first eight cards
    ("start", np.int64, 4),         # all fourteen, before schupfen
    ("hand", np.int64, 4),          # cards on the hand
    *OPEN,
    # what follows from all this, or is known when the round is over
    ("given", np.int8, (4, 3)),     # card index given to the right opponent, the partner, the left opponent; -1 before
    ("score", np.int16, 2),         # result of the round for each team, once it is over
    ("tricks", np.int16),           # tricks collected
    ("first_play", np.int16, 4),    # turn of each seat's first play, -1 before it
    ("called_at", np.int16, 4),     # turns before the small Tichu; -1 before or during schupfen, -2 grand, -3 none
    ("dealt_bombs", np.int8),       # bit s: seat s held a bomb after schupfen; nobody else ever does
    ("holding", np.int8),           # bit s: seat s holds cards
    ("out", np.int8),               # how many are out
    ("loser", np.int8),             # who stayed in when three were out, or -1
    ("double", np.int8),            # 1: the round ended with a double victory
    ("over", np.int8),              # 1: the round has ended
    ("phoenix_low", np.int8),       # 1: a replay read an ambiguous Phoenix low, because of what was laid on it
], align=True)
# fmt: on

State: TypeAlias = Any  # a record of STATE


@inlined
def partner(seat):
    return (seat + PARTNER) & 3


@inlined
def begin_round(state, first, start, total_20, total_31, last_20, last_31):
    """A new round: cards dealt, nothing announced, nothing given."""
    for seat in range(4):
        state.first[seat] = first[seat]
        state.start[seat] = start[seat]
        state.hand[seat] = start[seat]
        state.points[seat] = 0
        state.call[seat] = NO_CALL
        state.called_at[seat] = NOT_CALLED
        state.place[seat] = 0
        state.first_play[seat] = NOT_YET
        for to in range(3):
            state.given[seat, to] = -1
    state.total[0], state.total[1] = total_20, total_31
    state.last[0], state.last[1] = last_20, last_31
    state.score[0] = state.score[1] = 0
    state.played = state.trick = state.trick_cards = 0
    state.turns = state.tricks = 0
    state.out = state.complete = state.double = state.over = state.phoenix_low = 0
    state.winner = state.loser = state.start_player = state.turn = state.owner = state.dragon_recipient = NOBODY
    state.wish = NO_WISH
    state.holding = ALL_SEATS
    state.dealt_bombs = 0


@inlined
def call(state, seat, position):
    """Announces: a grand Tichu (CALLED_GRAND), a small one before the play (CALLED_BEFORE_PLAY) or a turn."""
    state.call[seat] = GRAND if position == CALLED_GRAND else SMALL
    state.called_at[seat] = position


@inlined
def exchange(state, given):
    """Schupfen: every seat gives its three cards (indices) to right opponent, partner, left opponent."""
    for seat in range(4):
        for to in range(3):
            index = given[seat, to]
            state.given[seat, to] = index
            card = CARD_OF_INDEX[index]
            state.hand[seat] &= ~card
            state.hand[(seat + 1 + to) & 3] |= card
    for seat in range(4):
        if has_bomb(state.hand[seat]):
            state.dealt_bombs |= 1 << seat
        if state.hand[seat] & MAHJONG:
            state.start_player = seat
            state.turn = seat


@inlined
def received(state, seat, sender):
    """Card index that a seat got from its right opponent (0), partner (1) or left opponent (2); -1 before schupfen."""
    return state.given[(seat + 1 + sender) & 3, 2 - sender]


@inlined
def next_seat(state, seat):
    """The next seat after this one that holds cards; the seat itself if no other does."""
    return NEXT[state.holding & ALL_SEATS, seat & 3]


@inlined
def check_play(state, seat, cards, plays):
    """(play, code): the play that these cards are at this moment, and why the seat may not lay them, 0 if it may."""
    if state.over:
        return 0, RuleBreak.HISTORY_TOO_LONG
    if cards & ~state.hand[seat]:
        if cards & state.played:
            return 0, RuleBreak.CARD_ALREADY_PLAYED
        return 0, RuleBreak.CARD_NOT_IN_HAND
    trick = 0 if collects_itself(state) else state.trick
    play = on_trick(classify(cards), trick)
    if seat != state.turn:
        if type_of(play) != BOMB or state.owner == NOBODY or not beats(play, state.trick):
            return play, RuleBreak.PLAYER_NOT_ON_TURN
        return play, 0
    if play == 0 or not beats(play, trick):
        return play, RuleBreak.COMBINATION_NOT_PLAYABLE
    if trick and state.complete and type_of(play) != BOMB:  # the own trick waits to be collected
        return play, RuleBreak.COMBINATION_NOT_PLAYABLE
    if state.wish > 0 and defies_wish(state.hand[seat], trick, state.wish, play, plays):
        return play, RuleBreak.WISH_NOT_FOLLOWED
    return play, 0


@inlined
def check_pass(state, seat, plays):
    """Why the seat may not pass, 0 if it may."""
    if (seat == state.turn) & (state.owner != NOBODY) & (state.complete == 0) & (state.wish <= 0):  # nearly always
        return 0
    if seat != state.turn:
        return RuleBreak.PLAYER_NOT_ON_TURN
    if state.owner == NOBODY or collects_itself(state):
        return RuleBreak.PASS_NOT_POSSIBLE
    if state.wish > 0 and defies_wish(state.hand[seat], state.trick, state.wish, 0, plays):
        return RuleBreak.WISH_NOT_FOLLOWED
    return 0


@inlined
def collects_itself(state):
    """A complete trick whose owner is out: it is collected as soon as the next player leads."""
    return state.complete and state.turn != state.owner


@inlined
def play(state, seat, move):
    """Lays a play. Ends the round if it decides it; the trick then still has to be collected."""
    cards = cards_of(move)
    first_play = state.first_play[seat]
    state.first_play[seat] = state.turns if first_play == NOT_YET else first_play
    state.hand[seat] &= ~cards
    state.played |= cards
    state.turns += 1
    state.complete = 0
    if state.wish > 0 and of_rank(cards, state.wish):
        state.wish = FULFILLED
    if state.hand[seat] == 0:
        _go_out(state, seat)
    if cards == DOG:
        state.turn = partner(seat) if state.hand[partner(seat)] else next_seat(state, partner(seat))
        return
    state.trick = move
    state.trick_cards |= cards
    state.owner = seat
    state.turn = next_seat(state, seat)


@inlined
def make_wish(state, rank):
    """What who laid the Mahjong wishes: 2..14, or 0 for nothing."""
    state.wish = rank


@inlined
def _go_out(state, seat):
    state.out += 1
    state.holding &= ~(1 << seat)
    state.place[seat] = state.out
    if state.out == 1:
        state.winner = seat
    elif state.out == 2 and state.place[partner(seat)]:
        state.double = 1
        state.over = 1
    elif state.out == 3:
        state.over = 1
        for other in range(4):
            if state.hand[other]:
                state.loser = other


@inlined
def pass_turn(state, seat):
    """The seat on turn passes; when all others have, the trick is complete."""
    state.turns += 1
    owner = state.owner & 3
    turn = NEXT[(state.holding | (1 << owner)) & ALL_SEATS, seat & 3]
    state.complete = turn == owner
    state.turn = turn if (state.holding >> turn) & 1 else next_seat(state, turn)


@inlined
def dragon_is_due(state):
    """Whether whoever collects the trick now has to give it away."""
    return cards_of(state.trick) == DRAGON and not state.double


@inlined
def collect(state, recipient):
    """The owner takes the trick; a Dragon's trick goes to the recipient."""
    taker = state.owner
    if dragon_is_due(state):
        state.dragon_recipient = recipient
        taker = recipient
    state.points[taker] += points(state.trick_cards)
    state.tricks += 1
    state.trick = state.trick_cards = 0
    state.owner = NOBODY
    state.complete = 0
