"""What a seat sees of a game of Tichu: its view and the vector of the layout `play`, as networks have them
(`tichu_models.observation`), with what it is asked; and what is hidden from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.arena.as_game.rules import MOST_ROUNDS, mover
from tichu_models.game import State
from tichu_models.kernels import inlined, inner, record_at
from tichu_models.observation.encode import ROW
from tichu_models.observation.fields import (
    BITS_A_WORD,
    NUMBER_BITS,
    NUMBERS_A_WORD,
    Row,
    counts_field,
    given_field,
    received_field,
    signed_16,
)
from tichu_models.observation.play import encode_play
from tichu_models.observation.specs import NUMBER, PLAY_LAYOUT
from tichu_models.observation.view import VIEW, see
from tichu_models.rules.asking import (
    ASK_GRAND,
    ASK_SCHUPF,
    GRAND_CALL,
    IDLE,
    KINDS,
    PLAY,
    ROUND_OVER,
    schupf_answer,
)
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, NUM_CARDS, indices, mask_of
from tichu_models.rules.legal import has_bomb
from tichu_models.rules.state import GAME_GOAL, SEATS

# An observation: the bits of the layout, and what the seat is asked, which are the inputs of networks as well; the
# numbers of the layout, the scores of both teams, how many rounds follow. Numbers of -HALF .. HALF become 0 .. 1.
BITS = sum(group.size for group in PLAY_LAYOUT.groups if group.kind != NUMBER)
AT_KIND = BITS
INPUTS = AT_NUMBERS = AT_KIND + len(KINDS)
AT_TOTAL = AT_NUMBERS + PLAY_LAYOUT.numbers
AT_ROUNDS = AT_TOTAL + 2
OBSERVATION = AT_ROUNDS + 1
WORDS, NUMBERS = PLAY_LAYOUT.words, PLAY_LAYOUT.numbers
HALF = 500

view_at, row_at = record_at(VIEW), record_at(ROW)
AT_ROW = VIEW.itemsize  # in the memory for a view and a row
MEMORY = (VIEW.itemsize + ROW.itemsize) // 8


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """The numbers that are listed above."""
    _observe(state, seat, out, np.zeros(MEMORY, dtype=np.int64))


@inner
def features(state: State, out: np.ndarray) -> int:
    """The bits of the layout, and the question, as who is asked sees them."""
    return _features(state, out, np.zeros(MEMORY, dtype=np.int64))


@inner
def _observe(state: State, seat: int, out: np.ndarray, memory: np.ndarray) -> None:
    row, table = row_at(memory.ctypes.data + AT_ROW), state.table
    _encode(state, seat, memory.ctypes.data, row)
    for place in range(BITS):
        out[place] = _bit(row, place)
    for kind in range(len(KINDS)):
        out[AT_KIND + kind] = 0.0
    if mover(state) == seat:
        out[AT_KIND + table.position.kind] = 1.0
    for place in range(NUMBERS):
        word = row.word[WORDS + place // NUMBERS_A_WORD]
        out[AT_NUMBERS + place] = _as_share(signed_16(word >> (NUMBER_BITS * (place % NUMBERS_A_WORD))))
    for team in range(2):
        out[AT_TOTAL + team] = _as_share(table.position.state.total[(seat ^ team) & 1] * HALF // GAME_GOAL)
    out[AT_ROUNDS] = (state.rounds - table.round_index - 1) / np.float32(MOST_ROUNDS)


@inner
def _features(state: State, out: np.ndarray, memory: np.ndarray) -> int:
    row, position, n = row_at(memory.ctypes.data + AT_ROW), state.table.position, 0
    _encode(state, np.int64(position.seat), memory.ctypes.data, row)
    for place in range(BITS):
        if _bit(row, place):
            out[n] = place
            n += 1
    out[n] = AT_KIND + position.kind
    return n + 1


@inlined
def _encode(state: State, seat: int, address: int, row: Row) -> None:
    """Writes the row of the layout `play`. The view's memory is at the address."""
    position, view = state.table.position, view_at(address)
    kind = GRAND_CALL if position.phase == ASK_GRAND else PLAY
    see(position.state, seat, kind, np.uint64(0), view)
    held = view.count
    counts = counts_field(held[seat], held[(seat + 1) & 3], held[seat ^ 2], held[(seat + 3) & 3])
    encode_play(view, seat, view.hand, counts, given_field(view), received_field(view), row)


@inlined
def _bit(row: Row, place: int) -> int:
    return row.word[place // BITS_A_WORD] >> (place % BITS_A_WORD) & 1


@inlined
def _as_share(number: int) -> np.float32:
    return np.float32(min(max(number, -HALF), HALF) + HALF) / np.float32(2 * HALF)


def hide(state: State, seat: int) -> None:
    """Takes from a state what a seat does not know. Cards that it does not see are with the others in the order of
    their indices, as many as each holds; those that it has given are where they went."""
    table = state.table
    table.key, table.decisions = 0, 0
    position, of = table.position, table.position.state
    if position.phase == IDLE and position.kind != ROUND_OVER:
        return  # nothing is dealt
    hands = {other: int(of.hand[other]) for other in SEATS}
    own = int(of.first[seat]) if position.phase == ASK_GRAND else hands[seat]
    left = DECK & ~own & ~int(of.played)
    known = {other: _given_to(state, seat, other) & left & hands[other] for other in SEATS if other != seat}
    unknown = indices(left & ~sum(known.values()))
    for other, cards in [(seat, own), *known.items()]:
        missing = hands[other].bit_count() - cards.bit_count()
        of.hand[other] = cards | mask_of(unknown[:missing])
        unknown = unknown[missing:]
        if other != seat:
            of.first[other] = of.start[other] = 0
            of.given[other] = [-1 if (other + 1 + to) & 3 != seat else of.given[other, to] for to in range(3)]
            _hide_answers(position, other)
    if position.phase == ASK_GRAND:
        of.start[seat] = of.hand[seat]


def _given_to(state: State, seat: int, other: int) -> int:
    """The card that a seat has given to another one, as a mask."""
    index = int(state.table.position.state.given[seat, (other - seat - 1) & 3])
    return int(CARD_OF_INDEX[index]) if 0 <= index < NUM_CARDS else 0


def _hide_answers(position: Any, other: int) -> None:
    """What another seat has announced or given away while all are asked, and whether it held a bomb after that, go by
    the cards that it is thought to have."""
    of, hand = position.state, int(position.state.hand[other])
    is_schupf = position.phase == ASK_SCHUPF
    position.answers[other] = schupf_answer(*indices(hand)[:3]) if is_schupf else 0
    of.dealt_bombs &= ~(1 << other)
    if position.phase > ASK_SCHUPF and has_bomb(hand):
        of.dealt_bombs |= 1 << other
