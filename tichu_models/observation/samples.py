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

from tichu_models.kernels import inlined, kernel
from tichu_models.observation.encode import FIRST_WORDS, ROW, encode, plan_of
from tichu_models.observation.fields import LOW_16, cards_field
from tichu_models.observation.specs import BITS_A_WORD, NUMBER, NUMBERS_A_WORD, Spec
from tichu_models.observation.view import PLAY as PLAY_CARDS
from tichu_models.records.decisions import FOUND, MAX_DECISIONS, WALK, WHO_ACTS, walk
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
def _collected_lead(view):
    """What team 20 has collected more than team 31."""
    return np.int64(view.points[0]) + view.points[2] - view.points[1] - view.points[3]


@inlined
def _label_of(kind, label):
    """Cards by card index; other choices as they are."""
    return cards_field(label) | np.int64(label == 0) << NUM_CARDS if kind == PLAY_CARDS else label


@inlined
def _encode_found(found, length, round_, winner, counts, of_round, plan, row, packed, n):
    """Writes the samples of a round's decisions into the rows from n on. `counts`: whether collected points do."""
    at = plan.width
    lead = np.int64(round_.score[0]) - round_.score[1]
    for k in range(length):
        decision = found.at[k]
        view = decision.seen
        seat = np.int64(view.seat)
        sign = 1 - 2 * (seat & 1)  # without a branch: whose turn it is, no processor foresees
        value = sign * lead
        rtg = value - sign * counts * _collected_lead(view)
        facts = (value & LOW_16) | (rtg & LOW_16) << 16 | (np.int64(decision.turn) & LOW_16) << 32
        facts |= np.int64(view.kind) << 48 | seat << 56
        more = of_round | np.int64(decision.forced) << 32 | np.int64(decision.out_of_turn) << 40
        more |= np.int64(winner == seat) << 48
        encode(view, rtg, plan, row)
        for word in range(FIRST_WORDS):
            packed[n + k, word] = row.word[word]
        for word in range(FIRST_WORDS, at):
            packed[n + k, word] = row.word[word]
        packed[n + k, at] = _label_of(view.kind, decision.label)
        packed[n + k, at + 1] = facts
        packed[n + k, at + 2] = more


@kernel
def encode_rounds(
    rows, standings, winners, doubles, splits, history, places, scratch, observer, found, plan, row, packed
):
    """Fills in the samples of rounds, as long as there is room for a round's; returns (rounds done, samples).

    Round by round, since the decisions of one stay in the processor's first cache until they are encoded.
    """
    n = 0
    for i in range(len(rows)):
        length = walk(rows[i], standings[i], history, scratch, plan.kinds, plan.history, observer, found, 0)
        if n + length > len(packed):
            return i, n
        of_round = np.int64(places[i]) | np.int64(splits[i]) << 56
        _encode_found(found, length, rows[i], winners[i], 1 - doubles[i], of_round, plan, row, packed, n)
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
        self._found = np.zeros(1, dtype=FOUND)[0]
        self._row = np.zeros(1, dtype=ROW)[0]

    def encode(self, played: Played, into: np.ndarray, observer: int = WHO_ACTS) -> tuple[int, int]:
        """Samples of rounds, written into rows of words while there is room; (rounds done, samples)."""
        return encode_rounds(
            *(played.rows, played.standings, played.winners, played.doubles, played.splits, played.history),
            *(played.places, self._scratch, observer, self._found, self.plan, self._row, into),
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
