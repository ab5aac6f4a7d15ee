"""Samples: every decision of a spec in a round as a row of int64 words, features before facts.

A row is the packed vector (`encode`) and three words of facts (`facts`); `sample_dtype` reads it from Python. Two facts
are targets: the value, by how many points the own team wins the round, and the return to go, the part of the value that
is still to come. Points that a team has collected are no longer to come, unless the round ends with a double victory,
which makes them worthless. Facts are raw: nothing is scaled, weighted or filtered here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, kernel, record_at
from tichu_models.observation.encode import Plan, append, appends, encode_seen_play, plan_of, row_at
from tichu_models.observation.facts import (
    DECISION_WORD,
    FACT_WORDS,
    FACTS,
    LABEL_WORD,
    ROUND_WORD,
    decision_word,
    round_word,
    with_flags,
)
from tichu_models.observation.fields import (
    BITS_A_WORD,
    NUMBER_BITS,
    NUMBERS_A_WORD,
    cards_field,
    signed_16,
    values_field,
)
from tichu_models.observation.reduced import encode_reduced
from tichu_models.observation.specs import LAYOUT_PLAY, NUMBER, Spec
from tichu_models.observation.turns import recall
from tichu_models.observation.view import see
from tichu_models.observation.walk import MAX_DECISIONS, WALK, WHO_ACTS, LoggedDecision, Target, Walk, walk
from tichu_models.records.schema import Round
from tichu_models.rules.asking import PLAY as PLAY_CARDS
from tichu_models.rules.asking import Answer
from tichu_models.rules.cards import NUM_CARDS
from tichu_models.rules.state import Seat

USUAL_DECISIONS = 80  # of a kind, in a round
BYTES_A_WORD = 8

# What the samples of a round share, by seat.
# fmt: off
COMMON = np.dtype([
    ("given", np.int64, 4),         # values of the cards, as `fields.values_field` has them
    ("received", np.int64, 4),
    ("value", np.int64, 4),         # points by which the seat's team wins the round
    ("facts", np.int64, 4),         # the last word of facts, without the flags of a decision
    ("counted", np.int64),          # all bits if collected points count, none after a double victory
    ("address", np.int64),          # of the first sample
    ("stride", np.int64),           # bytes from one sample to the next
    ("room", np.int64),             # samples that there is room for
])
# fmt: on

Common: TypeAlias = Any  # a record of COMMON

facts_at = record_at(np.dtype([("word", np.int64, FACT_WORDS)]))


@cache
def sample_dtype(spec: Spec) -> np.dtype:
    """A sample of the spec as a record."""
    features = [
        ("bits", np.int64, (spec.layout.words,)),
        ("numbers", np.int16, (4 * spec.number_words,)),
        ("history", np.int64, (spec.history,)),
    ]
    return np.dtype([*features, *FACTS])


def width_of(spec: Spec) -> int:
    """Words of a sample."""
    return spec.width + FACT_WORDS


def as_records(samples: np.ndarray, spec: Spec) -> np.ndarray:
    """Rows of words as records, without copying."""
    return samples.view(sample_dtype(spec))[:, 0]


def features_of(sample: np.ndarray, spec: Spec) -> dict[str, int]:
    """The raw features of one row of words that are not 0, by name."""
    features = {}
    for group, place in spec.places():
        for k, name in enumerate(group.names):
            if group.kind == NUMBER:
                word, slot = divmod(place + k, NUMBERS_A_WORD)
                value = int(signed_16(int(sample[spec.layout.words + word]) >> (NUMBER_BITS * slot)))
            else:
                value = int(sample[(place + k) // BITS_A_WORD]) >> (place + k) % BITS_A_WORD & 1
            if value:
                features[name] = value
    return features


@inlined
def _label_of(kind: int, label: Answer) -> int:
    """Cards by card index, the pass as a bit behind them; other answers as they are."""
    return cards_field(label) | np.int64(label == 0) << NUM_CARDS if kind == PLAY_CARDS else label


@inlined
def _describe(common: Common, round_: Round, winner: Seat, is_double: bool, place: int, split: int) -> None:
    """Fills in what the samples of a round share."""
    lead = np.int64(round_.score[0]) - round_.score[1]
    common.counted = np.int64(is_double) - 1
    for seat in range(4):
        given, left = round_.given[seat], (seat + 3) & 3
        common.given[seat] = values_field(given[0], given[1], given[2])
        common.received[seat] = values_field(
            round_.given[(seat + 1) & 3, 2], round_.given[seat ^ 2, 1], round_.given[left, 0]
        )
        common.value[seat] = -lead if seat & 1 else lead
        common.facts[seat] = round_word(place, winner == seat, split)


@inlined
def _note_sample(scratch: Walk, logged: LoggedDecision, target: Target, n: int) -> None:
    """Writes a decision as the n-th row, if there is room."""
    common, plan = target
    if n >= common.room:
        return
    state = scratch.position.state
    address = common.address + n * common.stride
    row, facts = row_at(address), facts_at(address + BYTES_A_WORD * plan.width)
    seat = logged.observer & 3
    value, other = common.value[seat], -(seat & 1)  # without a branch: the processor cannot predict whose turn it is
    lead = np.int64(state.points[0]) + state.points[2] - state.points[1] - state.points[3]
    rtg = value - (((lead ^ other) - other) & common.counted)
    if plan.layout == LAYOUT_PLAY:
        encode_seen_play(state, seat, common.given[seat], common.received[seat], row)
    if plan.layout != LAYOUT_PLAY or appends(plan):
        see(state, seat, logged.kind, np.uint64(0), scratch.seen)
        if plan.history:
            recall(scratch.log, logged.entries, plan.history, scratch.seen)
        if plan.layout != LAYOUT_PLAY:
            encode_reduced(scratch.seen, row)
        append(scratch.seen, rtg, plan, row)
    facts.word[LABEL_WORD] = _label_of(logged.kind, logged.label)
    facts.word[DECISION_WORD] = decision_word(value, rtg, logged.turn, logged.kind, seat)
    facts.word[ROUND_WORD] = with_flags(common.facts[seat], logged.forced, logged.out_of_turn)


@kernel
def encode_rounds(
    rows: np.ndarray,
    before: np.ndarray,
    winners: np.ndarray,
    doubles: np.ndarray,
    splits: np.ndarray,
    history: np.ndarray,
    places: np.ndarray,
    scratch: Walk,
    observer: Seat,
    common: Common,
    plan: Plan,
    packed: np.ndarray,
) -> tuple[int, int]:
    """Writes the samples of rounds, while there is room for a whole round; returns (rounds, samples)."""
    n = 0
    begin = np.int64(packed.ctypes.data)
    common.stride = stride = packed.strides[0]
    for i in range(len(rows)):
        _describe(common, rows[i], winners[i], doubles[i], places[i], splits[i])
        common.address, common.room = begin + n * stride, len(packed) - n
        length = walk(rows[i], before[i], history, scratch, plan.kinds, observer, _note_sample, (common, plan))
        if n + length > len(packed):
            return i, n
        n += length
    return len(rows), n


@dataclass(frozen=True)
class SoundRounds:
    """Sound rounds with their ends: what samples are made of."""

    rows: np.ndarray  # ROUND
    before: np.ndarray  # SCORE_BEFORE
    winners: np.ndarray  # int8, who went out first
    doubles: np.ndarray  # int8, 1 for a double victory
    splits: np.ndarray  # int8, of their games
    history: np.ndarray
    places: np.ndarray  # int64, among all rounds of their month

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: slice | np.ndarray) -> SoundRounds:
        """Some of the rounds."""
        return SoundRounds(
            *(self.rows[chosen], self.before[chosen], self.winners[chosen], self.doubles[chosen]),
            *(self.splits[chosen], self.history, self.places[chosen]),
        )


class Encoder:
    """Encodes rounds as samples of one spec. Threads must not share it, because it keeps scratch."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.plan = plan_of(spec)
        self._scratch = np.zeros(1, dtype=WALK)[0]
        self._common = np.zeros(1, dtype=COMMON)[0]

    def encode(self, rounds: SoundRounds, into: np.ndarray, observer: int = WHO_ACTS) -> tuple[int, int]:
        """Writes samples into rows of words, while there is room; returns (rounds done, samples)."""
        # A field of an array of records is strided; for such arrays alone all would be compiled a second time.
        winners, doubles = np.ascontiguousarray(rounds.winners), np.ascontiguousarray(rounds.doubles)
        return encode_rounds(
            *(rounds.rows, rounds.before, winners, doubles, rounds.splits, rounds.history),
            *(rounds.places, self._scratch, observer, self._common, self.plan, into),
        )

    def samples(self, rounds: SoundRounds, observer: int = WHO_ACTS) -> np.ndarray:
        """The samples of all rounds."""
        into = np.empty((USUAL_DECISIONS * len(rounds) + MAX_DECISIONS, width_of(self.spec)), dtype=np.int64)
        parts, done = [], 0
        while done < len(rounds):
            finished, n = self.encode(rounds[done:], into, observer)
            parts.append(into[:n].copy())
            done += finished
        return np.concatenate(parts) if parts else into[:0]
