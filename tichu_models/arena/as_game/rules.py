"""Tichu

Four play in two teams, seats 0 and 2 against 1 and 3, one round or several (`rounds`, 1 to 100, by default 1). The team
with more points has won; with as many, each has half. A team that comes to 1000 points ends the game earlier. The rules
are those of Brettspielwelt; decisions come in the order of `tichu_models.rules.asking`, bombs and small Tichus among
them.

An action is the place of an answer among those that are legal, since there are more sets of cards than numbers:

- a play, a bomb: its place in the order of `tichu_models.rules.legal`; to pass, or to throw no bomb, is the last one.
- schupf: 196 a + 14 b + c for the a-th card of the hand to the right opponent, the b-th to the partner and the c-th to
  the left one, counted from the lowest bit of the hand's mask.
- all others: the answer itself, 1 to announce, the rank of a wish, 1 or 3 for the opponent who gets the Dragon's trick.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.arena.table import TABLE, advance, answer, begin_game, next_round
from tichu_models.game import CHANCE, ONE, OVER, State
from tichu_models.kernels import inlined, inner, record_at
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, IDLE, PLAY, SCHUPF, WISH, schupf_answer
from tichu_models.rules.cards import ACE, INDEX_OF_BIT, lowest_bit
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import MAX_PLAYS, PLAYS, Plays, answers, bombs
from tichu_models.rules.scoring import NOT_OVER
from tichu_models.rules.state import HAND_SIZE, LEFT, RIGHT, begin_round

SCHUPF_CODES = HAND_SIZE**3
ACTIONS = MAX_PLAYS
MOST_ROUNDS = 100
MOST_DECISIONS = 2_000  # of a round: 12 before it; in 224 turns at most a small Tichu, a play and three bombs each
EVALUATIONS = ("points",)
LEAD = 2_000  # points ahead that count as won

STATE = np.dtype([("table", TABLE), ("rounds", np.int16)], align=True)

plays_at = record_at(PLAYS)


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: how many rounds."""
    table, nothing = state.table, np.zeros(4, dtype=np.int64)
    begin_game(table, key, 0)
    begin_round(table.position.state, nothing, nothing, 0, 0, 0, 0)
    table.log.length = 0
    table.wish = 0
    state.rounds = options[0]


@inlined
def mover(state: State) -> int:
    """Who is asked, or CHANCE before a deal, or OVER."""
    table = state.table
    if table.position.phase != IDLE:
        return table.position.seat
    return OVER if table.result != NOT_OVER or table.round_index + 1 >= state.rounds else CHANCE


@inner
def chance(state: State) -> None:
    """Deals."""
    next_round(state.table)
    _go_on(state, np.empty(MAX_PLAYS, dtype=np.int64))


@inner
def _go_on(state: State, room: np.ndarray) -> None:
    """To the next question, or to the end of the round. The room for plays is the caller's, who keeps it alive."""
    advance(state.table, plays_at(room.ctypes.data))


@inlined
def _sets_of_cards(state: State, plays: Plays) -> int:
    """Writes the plays or bombs that may answer the question, none at all as the last one, and returns how many."""
    position = state.table.position
    of, hand = position.state, position.state.hand[position.seat]
    if position.kind == PLAY:
        return answers(hand, of.trick, np.int64(of.wish), plays)
    n = bombs(hand, of.trick, plays, 0)
    plays.move[n] = 0
    return n + 1


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The actions in ascending order."""
    return _legal(state, out, np.empty(MAX_PLAYS, dtype=np.int64))


@inner
def _legal(state: State, out: np.ndarray, room: np.ndarray) -> int:
    kind, n = state.table.position.kind, 0
    if kind == SCHUPF:
        for code in range(SCHUPF_CODES):
            right, partner, left = code // HAND_SIZE**2, code // HAND_SIZE % HAND_SIZE, code % HAND_SIZE
            if right not in (partner, left) and partner != left:
                out[n] = code
                n += 1
        return n
    if kind == PLAY or kind == BOMB_THROW:
        n = _sets_of_cards(state, plays_at(room.ctypes.data))
        for place in range(n):
            out[place] = place
        return n
    for code in range(ACE + 1):
        if _is_answer(kind, code):
            out[n] = code
            n += 1
    return n


@inlined
def _is_answer(kind: int, code: int) -> bool:
    """Whether a number is an answer to a question that is not about cards."""
    if kind == WISH:
        return code != 1
    return code == RIGHT or code == LEFT if kind == DRAGON_GIFT else code <= 1


@inner
def count(state: State) -> int:
    """How many actions are legal."""
    return legal(state, np.empty(ACTIONS, dtype=np.int16))


@inner
def step(state: State, action: int) -> None:
    """Gives the answer."""
    _step(state, action, np.empty(MAX_PLAYS, dtype=np.int64))


@inner
def _step(state: State, action: int, room: np.ndarray) -> None:
    plays = plays_at(room.ctypes.data)
    answer(state.table, _answer_of(state, action, plays), plays)
    advance(state.table, plays)


@inner
def sets_of_cards(state: State, room: np.ndarray) -> int:
    """Writes the sets of cards that may answer the question, as packed plays in the order of actions; returns how
    many."""
    return _sets_of_cards(state, plays_at(room.ctypes.data))


@inner
def answer_of(state: State, action: int) -> int:
    """The answer to the question, as `rules.asking` has it."""
    return _answered(state, action, np.empty(MAX_PLAYS, dtype=np.int64))


@inner
def _answered(state: State, action: int, room: np.ndarray) -> int:
    return _answer_of(state, action, plays_at(room.ctypes.data))


@inlined
def _answer_of(state: State, action: int, plays: Plays) -> int:
    position = state.table.position
    kind = position.kind
    if kind == PLAY or kind == BOMB_THROW:
        _sets_of_cards(state, plays)
        return cards_of(plays.move[action])
    if kind == SCHUPF:
        hand = position.state.hand[position.seat]
        right, partner = action // HAND_SIZE**2, action // HAND_SIZE % HAND_SIZE
        return schupf_answer(_card(hand, right), _card(hand, partner), _card(hand, action % HAND_SIZE))
    return action


@inlined
def _card(hand: int, place: int) -> Any:
    """The index of a card of the hand, by its place from the lowest bit."""
    for _ in range(place):
        hand &= hand - 1
    return np.int64(INDEX_OF_BIT[lowest_bit(hand)])


@inlined
def returns(state: State, vector: np.ndarray) -> None:
    """Half of the game for each seat of the team that has won."""
    total = state.table.position.state.total
    for seat in range(4):
        ahead = total[seat & 1] - total[1 - (seat & 1)]
        vector[seat] = 0.0
        if mover(state) == OVER:
            vector[seat] = 0.5 if ahead > 0 else 0.25 if ahead == 0 else 0.0


@inlined
def evaluate(state: State, kind: int, values: np.ndarray) -> None:
    """Shares by how many points a team is ahead, those of the round's tricks among them."""
    of = state.table.position.state
    ahead = np.int64(of.total[0]) - np.int64(of.total[1])
    if state.table.position.phase != IDLE:
        ahead += np.int64(of.points[0]) + np.int64(of.points[2]) - np.int64(of.points[1]) - np.int64(of.points[3])
    if mover(state) == OVER:
        ahead *= LEAD
    ahead = np.int64(LEAD) if ahead > LEAD else np.int64(-LEAD) if ahead < -LEAD else ahead
    own = (ONE // 2 + ONE // (2 * LEAD) * ahead) // 2
    for seat in range(4):
        values[seat] = own if seat & 1 == 0 else ONE // 2 - own


@inlined
def takes_part(state: State, seat: int) -> bool:
    """All four do, to the end."""
    return mover(state) != OVER
