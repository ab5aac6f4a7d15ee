"""From rounds to samples: every decision of a spec as a row of int64 words, features and facts side by side.

A row is the packed vector (`encode`), a word with the label and two words of facts; `sample_dtype` reads it from
Python. Among the facts are the targets: the value, by how much the own team wins the round, and the return to go, what
is still to come of that. Points that both teams have collected already are not to come, unless the round ends with a
double victory, where they count for nothing. Facts are raw: nothing is scaled, weighted or left out here. Where rounds
come from does not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tichu_models.kernels import inlined, kernel, record_at
from tichu_models.observation.blocks import recall
from tichu_models.observation.decisions import MAX_DECISIONS, WALK, WHO_ACTS, walk
from tichu_models.observation.encode import append, appends, encode_seen_play, plan_of, row_at
from tichu_models.observation.fields import LOW_16, cards_field, values_field
from tichu_models.observation.reduced import encode_reduced
from tichu_models.observation.specs import BITS_A_WORD, LAYOUT_PLAY, NUMBER, NUMBERS_A_WORD, Spec
from tichu_models.observation.view import PLAY as PLAY_CARDS
from tichu_models.observation.view import see
from tichu_models.rules.cards import NUM_CARDS

PASS_BIT = 1 << NUM_CARDS  # in the label of a play, in the order of card indices
SIGN_16 = 1 << 15
USUAL_DECISIONS = 80  # of a kind, in a round
FACT_WORDS = 3  # the label and two words

# fmt: off
FACTS = [
    ("label", np.int64),            # the choice; of a play the cards by card index, the pass as bit 56
    ("value", np.int16),            # by how much the own team wins the round
    ("rtg", np.int16),              # return to go, in points
    ("turn", np.int16),             # -1 before the play
    ("kind", np.int8),
    ("seat", np.int8),
    ("round", np.int32),            # place of the round among those that were walked through
    ("forced", np.int8),
    ("out_of_turn", np.int8),
    ("first_out", np.int8),         # 1: the seat went out first
    ("split", np.int8),             # of the game, an index of learning.split.SPLITS
]
# fmt: on


# What the samples of a round have in common, by seat.
# fmt: off
COMMON = np.dtype([
    ("given", np.int64, 4),         # schupfed values, as `fields.values_field` has them
    ("received", np.int64, 4),
    ("value", np.int64, 4),         # by how much the seat's team wins the round
    ("facts", np.int64, 4),         # those of the last word that do not change
    ("counted", np.int64),          # all bits if collected points count, none after a double victory
    ("address", np.int64),          # where the first of them is written
    ("stride", np.int64),           # bytes from one to the next
    ("room", np.int64),             # for so many
])
# fmt: on


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
    """The raw features of one row of words that are not zero, by name."""
    found = {}
    for group, place in spec.places():
        for k, name in enumerate(group.names):
            if group.kind == NUMBER:
                at = spec.layout.words + (place + k) // NUMBERS_A_WORD
                value = (int(sample[at]) >> (16 * ((place + k) % NUMBERS_A_WORD)) & LOW_16 ^ SIGN_16) - SIGN_16
            else:
                value = int(sample[(place + k) // BITS_A_WORD]) >> (place + k) % BITS_A_WORD & 1
            if value:
                found[name] = value
    return found


@inlined
def _label_of(kind, label):
    """Cards by card index; other choices as they are."""
    return cards_field(label) | np.int64(label == 0) << NUM_CARDS if kind == PLAY_CARDS else label


@inlined
def _describe(common, round_, winner, is_double, place, split):
    """Fills in what the samples of a round have in common."""
    lead = np.int64(round_.score[0]) - round_.score[1]
    common.counted = np.int64(is_double) - 1
    for seat in range(4):
        given, left = round_.given[seat], (seat + 3) & 3
        common.given[seat] = values_field(given[0], given[1], given[2])
        common.received[seat] = values_field(
            round_.given[(seat + 1) & 3, 2], round_.given[seat ^ 2, 1], round_.given[left, 0]
        )
        common.value[seat] = -lead if seat & 1 else lead
        common.facts[seat] = np.int64(place) | np.int64(winner == seat) << 48 | np.int64(split) << 56


@inlined
def _note_sample(scratch, asked, target, n):
    """Writes a decision as the n-th row of what there is room for."""
    common, plan = target
    if n >= common.room:
        return
    state = scratch.state
    address = common.address + n * common.stride
    row, facts = row_at(address), facts_at(address + 8 * plan.width)
    seat = asked.eyes & 3
    value, other = common.value[seat], -(seat & 1)  # without a branch: whose turn it is, no processor foresees
    lead = np.int64(state.points[0]) + state.points[2] - state.points[1] - state.points[3]
    rtg = value - (((lead ^ other) - other) & common.counted)
    if plan.layout == LAYOUT_PLAY:
        encode_seen_play(state, seat, common.given[seat], common.received[seat], row)
    if plan.layout != LAYOUT_PLAY or appends(plan):
        see(state, seat, asked.kind, np.uint64(0), scratch.seen)
        if plan.history:
            recall(scratch.log, asked.entries, plan.history, scratch.seen)
        if plan.layout != LAYOUT_PLAY:
            encode_reduced(scratch.seen, row)
        append(scratch.seen, rtg, plan, row)
    described = (value & LOW_16) | (rtg & LOW_16) << 16 | (asked.turn & LOW_16) << 32
    facts.word[0] = _label_of(asked.kind, asked.label)
    facts.word[1] = described | asked.kind << 48 | seat << 56
    facts.word[2] = common.facts[seat] | asked.forced << 32 | asked.out_of_turn << 40


@kernel
def encode_rounds(rows, standings, winners, doubles, splits, history, places, scratch, observer, common, plan, packed):
    """Fills in the samples of rounds, as long as there is room for a round's; returns (rounds done, samples)."""
    n = 0
    begin = np.int64(packed.ctypes.data)
    common.stride = stride = packed.strides[0]
    for i in range(len(rows)):
        _describe(common, rows[i], winners[i], doubles[i], places[i], splits[i])
        common.address, common.room = begin + n * stride, len(packed) - n
        length = walk(rows[i], standings[i], history, scratch, plan.kinds, observer, _note_sample, (common, plan))
        if n + length > len(packed):
            return i, n
        n += length
    return len(rows), n


@dataclass(frozen=True)
class Played:
    """Sound rounds and how they ended: what samples are made of."""

    rows: np.ndarray  # ROUND
    standings: np.ndarray  # STANDING
    winners: np.ndarray  # int8, who went out first
    doubles: np.ndarray  # int8, 1 for a double victory
    splits: np.ndarray  # int8, of their games
    history: np.ndarray
    places: np.ndarray  # int64, among all rounds of their month

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: slice | np.ndarray) -> Played:
        """Some of the rounds."""
        return Played(
            *(self.rows[chosen], self.standings[chosen], self.winners[chosen], self.doubles[chosen]),
            *(self.splits[chosen], self.history, self.places[chosen]),
        )


class Encoder:
    """Turns rounds into samples of one spec. Not to be shared by threads: it keeps its scratch."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.plan = plan_of(spec)
        self._scratch = np.zeros(1, dtype=WALK)[0]
        self._common = np.zeros(1, dtype=COMMON)[0]

    def encode(self, played: Played, into: np.ndarray, observer: int = WHO_ACTS) -> tuple[int, int]:
        """Samples of rounds, written into rows of words while there is room; (rounds done, samples)."""
        # Fields of records are spread out: for those alone everything would be compiled again.
        winners, doubles = np.ascontiguousarray(played.winners), np.ascontiguousarray(played.doubles)
        return encode_rounds(
            *(played.rows, played.standings, winners, doubles, played.splits, played.history),
            *(played.places, self._scratch, observer, self._common, self.plan, into),
        )

    def samples(self, played: Played, observer: int = WHO_ACTS) -> np.ndarray:
        """Samples of all the rounds."""
        into = np.empty((USUAL_DECISIONS * len(played) + MAX_DECISIONS, width_of(self.spec)), dtype=np.int64)
        parts, done = [], 0
        while done < len(played):
            rounds, n = self.encode(played[done:], into, observer)
            parts.append(into[:n].copy())
            done += rounds
        return np.concatenate(parts) if parts else into[:0]
