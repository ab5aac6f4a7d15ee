"""From the blocks of a sample source to shuffled batches of arrays: the same seed gives the same batches.

An epoch is shuffled in two steps. The months come in random order, and the blocks of MONTHS_AT_ONCE months at a time in
random order. WINDOW_BLOCKS blocks (about two million plays) make a window, whose samples are mixed completely. The
samples of a window that do not fill a batch are dropped (`drop_last`); these are others in every epoch. The order
depends on seed and epoch alone.

Of several processes, each goes through the same windows and takes every world-th sample. All get equally many batches,
and together the samples of one process with batches that many times larger. The next window is filled while the current
one is used. Each batch overwrites the buffers of the one before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

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
from tichu_models.observation.unpack import FLOAT32, gather
from tichu_models.records.split import SPLITS
from tichu_models.samples.arrays import ArrayBatch, SampleUnpacker
from tichu_models.samples.sources import Block, SampleSource

MONTHS_AT_ONCE = 4
WINDOW_BLOCKS = 16


class StateError(ValueError):
    """A state that belongs to another loader."""


@dataclass(frozen=True)
class SampleFilter:
    """Which samples are used. `seats` may hold an array (rounds, 4) for a month: where it is 0, the decisions of that
    seat are left out. Months without an array are used whole."""

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
        """A text that is equal for equal filters."""
        arrays = [(month, hashlib.sha256(array.tobytes()).hexdigest()) for month, array in sorted(self.seats.items())]
        return f"{self.split} {self.drop_forced} {self.sample_rate} {arrays}"


@dataclass
class LoaderPosition:
    """The next batch of a loader; a checkpoint keeps it."""

    epoch: int = 0
    window: int = 0  # of the epoch
    batch: int = 0  # of the window


@kernel
def _choose(
    samples: np.ndarray,
    begin: int,
    end: int,
    at: int,
    split: int,
    drop_forced: bool,
    seats: np.ndarray,
    key: np.uint64,
    limit: int,
    order: np.ndarray,
    n: int,
) -> int:
    """Appends to `order`, which has n entries, the samples begin .. end that the filter lets through; returns how many
    entries it then has. `at` is the word of the label, which those of the facts follow; the filter uses a share of
    limit / 2**32 of the samples."""
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
def _group_by_seat(samples: np.ndarray, order: np.ndarray, at: int, most: int, steps: np.ndarray) -> int:
    """Groups samples into sequences: a row of `steps` for each seat and round, with its `most` last samples in order
    and -1 in front where there are fewer. Returns how many rows.

    `order` is ascending, so that the samples of a round follow each other.
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
def _mix(rows: np.ndarray, key: np.uint64) -> None:
    """Shuffles rows in place."""
    for left in range(len(rows), 1, -1):
        other = draw_below(key, left, left)
        for step in range(rows.shape[1]):
            rows[left - 1, step], rows[other, step] = rows[other, step], rows[left - 1, step]


class Loader:
    """The batches of one process (`rank` of `world`). An iteration yields the rest of the current epoch, the next one
    the next epoch."""

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
        self.position = LoaderPosition()
        stamp = scaling.stamp if scaling else ""
        content = (source.fingerprint, self.filter.fingerprint, batch_size * world, seed, steps, drop_last, stamp)
        self.fingerprint = hashlib.sha256(repr(content).encode()).hexdigest()
        width = width_of(source.spec)
        self._unpacker = SampleUnpacker(source.spec, batch_size, scaling, kind, steps, moves)
        self._gathered = np.empty((batch_size * steps, width), dtype=np.int64)
        self._windows = [np.zeros((1, width), dtype=np.int64) for _ in range(2)]
        self._coming: list[Future[tuple[np.ndarray, np.ndarray]]] = []  # the window that is being filled

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps, to resume in the middle of an epoch."""
        return {"fingerprint": self.fingerprint, **asdict(self.position)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at the position of another loader of the same data."""
        if state.get("fingerprint") != self.fingerprint:
            raise StateError(
                "the state is of other data, filters, scaling, seed or batches; expected those of the checkpoint's run"
            )
        self.position = LoaderPosition(*(int(state[name]) for name in ("epoch", "window", "batch")))

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
        """The number of batches left in the epoch, at most `most`. No batch is made; the position stays."""
        before = replace(self.position)
        n = sum(1 for _ in islice(self._rows(), most))
        self.position = before
        return n

    def _rows(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each batch left in the epoch: the samples of its window, and the rows that make up the batch."""
        epoch = self.position.epoch
        windows = self.windows(epoch)
        wait(self._coming)  # an epoch that was left early may still fill the same windows
        pool = ThreadPoolExecutor(1)
        try:
            self._coming = [pool.submit(self._fill, windows, epoch, self.position.window)]
            while self.position.window < len(windows):
                samples, order = self._coming[0].result()
                self._coming = [pool.submit(self._fill, windows, epoch, self.position.window + 1)]
                yield from self._of_window(samples, order)
                self.position = LoaderPosition(epoch, self.position.window + 1)
            self._coming[0].result()
        finally:  # without waiting: the garbage collector may end a loop that was left, in any thread
            pool.shutdown(wait=False)
        self.position = LoaderPosition(epoch + 1)

    def _fill(self, windows: list[list[Block]], epoch: int, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Fills a window: its samples, and their shuffled order (rows, steps), -1 where there is no step."""
        if number >= len(windows):
            return self._windows[0][:0], np.zeros((0, self.steps), dtype=np.int64)
        blocks, at, split = windows[number], self.source.spec.width, SPLITS.index(self.filter.split)
        room = sum(self.source.room(block) for block in blocks) + 1
        if len(self._windows[number % 2]) < room:
            self._windows[number % 2] = np.zeros((room + room // 8, width_of(self.source.spec)), dtype=np.int64)
        samples = self._windows[number % 2]
        order, n, end = np.empty(room, dtype=np.int64), 0, 1  # row 0 stays empty: it is the padding of sequences
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
        """The rows of each batch left in a window."""
        whole = self.batch_size * self.world
        count = len(order) // whole if self.drop_last else -(-len(order) // whole)
        while self.position.batch < count:
            begin = self.position.batch * whole
            self.position.batch += 1
            yield samples, np.ascontiguousarray(order[begin : begin + whole][self.rank :: self.world])

    def _batch(self, samples: np.ndarray, rows: np.ndarray) -> ArrayBatch:
        """The batch of these rows (rows, steps) of a window's samples."""
        flat = np.maximum(rows, 0).reshape(-1)
        gathered = self._gathered[: len(flat)]
        gather(samples, flat, gathered)
        return self._unpacker.batch(gathered, rows >= 0)


def _key(month: str) -> np.uint64:
    """The key of the draws that choose a month's samples at a sample rate; the same in every epoch."""
    return np.uint64(int.from_bytes(hashlib.blake2b(month.encode(), digest_size=8).digest()))
