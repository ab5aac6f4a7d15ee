"""Judged games that need not be judged again: those in a month's file, and those of a month that was not finished.

What is found in a game depends on the game, on whose decisions are judged, and on the referee. A digest of these stands
in the metadata of each file, by game. A month that is asked for with more games, or goes on after it was killed, keeps
the rows of those games whose digests are equal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tichu_models.review.report import LoggedGame
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.stamps import parquet_metadata

DIGESTS = b"tichu.reviews.games"  # in the metadata of a file
PLACES = ("history_from", "history_to")  # of a history among others, which say nothing of the game

Record = dict[str, Any]


def unfinished_file(paths: DataPaths, month: str) -> Path:
    """The file with those games of a month that have been judged, while others have not."""
    return paths.tmp / f"reviews-{month}.parquet"


def game_digest(game: LoggedGame, players: Collection[str], referee: bytes) -> str:
    """A digest of what the judgements of a game depend on. `players` are those who are judged, none: all."""
    digest = hashlib.sha256(referee)
    digest.update(json.dumps([sorted(players), game.key, game.names]).encode())
    for records in (game.rows, game.before):
        for name in (name for name in records.dtype.names or () if name not in PLACES):
            digest.update(np.ascontiguousarray(records[name]).tobytes())
    for begin, end in zip(*(game.rows[name] for name in PLACES), strict=True):
        digest.update(game.history[begin:end].tobytes() + b"\n")
    return digest.hexdigest()[:32]


def kept_rows(paths: DataPaths, month: str, digests: Mapping[int, str]) -> dict[int, list[Record]]:
    """The stored rows of those games whose digests are still the same, by game."""
    kept: dict[int, list[Record]] = {}
    for path in (month_file(paths.reviews, month), unfinished_file(paths, month)):
        stored = json.loads(parquet_metadata(path).get(DIGESTS, b"{}"))
        same = [int(game) for game, digest in stored.items() if digests.get(int(game)) == digest]
        if new := [game for game in same if game not in kept]:
            kept |= {game: [] for game in new}
            table = pq.read_table(path)
            for row in table.filter(pc.is_in(table["game_id"], pc.cast(new, "int64"))).to_pylist():
                kept[row["game_id"]].append(row)
    return kept


def metadata_of(games: Iterable[int], digests: Mapping[int, str]) -> dict[bytes, bytes]:
    """What a file says of the games that it holds."""
    return {DIGESTS: json.dumps({str(game): digests[game] for game in games}).encode()}
