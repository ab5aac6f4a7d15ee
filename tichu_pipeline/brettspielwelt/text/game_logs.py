"""Games of agents as logs of Brettspielwelt. Names of agents are stripped of characters that a log cannot hold."""

from __future__ import annotations

import re

import numpy as np

from tichu_models.records.schema import Rounds
from tichu_pipeline.brettspielwelt.text.writer import MAX_NAME, NAMES, name_table, write

NOT_IN_NAMES = re.compile(r"[:\s]")


def log_name(agent: str) -> bytes:
    """The name of an agent in a log: without spaces and colons, and not too long."""
    return NOT_IN_NAMES.sub("_", agent).encode()[:MAX_NAME].decode(errors="ignore").encode()


def texts(rounds: Rounds, players: list[str], seating: np.ndarray) -> list[tuple[int, bytes]]:
    """(game id, log) of each game. Row i of `seating` has the index of the player at each seat in round i."""
    rows = rounds.rows
    if len(rows) == 0:
        return []
    names = np.zeros(len(rows), dtype=NAMES)
    names["seat"] = name_table([log_name(player) for player in players])[seating]
    text, ends = write(rounds, names)
    firsts = np.flatnonzero(np.diff(rows["game_id"], prepend=-1))
    begins, stops = np.concatenate([[0], ends])[firsts], ends[np.append(firsts[1:], len(rows)) - 1]
    return [
        (game, text[begin:stop].tobytes())
        for game, begin, stop in zip(rows["game_id"][firsts].tolist(), begins.tolist(), stops.tolist(), strict=True)
    ]
