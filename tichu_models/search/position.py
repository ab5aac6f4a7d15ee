"""A round on a known deal, as a search steps it: who is asked what next, which answers there are, what they lead to.

The questions are those of `arena.table` in their order, and a test holds them together; announcements are left out,
and nothing is checked or written down. A position is small, so that it is copied rather than taken back. A choice is a
packed play (0: pass, or no bomb), a rank to wish, or RIGHT or LEFT for the Dragon.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.observation.view import BOMB_THROW, DRAGON_GIFT, PLAY, WISH
from tichu_models.rules.cards import ACE, DOG, MAHJONG, count, of_rank
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import answers, bombs, has_beating_bomb
from tichu_models.rules.scoring import score_round
from tichu_models.rules.state import LEFT, NOBODY, RIGHT, STATE, collect, dragon_is_due, make_wish, pass_turn, play

ROUND_OVER = -1
AT_TURN, AT_WISH, AT_BOMB, AT_LAST_BOMB, AT_GIFT = range(5)

POSITION = np.dtype(
    [
        ("state", STATE),
        ("phase", np.int8),
        ("asked", np.int8),  # how many seats the phase is through with
        ("seat", np.int8),  # who is asked now
        ("kind", np.int8),  # and what; ROUND_OVER when the round is scored
    ],
    align=True,
)


@inlined
def go_on(position, plays):
    """Moves to the next question and returns its kind, or ROUND_OVER when the round is scored."""
    state = position.state
    while True:
        phase = position.phase
        if phase == AT_BOMB or phase == AT_LAST_BOMB:
            while state.dealt_bombs and position.asked < 4:
                position.asked += 1
                seat = (state.owner + position.asked) & 3
                if (
                    seat != state.turn
                    and (state.dealt_bombs >> seat) & 1
                    and has_beating_bomb(state.hand[seat], state.trick, plays)
                ):
                    return _ask(position, seat, BOMB_THROW)
            position.phase = AT_TURN if phase == AT_BOMB else AT_GIFT
        elif phase == AT_GIFT:
            if dragon_is_due(state):
                return _ask(position, state.owner, DRAGON_GIFT)
            collect(state, NOBODY)
            position.phase = AT_TURN
        elif phase == AT_WISH:
            return _ask(position, position.seat, WISH)
        elif state.over:
            if state.owner == NOBODY:
                score_round(state)
                return _ask(position, NOBODY, ROUND_OVER)
            position.phase = AT_GIFT
        elif state.complete:
            position.phase = AT_LAST_BOMB
            position.asked = 0
        else:
            return _ask(position, state.turn, PLAY)


@inlined
def _ask(position, seat, kind):
    position.seat = seat
    position.kind = kind
    return kind


@inlined
def choices(position, plays):
    """Fills the buffer with the answers to the pending question; how many there are. A wish that nobody else could
    fulfil is no other than none."""
    kind, seat, state = position.kind, position.seat, position.state
    if kind == PLAY:
        return answers(state.hand[seat], state.trick, state.wish, plays)
    if kind == BOMB_THROW:
        n = bombs(state.hand[seat], state.trick, plays, 0)
        plays.move[n] = 0
        return n + 1
    if kind == DRAGON_GIFT:
        plays.move[0], plays.move[1] = RIGHT, LEFT
        return 2
    n = 1
    plays.move[0] = 0
    for rank in range(2, ACE + 1):
        for other in range(4):
            if of_rank(state.hand[other], rank):
                plays.move[n] = rank
                n += 1
                break
    return n


@inlined
def perform(position, choice):
    """Performs an answer."""
    kind, seat, state = position.kind, position.seat, position.state
    if kind == WISH:
        make_wish(state, choice)
        position.phase = AT_BOMB
        position.asked = 0
    elif kind == DRAGON_GIFT:
        collect(state, (seat + choice) & 3)
        position.phase = AT_TURN
    elif choice:
        play(state, seat, choice)
        position.asked = 0
        cards = cards_of(choice)
        if cards == DOG or state.over:
            position.phase = AT_TURN
        elif cards & MAHJONG:
            position.phase = AT_WISH
        else:
            position.phase = AT_BOMB
    elif kind == PLAY:
        pass_turn(state, seat)
        position.phase = AT_TURN


@inner
def cards_left(state):
    """Cards on all hands."""
    return count(state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3])


@inner
def lead_of_team_20(state):
    """By how much team 20 has won a round that is over."""
    return np.int64(state.score[0]) - state.score[1]
