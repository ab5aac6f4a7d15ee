"""The vector of the critic: what a seat sees in the play, and all that is hidden from it.

In training the hands are the true ones; a player who searches has none but those that it supposes. The critic judges
decisions of every kind, before the play too. The hand is always the whole one: the critic knows the fourteen cards of a
seat that has seen only eight of them. With a goal, the vector ends with what the own team plays for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation.encode import encode_seen_play, put_goal
from tichu_models.observation.fields import BITS_A_WORD, Row, cards_field, put_bits, values_field
from tichu_models.observation.play import WORDS
from tichu_models.observation.specs import (
    ANNOUNCEMENTS,
    CARDS_LABEL,
    MULTI_HOT,
    ONE_HOT,
    OTHERS,
    PLAY_LAYOUT,
    Group,
    Layout,
    Spec,
)
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SCHUPF, SMALL_CALL
from tichu_models.rules.cards import LABELS, NUM_CARDS
from tichu_models.rules.state import GRAND, NO_CALL, SMALL, Seat, State, received

HIDDEN_HANDS = Group(
    "hidden_hands", MULTI_HOT, tuple(f".{seat}.{card}" for seat in OTHERS for card in LABELS), "the cards of the others"
)
ASKED = Group("asked", ONE_HOT, tuple(f".{kind}" for kind in KINDS), "what is asked")
OPEN_LAYOUT = Layout("open", (*PLAY_LAYOUT.groups, HIDDEN_HANDS, ASKED))
OPEN = Spec(
    "open-551", 1, OPEN_LAYOUT, tuple(range(len(KINDS))), CARDS_LABEL, OPEN_LAYOUT.groups, "all hands, for the critic"
)
OPEN_GOAL = replace(OPEN, name="open-551+goal", goal=True)

_HANDS_AT = OPEN_LAYOUT.places[HIDDEN_HANDS.name]
_ASKED_AT = OPEN_LAYOUT.places[ASKED.name]
_NUMBERS_AT, _WIDTH, _NUMBERS = OPEN_LAYOUT.words, OPEN.width, OPEN.numbers
_WIDTH_WITH_GOAL = OPEN_GOAL.width
assert _ASKED_AT + len(KINDS) <= _NUMBERS_AT * BITS_A_WORD


_OWN_CALL_AT = OPEN_LAYOUT.places[ANNOUNCEMENTS.name]  # none, small or grand


@inlined
def encode_open(state: State, seat: Seat, kind: int, row: Row) -> None:
    """Packs a position with all its hands, as the seat's critic reads it."""
    given = values_field(state.given[seat, 0], state.given[seat, 1], state.given[seat, 2])
    got = values_field(received(state, seat, 0), received(state, seat, 1), received(state, seat, 2))
    encode_seen_play(state, seat, given, got, row)
    first, second = row.word[WORDS], row.word[WORDS + 1]
    for word in range(WORDS, _WIDTH):
        row.word[word] = 0
    row.word[_NUMBERS_AT], row.word[_NUMBERS_AT + 1] = first, second
    for other in range(3):
        hand = cards_field(state.hand[(seat + 1 + other) & 3])
        put_bits(row, _HANDS_AT + other * NUM_CARDS, NUM_CARDS, hand)
    put_bits(row, _ASKED_AT, len(KINDS), np.int64(1) << kind)


@inlined
def add_goal(goal: np.ndarray, row: Row) -> None:
    """Adds what the own team plays for to such a vector."""
    for word in range(_WIDTH, _WIDTH_WITH_GOAL):
        row.word[word] = 0
    put_goal(goal, row, _NUMBERS_AT, _NUMBERS)


def answered(packed: np.ndarray, kind: int, called: bool) -> np.ndarray:
    """Vectors of the critic in which announcements of a kind are asked, as they are after the seat's answer.

    After a small Tichu the seat is asked for its play. Before the play others are asked next: that the seat itself has
    answered, and they have not, is told by two kinds that are asked at once. What it is asked next, when all have
    answered, is another matter: there a partner without an announcement has declined one."""
    call = (GRAND if kind == GRAND_CALL else SMALL) if called else NO_CALL
    asked = (PLAY,) if kind == SMALL_CALL else (kind, SCHUPF)
    places = (_OWN_CALL_AT + call, *(_ASKED_AT + each for each in asked))
    gone = (*range(_OWN_CALL_AT, _OWN_CALL_AT + 3), *range(_ASKED_AT, _ASKED_AT + len(KINDS)))
    return packed & ~_bits(gone, packed) | _bits(places, packed)


def _bits(places: Iterable[int], packed: np.ndarray) -> np.ndarray:
    """A vector as wide as these in which these bits alone are set."""
    bits = np.zeros(packed.shape[1] * BITS_A_WORD, dtype=bool)
    bits[list(places)] = True
    return np.packbits(bits, bitorder="little").view(np.int64)


def closed(packed: np.ndarray) -> np.ndarray:
    """Vectors of the critic without the hands of the others, to measure what it gains by them."""
    return packed & ~_bits(range(_HANDS_AT, _HANDS_AT + HIDDEN_HANDS.size), packed)
