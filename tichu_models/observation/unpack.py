"""From packed samples to what a network reads: float32 or bfloat16, in the order of the spec, numbers scaled.

Bits are looked up eight at a time, raw points in a table that clips, scales and rounds in one step, so that the kernel
does not know what type it writes. Runs of bits are written in order, then the numbers between them: what a lookup
writes too far is overwritten, and behind the last row a buffer has room for it (`buffer`).
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import copy_eight, inlined, kernel
from tichu_models.observation.scaling import Scaling, scaled
from tichu_models.observation.specs import (
    BOMB_LABEL,
    CALL_LABEL,
    CARDS_LABEL,
    DRAGON_LABEL,
    NUM_COLOURS,
    NUM_VALUES,
    NUMBER,
    NUMBERS_A_WORD,
    SCHUPF_LABEL,
    WISH_LABEL,
    Spec,
)
from tichu_models.rules.cards import ACE, VALUE_OF_INDEX
from tichu_models.rules.state import RIGHT

LANES = 8  # bits that are looked up at once
REACH = 2048  # raw numbers beyond +-REACH count as REACH
SIGN = 1 << 15
FLOAT32, BFLOAT16 = "float32", "bfloat16"
TYPES = {FLOAT32: np.float32, BFLOAT16: np.int16}  # NumPy has no bfloat16: its bits

# By card index: S, B, G, R, and none for Hu, Ma, Dr, Ph.
COLOUR_OF_INDEX = np.array([NUM_COLOURS - 1] * 2 + [0, 1, 2, 3] * 13 + [NUM_COLOURS - 1] * 2, dtype=np.int8)


def in_type(values: np.ndarray, kind: str) -> np.ndarray:
    """float32 values as the type that batches have; bfloat16 rounds to the nearest, ties to even."""
    values = np.ascontiguousarray(values, dtype=np.float32)
    if kind == FLOAT32:
        return values
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(np.int16)


@inlined
def put_bits(low, high, shift, n, lookup, out, to):
    """n of the 64 bits that begin so far up in a word and go on in the next."""
    over = np.uint64(63) - np.uint64(shift)
    bits = np.int64(np.uint64(low) >> np.uint64(shift) | (np.uint64(high) << np.uint64(1)) << over)
    for _ in range((n + LANES - 1) >> 3):
        copy_eight(lookup, LANES * (bits & 255), out, to)
        bits >>= LANES
        to += LANES


@kernel
def gather(samples, order, rows):
    """Copies the samples in this order to one place: in few steps, so that the processor waits for many at once."""
    width = rows.shape[1]
    source, target = samples.reshape(-1), rows.reshape(-1)
    for k in range(len(order)):
        at, to = order[k] * width, k * width
        for word in range(0, width - LANES, LANES):
            copy_eight(source, at + word, target, to + word)
        copy_eight(source, at + width - LANES, target, to + width - LANES)


@kernel
def unpack_features(rows, n, runs, numbers, lookup, tables, size, out):
    """The vectors of n samples, one behind the other."""
    for k in range(n):
        at = k * size
        for r in range(len(runs)):
            place, left, to = runs[r, 0], runs[r, 1], at + runs[r, 2]
            word, shift = place >> 6, place & 63
            while left > 0:
                put_bits(rows[k, word], rows[k, word + 1], shift, min(left, 64), lookup, out, to)
                word += 1
                left -= 64
                to += 64
        for r in range(len(numbers)):
            number = ((rows[k, numbers[r, 1]] >> numbers[r, 2]) & 0xFFFF ^ SIGN) - SIGN
            out[at + numbers[r, 3]] = tables[numbers[r, 0], min(max(number, -REACH), REACH) + REACH]


@kernel
def unpack_labels(rows, n, at, form, size, lookup, values, colours, out):
    """The labels, likewise; `at` is the word that holds them."""
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
            out[to + 1] = one if (rows[k, at + 2] >> 48) & 1 else zero
        elif form == SCHUPF_LABEL:
            for other in range(3):
                card = (label >> (8 * other)) & 63
                out[to + other * NUM_VALUES + values[card]] = one
                out[to + 3 * NUM_VALUES + other * NUM_COLOURS + colours[card]] = one
        elif form == WISH_LABEL:
            out[to + (label - 2 if label else ACE - 1)] = one
        elif form == DRAGON_LABEL:
            out[to + (0 if label == RIGHT else 1)] = one
        elif form == BOMB_LABEL:
            out[to] = one if label else zero


@kernel
def unpack_targets(rows, n, at, values, rtgs):
    """By how much the own team wins, in points, and the return to go, in hundreds of them."""
    for k in range(n):
        facts = rows[k, at + 1]
        values[k] = ((facts & 0xFFFF) ^ SIGN) - SIGN
        rtgs[k] = ((((facts >> 16) & 0xFFFF) ^ SIGN) - SIGN) / 100.0


class Unpacker:
    """Unpacks samples of one spec with one scaling, into buffers that are used again and again."""

    def __init__(self, spec: Spec, scaling: Scaling | None = None, kind: str = FLOAT32) -> None:
        if kind not in TYPES:
            raise ValueError(f"type {kind!r}: expected one of {', '.join(TYPES)}")
        if scaling is not None:
            scaling.check(spec.table)
        self.spec, self.kind = spec, kind
        self.lookup = in_type((np.arange(256)[:, None] >> np.arange(LANES)) & 1, kind).reshape(-1)
        self.runs, self.numbers, self.tables = _runs(spec, scaling, kind)

    def buffer(self, rows: int, width: int) -> np.ndarray:
        """Room for so many rows, flat."""
        return np.zeros(rows * width + LANES, dtype=TYPES[self.kind])

    def features(self, rows: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Vectors, written into a buffer; (rows, size)."""
        n, size = len(rows), self.spec.size
        unpack_features(rows, n, self.runs, self.numbers, self.lookup, self.tables, size, out)
        return out[: n * size].reshape(n, size)

    def labels(self, rows: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Labels, written into a buffer; (rows, number of labels)."""
        n, size, spec = len(rows), len(self.spec.label_names), self.spec
        unpack_labels(rows, n, spec.width, spec.label, size, self.lookup, VALUE_OF_INDEX, COLOUR_OF_INDEX, out)
        return out[: n * size].reshape(n, size)


def _runs(spec: Spec, scaling: Scaling | None, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first bit, size, place in the vector) of every run of bits; (table, word, shift, place) of every number; and
    the tables."""
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
                numbers.append((tables[same], spec.layout.words + word, 16 * slot, place + k))
        elif runs and runs[-1][0] + runs[-1][1] == at and runs[-1][2] + runs[-1][1] == place:
            runs[-1][1] += group.size
        else:
            runs.append([at, group.size, place])
        place += group.size
    table = np.stack(values) if values else np.zeros((1, 2 * REACH + 1), dtype=TYPES[kind])
    return np.array(runs, dtype=np.int64), np.array(numbers, dtype=np.int64).reshape(-1, 4), table
