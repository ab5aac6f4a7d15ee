"""Reads rounds of a Parquet table into records, and finds their splits. The pipeline writes the files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tichu_models.records.schema import ROUND, Rounds
from tichu_models.records.split import is_held_out, splits

STAMP = b"tichu.stamp"  # key in the metadata of a Parquet file: a digest of all that it was made from
# Fields of a record and their columns.
SCALARS = {
    "game_id": "game_id",
    "round_index": "round_index",
    "wish": "wish_value",
    "dragon_recipient": "dragon_recipient",
}
LISTS = {
    "first": "grand_tichu_hands",
    "start": "start_hands",
    "tichu_position": "tichu_positions",
    "score": "score_entry",
    "given": "given_schupf_cards",
}
COLUMNS = (*SCALARS.values(), *LISTS.values(), "history")


def to_records(table: pa.Table) -> Rounds:
    """Rows of the table `rounds` as records; NULL becomes 0."""
    rows = np.zeros(len(table), dtype=ROUND)
    for field, column in SCALARS.items():
        rows[field] = numbers(table, column)
    for field, column in LISTS.items():
        rows[field] = numbers(table, column).reshape(rows[field].shape)
    history, begins = histories(table)
    rows["history_from"], rows["history_to"] = begins[:-1], begins[1:]
    return Rounds(rows, history)


def numbers(table: pa.Table, name: str) -> np.ndarray:
    """A column of numbers or booleans, or the elements of its lists; NULL becomes 0."""
    values = table[name].combine_chunks()
    while pa.types.is_nested(values.type):
        values = values.flatten()
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return values.fill_null(0).to_numpy(zero_copy_only=False)


def histories(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of all histories, and the places where they begin, followed by the end of the last one."""
    column = table["history"].fill_null(b"").combine_chunks()
    if len(column) == 0:
        return np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, offsets, data = column.buffers()
    begins = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(0, dtype=np.uint8)
    return content[begins[0] : begins[-1]], (begins - begins[0]).astype(np.int64)


def splits_of(rounds: pa.Table) -> np.ndarray:
    """The split of each round. The rounds of a game must be together, and none may be missing."""
    names = rounds["player_names"].combine_chunks().flatten().dictionary_encode()
    held_out = np.array([is_held_out(name) for name in names.dictionary.to_pylist()], dtype=bool)
    of_round = held_out[names.indices.to_numpy()].reshape(-1, 4).any(axis=1)
    games = rounds["game_id"].to_numpy()
    firsts = np.flatnonzero(np.diff(games, prepend=-1))
    if len(firsts) == 0:
        return np.zeros(0, dtype=np.int8)
    lengths = np.diff(np.append(firsts, len(games)))
    return np.repeat(splits(games[firsts], np.logical_or.reduceat(of_round, firsts)), lengths)
