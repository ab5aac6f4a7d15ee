"""Deals: a deck that is shuffled by a key, eight cards a seat first, then six more."""

from __future__ import annotations

import numpy as np

from tichu_models.chance import LOW_32, S32, draw
from tichu_models.kernels import inlined, inner
from tichu_models.rules.cards import NUM_CARDS
from tichu_models.rules.state import FIRST_SIZE


@inlined
def _move_to_end(deck: np.ndarray, left: int, part: np.uint64) -> None:
    """Swaps one of the first `left` cards, chosen by 32 random bits, with the last of them."""
    chosen = np.int64((part * np.uint64(left)) >> S32)
    deck[chosen], deck[left - 1] = deck[left - 1], deck[chosen]


@inner
def deal(key: np.uint64, first: np.ndarray, start: np.ndarray) -> None:
    """Shuffles the deck and deals: the first eight cards of each seat go to `first`, all fourteen to `start`."""
    deck = np.empty(NUM_CARDS, dtype=np.int64)
    for bit in range(NUM_CARDS):
        deck[bit] = 1 << bit
    for left in range(NUM_CARDS, 0, -2):
        bits = draw(key, left)
        _move_to_end(deck, left, bits >> S32)
        _move_to_end(deck, left - 1, bits & LOW_32)
    for seat in range(4):
        cards = 0
        for i in range(FIRST_SIZE):
            cards |= deck[seat * FIRST_SIZE + i]
        first[seat] = cards
        rest = 4 * FIRST_SIZE + seat * 6
        for i in range(rest, rest + 6):
            cards |= deck[i]
        start[seat] = cards
