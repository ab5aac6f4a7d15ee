"""Unpacks samples into what a network reads: float32 or bfloat16, in the order of the spec, numbers scaled.

Tables make the values, so that kernels are the same for both types: bits are looked up eight at a time, and one table
clips, scales and rounds a raw number. Runs of bits are written first, then the numbers between them. A lookup may write
up to seven values too many: the next group overwrites them, and `buffer` has room for those behind the last row.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import copy_eight, inlined, kernel
from tichu_models.observation.facts import DECISION_WORD, ROUND_WORD, first_out_in, rtg_in, value_in
from tichu_models.observation.fields import BITS_A_WORD, NUMBER_BITS, NUMBERS_A_WORD, signed_16
from tichu_models.observation.scaling import Scaling, scaled
from tichu_models.observation.specs import (
    BOMB_LABEL,
    CALL_LABEL,
    CARDS_LABEL,
    DRAGON_LABEL,
    NUMBER,
    SCHUPF_LABEL,
    WISH_LABEL,
    Spec,
)
from tichu_models.rules.asking import given_card
from tichu_models.rules.cards import ACE, COLOUR_OF_INDEX, NUM_COLOURS, NUM_VALUES, VALUE_OF_INDEX
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import RIGHT

LANES = 8  # bits that are looked up at once
LANES_MASK = (1 << LANES) - 1
REACH = 2048  # raw numbers are cut to -REACH .. REACH
FLOAT32, BFLOAT16 = "float32", "bfloat16"
TYPES = {FLOAT32: np.float32, BFLOAT16: np.int16}  # NumPy has no bfloat16: int16 holds its bits


def in_type(values: np.ndarray, kind: str) -> np.ndarray:
    """Values in the type of a batch; bfloat16 rounds to the nearest, ties to even."""
    values = np.ascontiguousarray(values, dtype=np.float32)
    if kind == FLOAT32:
        return values
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(np.int16)


@inlined
def put_bits(low: int, high: int, shift: int, n: int, lookup: np.ndarray, out: np.ndarray, to: int) -> None:
    """Writes the n <= 64 bits that begin `shift` bits up in the word `low` and continue in `high`."""
    over = np.uint64(63) - np.uint64(shift)
    bits = np.int64(np.uint64(low) >> np.uint64(shift) | (np.uint64(high) << np.uint64(1)) << over)
    for _ in range((n + LANES - 1) >> 3):
        copy_eight(lookup, LANES * (bits & LANES_MASK), out, to)
        bits >>= LANES
        to += LANES


@kernel
def gather(samples: np.ndarray, order: np.ndarray, rows: np.ndarray) -> None:
    """Copies samples in this order into rows, eight words at a time, so that many loads from memory overlap."""
    width = rows.shape[1]
    source, target = samples.reshape(-1), rows.reshape(-1)
    for k in range(len(order)):
        at, to = order[k] * width, k * width
        for word in range(0, width - LANES, LANES):
            copy_eight(source, at + word, target, to + word)
        copy_eight(source, at + width - LANES, target, to + width - LANES)


@kernel
def unpack_features(
    rows: np.ndarray,
    n: int,
    runs: np.ndarray,
    numbers: np.ndarray,
    lookup: np.ndarray,
    tables: np.ndarray,
    size: int,
    out: np.ndarray,
) -> None:
    """Writes the vectors of n samples end to end."""
    for k in range(n):
        at = k * size
        for r in range(len(runs)):
            place, left, to = runs[r, 0], runs[r, 1], at + runs[r, 2]
            word, shift = place >> 6, place & 63
            while left > 0:
                put_bits(rows[k, word], rows[k, word + 1], shift, min(left, BITS_A_WORD), lookup, out, to)
                word += 1
                left -= BITS_A_WORD
                to += BITS_A_WORD
        for r in range(len(numbers)):
            number = signed_16(rows[k, numbers[r, 1]] >> numbers[r, 2])
            out[at + numbers[r, 3]] = tables[numbers[r, 0], min(max(number, -REACH), REACH) + REACH]


@kernel
def unpack_labels(
    rows: np.ndarray,
    n: int,
    at: int,
    form: int,
    size: int,
    lookup: np.ndarray,
    values: np.ndarray,
    colours: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the labels of n samples end to end; `at` is the word of the label."""
    zero, one = lookup[0], lookup[LANES]
    for k in range(n):
        label, to = rows[k, at], k * size
        if form == CARDS_LABEL:
            put_bits(label, 0, 0, size, lookup, out, to)
            continue
        for place in range(size):
            out[to + place] = zero
        if form == CALL_LABEL:
            out[to] = one if label else zero
            out[to + 1] = one if first_out_in(rows[k, at + ROUND_WORD]) else zero
        elif form == SCHUPF_LABEL:
            for other in range(3):
                card = given_card(label, other)
                out[to + other * NUM_VALUES + values[card]] = one
                out[to + 3 * NUM_VALUES + other * NUM_COLOURS + colours[card]] = one
        elif form == WISH_LABEL:
            out[to + (label - 2 if label else ACE - 1)] = one
        elif form == DRAGON_LABEL:
            out[to + (0 if label == RIGHT else 1)] = one
        elif form == BOMB_LABEL:
            out[to] = one if label else zero


@kernel
def unpack_targets(rows: np.ndarray, n: int, at: int, values: np.ndarray, rtgs: np.ndarray) -> None:
    """Writes the values, in points, and the returns to go, in hundreds of points; `at` is the word of the label."""
    for k in range(n):
        facts = rows[k, at + DECISION_WORD]
        values[k] = value_in(facts)
        rtgs[k] = rtg_in(facts) / VALUE_UNIT


class Unpacker:
    """Unpacks samples of one spec with one scaling into the caller's buffers."""

    def __init__(self, spec: Spec, scaling: Scaling | None = None, kind: str = FLOAT32) -> None:
        if kind not in TYPES:
            raise ValueError(f"type {kind!r}: expected one of {', '.join(TYPES)}")
        if scaling is not None:
            scaling.check(spec.table)
        self.spec, self.kind = spec, kind
        self.lookup = in_type((np.arange(256)[:, None] >> np.arange(LANES)) & 1, kind).reshape(-1)
        self.runs, self.numbers, self.tables = _runs(spec, scaling, kind)

    def buffer(self, rows: int, width: int) -> np.ndarray:
        """A flat buffer for so many rows."""
        return np.zeros(rows * width + LANES, dtype=TYPES[self.kind])

    def features(self, rows: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Writes vectors into a buffer; returns them as (rows, size)."""
        n, size = len(rows), self.spec.size
        unpack_features(rows, n, self.runs, self.numbers, self.lookup, self.tables, size, out)
        return out[: n * size].reshape(n, size)

    def labels(self, rows: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Writes labels into a buffer; returns them as (rows, number of labels)."""
        n, size, spec = len(rows), len(self.spec.label_names), self.spec
        unpack_labels(rows, n, spec.width, spec.label, size, self.lookup, VALUE_OF_INDEX, COLOUR_OF_INDEX, out)
        return out[: n * size].reshape(n, size)


def _runs(spec: Spec, scaling: Scaling | None, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Runs of bits as (first bit, size, place in the vector), numbers as (table, word, shift, place), the tables."""
    runs: list[list[int]] = []
    numbers: list[tuple[int, int, int, int]] = []
    tables: dict[tuple[str, int, int], int] = {}
    values = []
    place = 0
    raw = np.arange(-REACH, REACH + 1)
    for group, at in spec.places():
        if group.kind == NUMBER:
            same = (group.scaled_by, group.most, group.unit)
            if same not in tables:
                tables[same] = len(tables)
                values.append(in_type(scaled(raw, group, scaling), kind))
            for k in range(group.size):
                word, slot = divmod(at + k, NUMBERS_A_WORD)
                numbers.append((tables[same], spec.layout.words + word, NUMBER_BITS * slot, place + k))
        elif runs and runs[-1][0] + runs[-1][1] == at and runs[-1][2] + runs[-1][1] == place:
            runs[-1][1] += group.size
        else:
            runs.append([at, group.size, place])
        place += group.size
    table = np.stack(values) if values else np.zeros((1, 2 * REACH + 1), dtype=TYPES[kind])
    return np.array(runs, dtype=np.int64), np.array(numbers, dtype=np.int64).reshape(-1, 4), table
