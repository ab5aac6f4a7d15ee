"""Reads stored games back: finds their rows, and turns them into the text of a log again.

`ingest` goes the opposite way, from text to Parquet. `showing` prints a round on a terminal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from tichu_models.records.stored import to_records
from tichu_pipeline.brettspielwelt.text.writer import NAMES, name_table, write
from tichu_pipeline.rounds.manifest import stored_summary
from tichu_pipeline.rounds.tables import NO_BREAK_SPACE
from tichu_pipeline.storage.folders import DataPaths, month_files, months_in

# Written in the place of names, which may have any length. No other text that is written has control characters.
SEAT_MARKS = "\1\2\3\4"
STAND_INS = np.zeros(1, dtype=NAMES)
STAND_INS["seat"] = name_table([mark.encode() for mark in SEAT_MARKS])


class NoSuchGameError(LookupError):
    """The data folder does not have the game or round."""


@dataclass(frozen=True)
class Game:
    """A stored game: its rounds, and its rows of rule_breaks."""

    rounds: pa.Table
    breaks: list[dict]


def find_game(paths: DataPaths, game_id: int) -> Game:
    """The stored game with this id."""
    rounds = _rows(paths, "rounds", game_id)
    breaks = _rows(paths, "rule_breaks", game_id)
    if len(rounds) == 0 and len(breaks) == 0:
        raise NoSuchGameError(f"game {game_id}: {_why_missing(paths, game_id)}")
    order = [("round_index", "ascending")]
    return Game(rounds.sort_by(order), breaks.to_pylist())


def _rows(paths: DataPaths, table: str, game_id: int) -> pa.Table:
    files = [str(path) for path in month_files(paths.root / table)]
    if not files:
        raise NoSuchGameError(f"{paths.root / table}: no rounds are there; expected those of tichu ingest")
    try:
        return ds.dataset(files, format="parquet").to_table(filter=ds.field("game_id") == game_id)
    except (OSError, pa.ArrowInvalid) as error:
        raise NoSuchGameError(
            f"{paths.root / table}: a month cannot be read ({error}); expected the files of tichu ingest --force"
        ) from error


def _why_missing(paths: DataPaths, game_id: int) -> str:
    """Why a game has no rows: its log holds no round, or there is no log."""
    for month in months_in(paths.rounds):
        summary = stored_summary(paths, month)
        for files, reason in ((summary.empty_files, "is empty"), (summary.not_logs, "holds no round")):
            for file in files:
                if re.split("[:/]", file)[-1] == f"{game_id}.tch":
                    return f"its log {file} {reason}; nothing of it can be shown"
    return f"not among the rounds in {paths.rounds}; expected the id of an ingested log (tichu ingest)"


def text_of(game: Game) -> str:
    """The log of a stored game. Broken rounds and fragments have their original text."""
    text, ends = write(to_records(game.rounds), np.repeat(STAND_INS, len(game.rounds)))
    kept = {entry["round_index"]: entry["text"] + "\n" for entry in game.breaks if not entry["is_fragment"]}
    parts = []
    rounds = zip(pairwise([0, *ends.tolist()]), game.rounds["player_names"].to_pylist(), strict=True)
    for index, ((start, end), names) in enumerate(rounds):
        parts += _fragments(game, index)
        parts.append(kept.get(index) or _named(text[start:end].tobytes().decode(), names))
    return "".join([*parts, *_fragments(game, len(game.rounds))])


def _named(text: str, names: list[str]) -> str:
    """The text with the names of its four players. A space in a name becomes a no-break space, as it was in the log."""
    # All four in one pass, since a name may contain control characters.
    return re.sub(f"[{SEAT_MARKS}]", lambda mark: names[SEAT_MARKS.index(mark[0])].replace(" ", NO_BREAK_SPACE), text)


def _fragments(game: Game, index: int) -> list[str]:
    """The texts of the fragments before the round of this index."""
    return [entry["text"] + "\n" for entry in game.breaks if entry["is_fragment"] and entry["round_index"] == index]
