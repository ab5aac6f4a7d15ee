"""Who is asked what next, and what an answer is: the order of questions in a round, once for all who play or replay it.

A position is a round in play with its pending question. `next_question` moves it on to the next one, `perform` carries
out an answer; neither checks anything. Tables, search and the walk through logged rounds step the same order.

An answer is an int64:

- grand, tichu, small: 1 announces, 0 does not.
- schupf: three card indices of eight bits each, for the right opponent (lowest), the partner, the left opponent.
- play, bomb: a set of cards, 0 to pass or to throw no bomb. Where a position is stepped, it is the packed play that
  these cards are.
- wish: a rank 2..14, or 0 for none.
- dragon: RIGHT or LEFT, the opponent who gets the trick.

What is legal is `legal` and `state`; what a seat may see when it is asked is `observation.view`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.rules.cards import DOG, MAHJONG
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import has_beating_bomb
from tichu_models.rules.scoring import score_round
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    GRAND,
    NO_CALL,
    NOBODY,
    NOT_YET,
    STATE,
    call,
    collect,
    dragon_is_due,
    exchange,
    make_wish,
    pass_turn,
    play,
)

KINDS = ("grand", "tichu", "schupf", "small", "play", "bomb", "wish", "dragon")
GRAND_CALL, TICHU_CALL, SCHUPF, SMALL_CALL, PLAY, BOMB_THROW, WISH, DRAGON_GIFT = range(len(KINDS))
ALL_KINDS = (1 << len(KINDS)) - 1  # bit k: questions of kind k
ROUND_OVER = -1  # in place of a kind

# Phases of a round. In the first three, all four seats answer, but see nothing of each other's answer.
# The last two are the usual ones: before a turn, and before its play.
ASK_GRAND, ASK_TICHU, ASK_SCHUPF, ASK_WISH, ASK_BOMB, ASK_LAST_BOMB, ASK_DRAGON, ASK_TURN, ASK_PLAY = range(9)
IDLE = -1  # no round is in play

CARD_BITS, CARD_MASK = 8, 255  # of each card of an answer to schupf

# fmt: off
POSITION = np.dtype([
    ("state", STATE),
    ("answers", np.int32, 4),       # what the seats chose in a phase in which all are asked
    ("phase", np.int8),
    ("asked", np.int8),             # how many seats the phase is through with
    ("seat", np.int8),              # who is asked now, or was asked last
    ("kind", np.int8),              # and what; ROUND_OVER when the round is scored
], align=True)
# fmt: on

Position: TypeAlias = Any  # a record of POSITION


@inlined
def begin_questions(position):
    """The first question of a round whose cards are dealt is the next one."""
    position.phase = ASK_GRAND
    position.asked = 0


@inlined
def next_question(position, kinds, plays):
    """Moves to the next question and returns its kind, or ROUND_OVER when the round is scored.

    Seats are asked for small Tichus and bombs only if `kinds` has these kinds (bit k: kind k); else the answer is no.
    All other questions are always asked. Tricks that nobody is asked about are collected on the way, one at most.
    """
    state = position.state
    while True:
        phase = position.phase
        if phase >= ASK_TURN:
            if state.over:
                if state.owner == NOBODY:
                    score_round(state)
                    position.phase, position.kind = IDLE, ROUND_OVER
                    return ROUND_OVER
                position.phase = ASK_DRAGON
            elif state.complete:
                position.phase = ASK_LAST_BOMB
                position.asked = 0
            elif (
                kinds >> SMALL_CALL & 1
                and phase == ASK_TURN
                and state.call[state.turn] == NO_CALL
                and state.first_play[state.turn] == NOT_YET
            ):
                return _ask(position, state.turn, SMALL_CALL)
            else:
                return _ask(position, state.turn, PLAY)
        elif phase == ASK_BOMB or phase == ASK_LAST_BOMB:
            while state.dealt_bombs and kinds >> BOMB_THROW & 1 and position.asked < 4:
                position.asked += 1
                seat = (state.owner + position.asked) & 3
                if (
                    seat != state.turn
                    and (state.dealt_bombs >> seat) & 1
                    and has_beating_bomb(state.hand[seat], state.trick, plays)
                ):
                    return _ask(position, seat, BOMB_THROW)
            position.phase = ASK_TURN if phase == ASK_BOMB else ASK_DRAGON
        elif phase == ASK_DRAGON:
            if dragon_is_due(state):
                return _ask(position, state.owner, DRAGON_GIFT)
            collect(state, NOBODY)
            position.phase = ASK_TURN
        elif phase == ASK_WISH:
            return _ask(position, position.seat, WISH)
        elif phase == IDLE:
            return ROUND_OVER
        elif position.asked == 4:
            _end_of_common_phase(position)
        elif phase == ASK_TICHU and state.call[position.asked] == GRAND:
            position.answers[position.asked] = 0
            position.asked += 1
        else:
            kind = GRAND_CALL if phase == ASK_GRAND else TICHU_CALL if phase == ASK_TICHU else SCHUPF
            return _ask(position, position.asked, kind)


@inlined
def _ask(position, seat, kind):
    position.seat = seat
    position.kind = kind
    return kind


@inner
def _end_of_common_phase(position):
    """All four have answered: announces, or exchanges the cards."""
    state = position.state
    position.asked = 0
    if position.phase == ASK_SCHUPF:
        for seat in range(4):
            for to in range(3):
                state.given[seat, to] = given_card(position.answers[seat], to)
        exchange(state, state.given)
        position.phase = ASK_TURN
        return
    for seat in range(4):
        if position.answers[seat]:
            call(state, seat, CALLED_GRAND if position.phase == ASK_GRAND else CALLED_BEFORE_PLAY)
    position.phase += 1


@inlined
def perform(position, answer):
    """Performs an answer to the pending question; of a play or a bomb, the packed play."""
    kind, seat, state = position.kind, position.seat, position.state
    if kind == PLAY or kind == BOMB_THROW:
        if answer:
            lay(position, seat, answer)
        elif kind == PLAY:
            pass_turn(state, seat)
            position.phase = ASK_TURN
    elif kind == WISH:
        make_wish(state, answer)
        position.phase = ASK_BOMB
        position.asked = 0
    elif kind == DRAGON_GIFT:
        collect(state, (seat + answer) & 3)
        position.phase = ASK_TURN
    elif kind == SMALL_CALL:
        if answer:
            call(state, seat, state.turns)
        position.phase = ASK_PLAY
    else:
        position.answers[seat] = answer
        position.asked += 1


@inlined
def lay(position, seat, move):
    """Lays a packed play. Who laid the Mahjong wishes next; then bombs may be thrown, but not on the Dog."""
    state, cards = position.state, cards_of(move)
    play(state, seat, move)
    if (cards & (DOG | MAHJONG) == 0 and state.dealt_bombs == 0) or cards == DOG or state.over:  # nearly always
        position.phase = ASK_TURN
    elif cards & MAHJONG:
        position.phase = ASK_WISH
        position.seat = seat
    else:
        position.phase = ASK_BOMB
        position.asked = 0


@inlined
def given_card(answer, to):
    """The card index that an answer to schupf gives to the right opponent (0), partner (1) or left opponent (2)."""
    return (answer >> (CARD_BITS * to)) & CARD_MASK


@inlined
def schupf_answer(right, partner, left):
    """The answer to schupf that gives these card indices."""
    return np.int64(right) | np.int64(partner) << CARD_BITS | np.int64(left) << (2 * CARD_BITS)
