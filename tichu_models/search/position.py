"""What tree search and endgame solver ask of a position: the answers to try, the cards left, the points at the end.

Questions and answers are those of `rules.asking`, without small Tichus, which a search never announces.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.rules.asking import ALL_KINDS, BOMB_THROW, DRAGON_GIFT, PLAY, SMALL_CALL, Position
from tichu_models.rules.cards import ACE, BIT_OF_INDEX, count, of_rank, rank_of_bit
from tichu_models.rules.legal import Plays, answers, bombs
from tichu_models.rules.state import LEFT, RIGHT, State

QUESTIONS = ALL_KINDS & ~(1 << SMALL_CALL)


@inlined
def choices(position: Position, plays: Plays) -> int:
    """Fills the buffer with the answers to the pending question and returns how many there are. Ranks that no hand
    holds are left out of the wishes: such a wish is the same as none."""
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


@inner
def usual_wish(state: State, seat: int) -> int:
    """The rank that the seat gave to its right opponent; the ace if that was a special card."""
    bit = np.int64(BIT_OF_INDEX[state.given[seat, 0]])
    return rank_of_bit(bit) if bit > 3 else ACE


@inner
def cards_left(state: State) -> int:
    """How many cards all hands hold together."""
    return count(state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3])


@inner
def lead_of_team_20(state: State) -> int:
    """Points by which team 20 has won a round that is over; negative if it has lost."""
    return np.int64(state.score[0]) - state.score[1]
