"""From files to blocks of packed samples: months of rounds are replayed and encoded, shards are read.

Both sources give the same samples in the same blocks. A block is ROUNDS_A_BLOCK rows of a month's file of rounds, or
the row group of its shard that was made of them. Only sound rounds have samples. The format of shards is defined here,
for reading and for writing.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.observation.facts import FACTS
from tichu_models.observation.samples import Encoder, SoundRounds, as_records
from tichu_models.observation.specs import Spec
from tichu_models.observation.walk import MAX_DECISIONS
from tichu_models.records.scores import scores_before
from tichu_models.records.stored import COLUMNS, STAMP, numbers, splits_of, to_records

ROUNDS_A_BLOCK = 2048
ROWS_AT_ONCE = 4096
ANY_SPLIT = -1  # in place of an index of SPLITS
MONTHS_KEPT = 8  # decoded months of rounds that are kept: a window may hold blocks of two groups of months
WHICH_ROUND = {"game_id": pa.int64(), "round_index": pa.int32()}
SHARD = b"tichu.shard"  # key of a shard's description in its metadata


class SourceError(Exception):
    """A file of rounds or a shard that cannot be used."""


@dataclass(frozen=True)
class Block:
    """A part of a month's file: the index of ROUNDS_A_BLOCK rounds, or of a row group."""

    path: Path
    month: str
    index: int


class SampleSource(Protocol):
    """Blocks of samples of one spec."""

    spec: Spec
    blocks: Sequence[Block]
    fingerprint: str  # equal for sources with the same samples

    def fill(self, block: Block, into: np.ndarray, split: int = ANY_SPLIT) -> int:
        """Writes a block's packed samples into rows of words and returns how many. Those of other splits may be left
        out."""
        ...

    def room(self, block: Block) -> int:
        """The number of rows that a block needs at most."""
        ...


def played_in(rounds: pa.Table) -> tuple[SoundRounds, np.ndarray]:
    """A month's rounds as samples are made of them, and which of them are sound."""
    records = to_records(rounds)
    played = SoundRounds(
        records.rows,
        scores_before(records.rows),
        numbers(rounds, "winner_index"),
        numbers(rounds, "is_double_victory"),
        splits_of(rounds),
        records.history,
        np.arange(len(records.rows)),
    )
    return played, numbers(rounds, "rule_break") == 0


class RoundsSource:
    """A sample source over months of rounds, which it replays and encodes."""

    def __init__(self, files: Sequence[Path], spec: Spec) -> None:
        self.spec = spec
        blocks: list[Block] = []
        self._encoder = Encoder(spec)
        self._kept: OrderedDict[Path, tuple[SoundRounds, np.ndarray]] = OrderedDict()
        stamps = []
        for path in sorted(files):
            metadata = _metadata(path, "a month of tichu ingest")
            stamps.append((path.stem, metadata.metadata.get(STAMP, b"").decode()))
            count = -(-metadata.num_rows // ROUNDS_A_BLOCK)
            blocks += [Block(path, path.stem, index) for index in range(count)]
        self.blocks: Sequence[Block] = blocks
        self.fingerprint = f"{spec.digest} {ROUNDS_A_BLOCK} {stamps}"

    def month(self, path: Path) -> tuple[SoundRounds, np.ndarray]:
        """A month's rounds, and which are sound; the latest months are kept decoded."""
        if path not in self._kept:
            columns = [*COLUMNS, "winner_index", "is_double_victory", "player_names", "rule_break"]
            try:
                self._kept[path] = played_in(pq.read_table(path, columns=columns))
            except (OSError, pa.ArrowInvalid, KeyError) as error:
                raise SourceError(f"{path}: {error}; expected a month of tichu ingest, make it anew") from error
            while len(self._kept) > MONTHS_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(path)
        return self._kept[path]

    def room(self, block: Block) -> int:
        """An upper bound of a block's samples."""
        rows = self._sound(block, ANY_SPLIT).rows
        # Each play or pass takes at least one byte of the history, and has at most one decision of a kind.
        return int((rows["history_to"] - rows["history_from"]).sum()) + MAX_DECISIONS

    def fill(self, block: Block, into: np.ndarray, split: int = ANY_SPLIT) -> int:
        """Replays and encodes the block's sound rounds of the split."""
        played = self._sound(block, split)
        done, n = self._encoder.encode(played, into)
        assert done == len(played)
        return n

    def _sound(self, block: Block, split: int) -> SoundRounds:
        """The block's sound rounds of the split."""
        played, sound = self.month(block.path)
        rounds = slice(block.index * ROUNDS_A_BLOCK, (block.index + 1) * ROUNDS_A_BLOCK)
        of_block = played[rounds]
        return of_block[sound[rounds] & ((of_block.splits == split) | (split == ANY_SPLIT))]


def shard_columns(spec: Spec) -> dict[str, pa.DataType]:
    """The columns of a shard: the round, facts, words of bits, numbers by name, words of the history."""
    bits = {f"bits_{word}": pa.int64() for word in range(spec.layout.words)}
    points = {name: pa.int16() for name in spec.number_names if name != "rtg"}
    history = {f"history_{turn}": pa.int64() for turn in range(spec.history)}
    facts = {name: pa.from_numpy_dtype(np.dtype(kind)) for name, kind in FACTS}
    return {**WHICH_ROUND, **facts, **bits, **points, **history}


def shard_about(spec: Spec) -> dict[bytes, bytes]:
    """The description of a shard, for its metadata."""
    facts = {"spec": spec.name, "version": spec.version, "digest": spec.digest, "rounds_a_block": ROUNDS_A_BLOCK}
    return {SHARD: json.dumps(facts).encode()}


def to_shard(samples: np.ndarray, spec: Spec, games: np.ndarray, indices: np.ndarray) -> pa.Table:
    """A block's samples as rows of a shard. `games` and `indices` are the game id and round index of each round of the
    month."""
    records = as_records(samples, spec)
    rounds = records["round"]
    columns = {"game_id": games[rounds], "round_index": indices[rounds]}
    columns |= {name: records[name] for name, _ in FACTS}
    columns |= {f"bits_{word}": records["bits"][:, word] for word in range(spec.layout.words)}
    columns |= {name: records["numbers"][:, k] for k, name in enumerate(spec.number_names) if name != "rtg"}
    columns |= {f"history_{turn}": records["history"][:, turn] for turn in range(spec.history)}
    kinds = shard_columns(spec)
    arrays = [pa.array(np.ascontiguousarray(columns[name]), type=kind) for name, kind in kinds.items()]
    return pa.Table.from_arrays(arrays, names=list(kinds))


def _from_shard(table: pa.Table, spec: Spec, into: np.ndarray) -> None:
    """Writes a shard's rows as packed samples, a few at a time, so that each is finished while it is in the cache."""
    columns = {name: table[name].combine_chunks().to_numpy(zero_copy_only=False) for name in table.column_names}
    records = as_records(into, spec)
    targets = [(columns[name], records[name]) for name, _ in FACTS]
    targets += [(columns[f"bits_{word}"], records["bits"][:, word]) for word in range(spec.layout.words)]
    targets += [(columns[name], records["numbers"][:, k]) for k, name in enumerate(spec.number_names)]
    targets += [(columns[f"history_{turn}"], records["history"][:, turn]) for turn in range(spec.history)]
    into[:, spec.layout.words + spec.number_words - 1 : spec.width] = 0  # the last word of numbers may not be full
    for begin in range(0, len(into), ROWS_AT_ONCE):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        for column, target in targets:
            target[rows] = column[rows]


class ShardSource:
    """A sample source over shards of one spec."""

    def __init__(self, files: Sequence[Path], spec: Spec) -> None:
        self.spec = spec
        blocks: list[Block] = []
        self._columns = [name for name in shard_columns(spec) if name not in WHICH_ROUND]
        stamps = []
        for path in sorted(files):
            metadata = _metadata(path, f"a shard of {spec.name}")
            about = shard_of(path, metadata.metadata or {})
            if about.get("digest") != spec.digest or about.get("rounds_a_block") != ROUNDS_A_BLOCK:
                raise SourceError(
                    f"{path}: it holds {about.get('spec')}, version {about.get('version')}; expected {spec.name}, "
                    f"version {spec.version}, as this program makes it: materialise features anew"
                )
            stamps.append((path.stem, about.get("rounds")))
            blocks += [Block(path, path.stem, index) for index in range(metadata.num_row_groups)]
        self.blocks: Sequence[Block] = blocks
        self.fingerprint = f"{spec.digest} {ROUNDS_A_BLOCK} {stamps}"

    def room(self, block: Block) -> int:
        """The number of the block's samples."""
        return pq.read_metadata(block.path).row_group(block.index).num_rows

    def fill(self, block: Block, into: np.ndarray, split: int = ANY_SPLIT) -> int:
        """Reads the block's row group, with the samples of all splits."""
        try:
            table = pq.ParquetFile(block.path).read_row_group(block.index, columns=self._columns)
        except (OSError, pa.ArrowInvalid, KeyError) as error:
            raise SourceError(f"{block.path}: {error}; expected a whole shard: materialise features anew") from error
        _from_shard(table, self.spec, into[: len(table)])
        return len(table)


def shard_of(path: Path, metadata: dict[bytes, bytes]) -> dict:
    """The description of a shard, from its metadata."""
    if SHARD not in metadata:
        raise SourceError(f"{path}: it has no description; expected a shard of the stage features")
    return json.loads(metadata[SHARD])


def _metadata(path: Path, expected: str) -> pq.FileMetaData:
    """The metadata of a Parquet file; `expected` names the kind of file for the message."""
    try:
        return pq.read_metadata(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceError(f"{path}: it cannot be read ({error}); expected {expected}") from error
