"""From packed samples to their legal moves, which candidate networks score and metrics compare with.

Legal moves are not stored: the rules derive them from hand, wish and the play on top, which are in every vector of the
play layout. The moves of a decision out of turn are the bombs and none. A step of padding has the pass alone.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, kernel
from tichu_models.observation.facts import ROUND_WORD, out_of_turn_in
from tichu_models.observation.fields import cards_from_field
from tichu_models.observation.specs import (
    CARDS_LABEL,
    HAND_CARDS,
    PLAY_LAYOUT,
    TRICK_COMBINATION,
    TRICK_RANK,
    WISH_VALUE,
    Spec,
)
from tichu_models.rules.cards import NUM_CARDS, count, lowest_bit
from tichu_models.rules.combinations import RANK_SHIFT, TYPE_AND_LENGTH, pack
from tichu_models.rules.legal import MAX_PLAYS, Plays, answers, bombs, new_buffer

USUAL_MOVES = 12  # room for the moves of a decision, twice their average
HAND_AT, ON_TOP_AT, RANK_AT, WISH_AT = (
    PLAY_LAYOUT.places[group.name] for group in (HAND_CARDS, TRICK_COMBINATION, TRICK_RANK, WISH_VALUE)
)
LABELS, RANK_BITS, WISHES = TRICK_COMBINATION.size, TRICK_RANK.size, WISH_VALUE.size
OPEN_WISHES = (1 << WISHES) - 4  # the bits of ranks 2..14, each at its rank; without `none` and `fulfilled`

# The trick of each label: a play of its type and length, without the rank; cards other than their number do not
# matter. The last entry is an empty table, for no label.
ON_TOP = np.zeros(LABELS + 1, dtype=np.int64)
ON_TOP[:LABELS] = [pack((1 << length) - 1, kind, 0) for kind, length in TYPE_AND_LENGTH]


@inlined
def _bits(samples: np.ndarray, row: int, place: int, n: int) -> np.int64:
    """n < 64 bits of a row, from the bit `place` on."""
    word, shift = place >> 6, np.uint64(place & 63)
    low, high = np.uint64(samples[row, word]), np.uint64(samples[row, word + 1])
    return np.int64(low >> shift | (high << np.uint64(1)) << (np.uint64(63) - shift)) & ((1 << n) - 1)


@kernel
def find_moves(
    samples: np.ndarray, begin: int, facts: int, plays: Plays, moves: np.ndarray, counts: np.ndarray
) -> tuple[int, int]:
    """Writes the moves of the samples from `begin` on end to end, while there is room; (samples done, moves written).

    `facts` is the place of the word with the flags.
    """
    n = 0
    for row in range(begin, len(samples)):
        if n + MAX_PLAYS > len(moves):
            return row, n
        hand = cards_from_field(_bits(samples, row, HAND_AT, NUM_CARDS))
        trick = ON_TOP[lowest_bit(_bits(samples, row, ON_TOP_AT, LABELS) | 1 << LABELS)]
        trick |= count(_bits(samples, row, RANK_AT, RANK_BITS)) << RANK_SHIFT
        wish = lowest_bit(_bits(samples, row, WISH_AT, WISHES) & OPEN_WISHES | 1 << WISHES)
        only_bombs = out_of_turn_in(samples[row, facts])
        if only_bombs:
            found = bombs(hand, trick, plays, 0)
        else:
            found = answers(hand, trick, wish if wish < WISHES else 0, plays)
        if found == 0 or only_bombs:
            plays.move[found] = 0
            found += 1
        for i in range(found):
            moves[n + i] = plays.move[i]
        counts[row] = found
        n += found
    return len(samples), n


class MoveFinder:
    """Finds the legal moves of packed samples of one spec. The result is a view of a buffer, which is reused."""

    def __init__(self, spec: Spec) -> None:
        if spec.label != CARDS_LABEL:
            raise ValueError(f"{spec.name}: legal moves are those of plays; expected play-375, play-376 or sequence")
        self._facts = spec.width + ROUND_WORD
        self._plays = new_buffer()
        self._moves = np.empty(MAX_PLAYS, dtype=np.int64)
        self._counts = np.empty(0, dtype=np.int64)

    def of(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The packed plays of all samples end to end, and how many each sample has."""
        if len(self._counts) < len(samples):
            self._counts = np.empty(len(samples), dtype=np.int64)
            self._moves = np.empty(USUAL_MOVES * len(samples) + 2 * MAX_PLAYS, dtype=np.int64)
        done = n = 0
        while True:
            done, more = find_moves(samples, done, self._facts, self._plays, self._moves[n:], self._counts)
            n += more
            if done == len(samples):
                return self._moves[:n], self._counts[:done]
            self._moves = np.concatenate([self._moves, np.empty_like(self._moves)])
