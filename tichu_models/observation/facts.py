"""The facts of a sample: three words behind its features, written by `samples` and read by kernels of loaders.

The first word is the label. The second describes the decision: value, return to go and turn as int16, kind and seat as
int8. The third holds what filters read: the place of the round as int32, then four flags of eight bits. `FACTS` names
the same fields in the same order, for Python.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.observation.fields import LOW_16, signed_16

Fact: TypeAlias = Any  # int64: the second or the third word

# fmt: off
FACTS = [
    ("label", np.int64),            # the answer; of a play the cards by card index, the pass as bit 56
    ("value", np.int16),            # points by which the own team wins the round
    ("rtg", np.int16),              # return to go, in points
    ("turn", np.int16),             # -1 before the play
    ("kind", np.int8),
    ("seat", np.int8),
    ("round", np.int32),            # place of the round among those that were walked through
    ("forced", np.int8),
    ("out_of_turn", np.int8),
    ("first_out", np.int8),         # 1: the seat went out first
    ("split", np.int8),             # of the game, an index of records.split.SPLITS
]
# fmt: on

LABEL_WORD, DECISION_WORD, ROUND_WORD = range(3)  # counted from the first word behind the features
FACT_WORDS = 3
RTG_SHIFT, TURN_SHIFT, KIND_SHIFT, SEAT_SHIFT = 16, 32, 48, 56  # in the second word; the value is lowest
FORCED_SHIFT, OUT_OF_TURN_SHIFT, FIRST_OUT_SHIFT, SPLIT_SHIFT = 32, 40, 48, 56  # in the third; the round is lowest
LOW_8, LOW_32 = (1 << 8) - 1, (1 << 32) - 1


@inlined
def decision_word(value: int, rtg: int, turn: int, kind: int, seat: int) -> Fact:
    """The second word."""
    numbers = (value & LOW_16) | (rtg & LOW_16) << RTG_SHIFT | (turn & LOW_16) << TURN_SHIFT
    return numbers | kind << KIND_SHIFT | seat << SEAT_SHIFT


@inlined
def round_word(place: int, first_out: bool, split: int) -> Fact:
    """The third word, as far as all decisions of a seat in a round share it."""
    return np.int64(place) | np.int64(first_out) << FIRST_OUT_SHIFT | np.int64(split) << SPLIT_SHIFT


@inlined
def with_flags(word: Fact, forced: int, out_of_turn: int) -> Fact:
    """The third word of one decision."""
    return word | forced << FORCED_SHIFT | out_of_turn << OUT_OF_TURN_SHIFT


@inlined
def value_in(word: Fact) -> int:
    """The value in a second word, in points."""
    return signed_16(word)


@inlined
def rtg_in(word: Fact) -> int:
    """The return to go in a second word, in points."""
    return signed_16(word >> RTG_SHIFT)


@inlined
def turn_kind_seat_in(word: Fact) -> int:
    """Turn, kind and seat in a second word: with the round they tell one decision from all others."""
    return (word >> TURN_SHIFT) & LOW_32


@inlined
def seat_in(word: Fact) -> int:
    """The seat in a second word."""
    return (word >> SEAT_SHIFT) & 3


@inlined
def round_in(word: Fact) -> int:
    """The place of the round in a third word."""
    return word & LOW_32


@inlined
def forced_in(word: Fact) -> int:
    """Whether the decision of a third word was forced."""
    return (word >> FORCED_SHIFT) & LOW_8


@inlined
def out_of_turn_in(word: Fact) -> int:
    """Whether the decision of a third word was a bomb out of turn."""
    return (word >> OUT_OF_TURN_SHIFT) & LOW_8


@inlined
def first_out_in(word: Fact) -> int:
    """Whether the seat of a third word went out first."""
    return (word >> FIRST_OUT_SHIFT) & LOW_8


@inlined
def split_in(word: Fact) -> int:
    """The split in a third word, an index of SPLITS."""
    return (word >> SPLIT_SHIFT) & LOW_8
