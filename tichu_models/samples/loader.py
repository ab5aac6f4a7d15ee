"""Shuffled batches for training, from shards or straight from rounds: the same ones for the same seed.

How an epoch is shuffled: months in random order, the blocks of MONTHS_AT_ONCE of them at a time in random order; the
samples of WINDOW_BLOCKS blocks (about two million plays) are mixed completely. What is left of a window when no whole
batch can be made of it is dropped (`drop_last`), other samples every epoch. All of it follows from seed and epoch.

With several processes each one walks through the same windows and takes every world-th sample of their order, so that
all get equally many batches, and together the very samples of one process with batches that much larger. The next
window is filled while the last one is used. A batch is written into the buffers of the one before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.kernels import kernel
from tichu_models.observation.facts import (
    DECISION_WORD,
    LOW_32,
    ROUND_WORD,
    forced_in,
    round_in,
    seat_in,
    split_in,
    turn_kind_seat_in,
)
from tichu_models.observation.samples import width_of
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.unpack import FLOAT32, Unpacker, gather, unpack_targets
from tichu_models.records.split import SPLITS
from tichu_models.samples.legal_moves import MoveFinder
from tichu_models.samples.sources import Block, SampleSource

MONTHS_AT_ONCE = 4
WINDOW_BLOCKS = 16


class StateError(ValueError):
    """A state of another run."""


@dataclass(frozen=True)
class SampleFilter:
    """Which samples are used. `seats` gives for a month an array (rounds, 4) that is 0 where a seat's decisions are
    left out: by rating, substitution or whatever the caller filters by; months without one are used whole."""

    split: str = "train"
    drop_forced: bool = False
    sample_rate: float = 1.0
    seats: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ValueError(f"split {self.split!r}: expected one of {', '.join(SPLITS)}")
        if not 0 < self.sample_rate <= 1:
            raise ValueError(f"sample rate {self.sample_rate}: expected more than 0, and 1 at most")

    @property
    def fingerprint(self) -> str:
        """Says whether two selections are the same."""
        arrays = [(month, hashlib.sha256(array.tobytes()).hexdigest()) for month, array in sorted(self.seats.items())]
        return f"{self.split} {self.drop_forced} {self.sample_rate} {arrays}"


class ArrayBatch(NamedTuple):
    """Views of buffers that the next batch overwrites. bfloat16 comes as its bits, int16."""

    features: np.ndarray  # (rows, size), or (rows, steps, size)
    labels: np.ndarray  # (rows, labels), or (rows, steps, labels)
    value: np.ndarray  # float32, points by which the own team wins
    rtg: np.ndarray  # float32, return to go / 100
    mask: np.ndarray  # (rows, steps) bool: whether there is a step; of single samples (rows, 1), all true
    moves: np.ndarray | None = None  # if asked for: packed plays that were legal, of all rows and steps end to end
    move_counts: np.ndarray | None = None  # (rows * steps,) how many of them each has


@dataclass
class Position:
    """Where an epoch stands: what a checkpoint keeps."""

    epoch: int = 0
    window: int = 0
    batch: int = 0  # of the window, to come next


@kernel
def _choose(samples, begin, end, at, split, drop_forced, seats, key, limit, order, n):
    """Appends the samples that the filter lets through; returns how many there are then."""
    for i in range(begin, end):
        decision, round_ = samples[i, at + DECISION_WORD], samples[i, at + ROUND_WORD]
        keep = split_in(round_) == split and not (drop_forced and forced_in(round_))
        if keep and len(seats):
            keep = seats[round_in(round_), seat_in(decision)] != 0
        if keep and limit <= LOW_32:
            which = round_in(round_) << 32 | turn_kind_seat_in(decision)
            keep = draw(key, which) >> np.uint64(32) < np.uint64(limit)
        order[n] = i
        n += keep
    return n


@kernel
def _group_by_seat(samples, order, at, most, steps):
    """The last samples of each seat's round, in their order, -1 where there are no more; returns how many rows.

    `order` is ascending, so that a round's samples stand together.
    """
    rows = 0
    row_of = np.full(4, -1)
    last = np.int64(-1)
    for k in range(len(order)):
        round_ = round_in(samples[order[k], at + ROUND_WORD])
        seat = seat_in(samples[order[k], at + DECISION_WORD])
        if round_ != last:
            row_of[:] = -1
            last = round_
        if row_of[seat] < 0:
            row_of[seat] = rows
            steps[rows] = -1
            rows += 1
        row = row_of[seat]
        for step in range(most - 1):
            steps[row, step] = steps[row, step + 1]
        steps[row, most - 1] = order[k]
    return rows


@kernel
def _mix(rows, key):
    """Brings rows into a random order."""
    for left in range(len(rows), 1, -1):
        other = draw_below(key, left, left)
        for step in range(rows.shape[1]):
            rows[left - 1, step], rows[other, step] = rows[other, step], rows[left - 1, step]


class Loader:
    """Batches of one rank. Iterating gives the rest of the current epoch; the next iteration, the next epoch."""

    def __init__(
        self,
        source: SampleSource,
        batch_size: int,
        chosen: SampleFilter | None = None,
        scaling: Scaling | None = None,
        seed: int = 0,
        kind: str = FLOAT32,
        rank: int = 0,
        world: int = 1,
        steps: int = 1,
        drop_last: bool = True,
        shuffle: bool = True,
        moves: bool = False,
    ) -> None:
        if not 0 <= rank < world:
            raise ValueError(f"rank {rank} of {world}: expected 0..{world - 1}")
        self.source, self.batch_size, self.filter, self.seed = source, batch_size, chosen or SampleFilter(), seed
        self.rank, self.world, self.steps, self.drop_last, self.shuffle = rank, world, steps, drop_last, shuffle
        self.unpacker = Unpacker(source.spec, scaling, kind)
        self.position = Position()
        stamp = scaling.stamp if scaling else ""
        content = (source.fingerprint, self.filter.fingerprint, batch_size * world, seed, steps, drop_last, stamp)
        self.fingerprint = hashlib.sha256(repr(content).encode()).hexdigest()
        rows, spec = batch_size * steps, source.spec
        self._finder = MoveFinder(spec) if moves else None
        self._features = self.unpacker.buffer(rows, spec.size)
        self._labels = self.unpacker.buffer(rows, len(spec.label_names))
        self._values, self._rtgs = np.empty(rows, dtype=np.float32), np.empty(rows, dtype=np.float32)
        self._gathered = np.empty((rows, width_of(spec)), dtype=np.int64)
        self._windows = [np.zeros((1, width_of(spec)), dtype=np.int64) for _ in range(2)]
        self._coming: list[Future[tuple[np.ndarray, np.ndarray]]] = []  # the window that is being filled

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint has to keep to go on in mid-epoch."""
        return {"fingerprint": self.fingerprint, **asdict(self.position)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where another loader of the same data stood."""
        if state.get("fingerprint") != self.fingerprint:
            raise StateError(
                "the state is of other data, filters, scaling, seed or batches; expected those of the checkpoint's run"
            )
        self.position = Position(*(int(state[name]) for name in ("epoch", "window", "batch")))

    def windows(self, epoch: int) -> list[list[Block]]:
        """The blocks of an epoch, window by window."""
        months: dict[str, list[Block]] = {}
        for block in self.source.blocks:
            months.setdefault(block.month, []).append(block)
        names = list(months)
        blocks: list[Block] = []
        if self.shuffle:
            rng = np.random.default_rng([self.seed, epoch])
            rng.shuffle(names)
            for begin in range(0, len(names), MONTHS_AT_ONCE):
                together = [block for name in names[begin : begin + MONTHS_AT_ONCE] for block in months[name]]
                blocks += [together[i] for i in rng.permutation(len(together))]
        else:
            blocks = [block for name in names for block in months[name]]
        return [blocks[begin : begin + WINDOW_BLOCKS] for begin in range(0, len(blocks), WINDOW_BLOCKS)]

    def __iter__(self) -> Iterator[ArrayBatch]:
        for samples, rows in self._rows():
            yield self._batch(samples, rows)

    def count(self, most: int | None = None) -> int:
        """Batches that are left of the epoch, at most so many. None is made, and the loader stands where it stood."""
        before = replace(self.position)
        n = sum(1 for _ in islice(self._rows(), most))
        self.position = before
        return n

    def _rows(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The samples of a window, and which of them make up the next batch."""
        epoch = self.position.epoch
        windows = self.windows(epoch)
        wait(self._coming)  # of an epoch that was left early: it fills the same windows
        pool = ThreadPoolExecutor(1)
        try:
            self._coming = [pool.submit(self._fill, windows, epoch, self.position.window)]
            while self.position.window < len(windows):
                samples, order = self._coming[0].result()
                self._coming = [pool.submit(self._fill, windows, epoch, self.position.window + 1)]
                yield from self._of_window(samples, order)
                self.position = Position(epoch, self.position.window + 1)
            self._coming[0].result()
        finally:  # without waiting: a loop that was left may be ended by the garbage collector, within whatever thread
            pool.shutdown(wait=False)
        self.position = Position(epoch + 1)

    def _fill(self, windows: list[list[Block]], epoch: int, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Samples of a window, and their order: rows of samples, or of steps."""
        if number >= len(windows):
            return self._windows[0][:0], np.zeros((0, self.steps), dtype=np.int64)
        blocks, at, split = windows[number], self.source.spec.width, SPLITS.index(self.filter.split)
        room = sum(self.source.room(block) for block in blocks) + 1
        if len(self._windows[number % 2]) < room:
            self._windows[number % 2] = np.zeros((room + room // 8, width_of(self.source.spec)), dtype=np.int64)
        samples = self._windows[number % 2]
        order, n, end = np.empty(room, dtype=np.int64), 0, 1  # row 0 stays empty: the step that there is not
        limit = round(self.filter.sample_rate * (1 << 32))
        nobody = np.zeros((0, 4), dtype=np.uint8)
        chosen = []
        for block in blocks:
            begin, end = end, end + self.source.fill(block, samples[end:], split)
            seats = self.filter.seats.get(block.month, nobody)
            before, n = n, _choose(
                samples, begin, end, at, split, self.filter.drop_forced, seats, _key(block.month), limit, order, n

            )  # fmt: skip
            if self.steps > 1:
                steps = np.empty((n - before, self.steps), dtype=np.int64)
                chosen.append(steps[: _group_by_seat(samples, order[before:n], at, self.steps, steps)])
        rows = np.concatenate(chosen) if self.steps > 1 else order[:n]
        rows = rows.reshape(-1, self.steps)
        if self.shuffle:
            key = np.random.SeedSequence([self.seed, epoch, number]).generate_state(1, np.uint64)[0]
            _mix(rows, key)
        return samples, rows

    def _of_window(self, samples: np.ndarray, order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        whole = self.batch_size * self.world
        count = len(order) // whole if self.drop_last else -(-len(order) // whole)
        while self.position.batch < count:
            begin = self.position.batch * whole
            self.position.batch += 1
            yield samples, np.ascontiguousarray(order[begin : begin + whole][self.rank :: self.world])

    def _batch(self, samples: np.ndarray, rows: np.ndarray) -> ArrayBatch:
        mask = rows >= 0
        flat = np.maximum(rows, 0).reshape(-1)
        gathered = self._gathered[: len(flat)]
        gather(samples, flat, gathered)
        features = self.unpacker.features(gathered, self._features)
        labels = self.unpacker.labels(gathered, self._labels)
        unpack_targets(gathered, len(flat), self.source.spec.width, self._values, self._rtgs)
        shape = (len(rows),) if self.steps == 1 else rows.shape
        return ArrayBatch(
            features.reshape(*shape, -1),
            labels.reshape(*shape, -1),
            self._values[: len(flat)].reshape(shape),
            self._rtgs[: len(flat)].reshape(shape),
            mask,
            *(self._finder.of(gathered) if self._finder else ()),
        )


def _key(month: str) -> np.uint64:
    """Of the draws that decide which of a month's samples are used at a sample rate; the same in every epoch."""
    return np.uint64(int.from_bytes(hashlib.blake2b(month.encode(), digest_size=8).digest()))
