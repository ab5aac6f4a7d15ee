"""Rounds as Parquet keeps them, read into records. Which files there are, and who writes them, does not belong here."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tichu_models.records.schema import ROUND, Rounds

# Field of a record, and the column that it comes from.
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
    """Rows of table rounds as records; what is NULL becomes 0."""
    rows = np.zeros(len(table), dtype=ROUND)
    for field, column in SCALARS.items():
        rows[field] = numbers(table, column)
    for field, column in LISTS.items():
        rows[field] = numbers(table, column).reshape(rows[field].shape)
    history, begins = histories(table)
    rows["history_from"], rows["history_to"] = begins[:-1], begins[1:]
    return Rounds(rows, history)


def numbers(table: pa.Table, name: str) -> np.ndarray:
    """A column of numbers or truths, or the elements of its lists; NULL becomes 0."""
    values = table[name].combine_chunks()
    while pa.types.is_nested(values.type):
        values = values.flatten()
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return values.fill_null(0).to_numpy(zero_copy_only=False)


def histories(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of all histories, and where each begins; the last place is where the last one ends."""
    column = table["history"].fill_null(b"").combine_chunks()
    if len(column) == 0:
        return np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, offsets, data = column.buffers()
    begins = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(0, dtype=np.uint8)
    return content[begins[0] : begins[-1]], (begins - begins[0]).astype(np.int64)
