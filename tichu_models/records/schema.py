"""The record of a round, and arrays of many rounds with their histories in one array of bytes.

The fields are those of the concept's BWRoundData, in the engine's units: sets of cards are masks, single cards are card
indices. Names of players are not part of a record. `history` describes the bytes, `replay` checks a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

NO_RECIPIENT = -1

# fmt: off
ROUND = np.dtype([
    ("game_id", np.int64),
    ("first", np.int64, 4),          # the first eight cards of each seat
    ("start", np.int64, 4),          # all fourteen, before schupfen
    ("history_from", np.int64),      # where the round's history begins in the byte array
    ("history_to", np.int64),        # and where it ends
    ("round_index", np.int32),       # counts the rounds of a game from 0
    # Turns before the small Tichu; after a rule break as logged. -1 before or during schupfen, -2 grand, -3 none.
    ("tichu_position", np.int16, 4),
    ("score", np.int16, 2),          # result as logged: team 20, team 31
    ("given", np.int8, (4, 3)),      # card index given to the right opponent, the partner, the left opponent
    ("wish", np.int8),               # 2..14, 0 if none was made
    ("dragon_recipient", np.int8),   # seat, or -1
], align=True)
# fmt: on

Round: TypeAlias = Any  # a record of ROUND


@dataclass(frozen=True)
class Rounds:
    """Many rounds: an array of ROUND, sorted by game and round, and the bytes of all their histories."""

    rows: np.ndarray
    history: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def history_of(self, i: int) -> bytes:
        """The history of the i-th round."""
        return self.history[self.rows["history_from"][i] : self.rows["history_to"][i]].tobytes()


def joined(parts: Sequence[Rounds]) -> Rounds:
    """Several sets of rounds as one, in order."""
    if not parts:
        return Rounds(np.zeros(0, dtype=ROUND), np.zeros(0, dtype=np.uint8))
    rows, begin = np.concatenate([part.rows for part in parts]), 0
    for part, first in zip(parts, np.cumsum([0, *(len(part) for part in parts[:-1])]), strict=True):
        for field in ("history_from", "history_to"):
            rows[field][first : first + len(part)] += begin
        begin += len(part.history)
    return Rounds(rows, np.concatenate([part.history for part in parts]))
