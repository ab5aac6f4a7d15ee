"""The order of questions in a round, and what an answer is. Tables, search and replayed logs share it.

A position is a round in play with its pending question. `next_question` moves to the next question, `perform` carries
out an answer. Neither checks anything: `legal` and `state` say what is legal, `observation.view` what a seat may see.

An answer is an int64:

- grand, tichu, small: 1 announces, 0 does not.
- schupf: three card indices of eight bits each, for the right opponent (lowest), the partner, the left opponent.
- play, bomb: a mask of cards, 0 to pass or to throw no bomb. `perform` takes these cards as a packed play.
- wish: a rank 2..14, or 0 for none.
- dragon: RIGHT or LEFT, the opponent who gets the trick.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner
from tichu_models.rules.cards import DOG, MAHJONG
from tichu_models.rules.combinations import PackedPlay, cards_of
from tichu_models.rules.legal import Plays, has_beating_bomb
from tichu_models.rules.scoring import score_round
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    GRAND,
    NO_CALL,
    NOBODY,
    NOT_YET,
    STATE,
    Seat,
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

# Phases of a round. In the first three, all four seats answer before anybody sees an answer. The last two recur in
# every turn: before the question for a small Tichu, and before the play.
ASK_GRAND, ASK_TICHU, ASK_SCHUPF, ASK_WISH, ASK_BOMB, ASK_LAST_BOMB, ASK_DRAGON, ASK_TURN, ASK_PLAY = range(9)
IDLE = -1  # no round is in play

CARD_BITS, CARD_MASK = 8, 255  # of each card in an answer to schupf

# fmt: off
POSITION = np.dtype([
    ("state", STATE),
    ("answers", np.int32, 4),       # of the seats, in a phase in which all four are asked
    ("phase", np.int8),
    ("asked", np.int8),             # seats that the phase has finished with
    ("seat", np.int8),              # who is asked now, or was asked last
    ("kind", np.int8),              # of that question; ROUND_OVER when the round is scored
], align=True)
# fmt: on

Position: TypeAlias = Any  # a record of POSITION
Answer: TypeAlias = int  # as described above


@inlined
def begin_questions(position: Position) -> None:
    """Starts the questions of a round whose cards are dealt."""
    position.phase = ASK_GRAND
    position.asked = 0


@inlined
def next_question(position: Position, kinds: int, plays: Plays) -> int:
    """Moves to the next question and returns its kind, or ROUND_OVER when the round is scored.

    Questions for small Tichus and bombs are asked only if `kinds` has their bit (bit k: kind k); else the answer is
    no. All other questions are always asked. At most one trick is collected on the way.
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
def _ask(position: Position, seat: Seat, kind: int) -> int:
    """Makes this the pending question."""
    position.seat = seat
    position.kind = kind
    return kind


@inner
def _end_of_common_phase(position: Position) -> None:
    """Carries out the answers of all four seats: announces, or exchanges the cards."""
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
def perform(position: Position, answer: Answer) -> None:
    """Carries out an answer to the pending question; of a play or a bomb, a packed play."""
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
def lay(position: Position, seat: Seat, move: PackedPlay) -> None:
    """Lays a packed play. Next come the wish, if it has the Mahjong, and questions for bombs, unless it is the Dog."""
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
def given_card(answer: Answer, to: int) -> int:
    """The card index that an answer to schupf gives to the right opponent (0), partner (1) or left opponent (2)."""
    return (answer >> (CARD_BITS * to)) & CARD_MASK


@inlined
def giving(index: int, to: int) -> np.int64:
    """The bits of an answer to schupf that give this card to the right opponent (0), partner (1), left opponent (2)."""
    return np.int64(index) << (CARD_BITS * to)


@inlined
def schupf_answer(right: int, partner: int, left: int) -> np.int64:
    """The answer to schupf that gives these card indices."""
    return giving(right, 0) | giving(partner, 1) | giving(left, 2)


def given_cards(answer: Any) -> tuple[Any, Any, Any]:
    """The three card indices of an answer to schupf, or of each answer in an array."""
    right, partner, left = (answer >> (CARD_BITS * to) & CARD_MASK for to in range(3))
    return right, partner, left
