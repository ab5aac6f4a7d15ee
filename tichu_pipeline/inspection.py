"""Logs read and checked without a data folder: what `tichu inspect` answers, as plain data.

The reader and the tables are those of ingest; here their rows are only given the form that the contract promises.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.records.history import turns
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.cards import LABELS, labels
from tichu_pipeline.brettspielwelt.archives import scan
from tichu_pipeline.brettspielwelt.games import Games, Reader
from tichu_pipeline.brettspielwelt.inflate import Chunk, read
from tichu_pipeline.brettspielwelt.members import SIZE_LIMIT
from tichu_pipeline.tables import Walker, round_table, rule_break_table

MONTH = "0001-01"  # a file by itself has none; the columns are left out


class UnreadablePathError(OSError):
    """A path that is no log, no folder and no archive."""


def inspect(paths: list[Path]) -> Iterator[dict[str, Any]]:
    """One entry a log: files in the order given, the logs of folders and archives by month and id."""
    reader = Reader()
    for path in paths:
        if path.is_dir() or path.suffix == ".zip":
            yield from _inspect_source(path, reader)
        else:
            yield _inspect_file(path, reader)


def _inspect_file(path: Path, reader: Reader) -> dict[str, Any]:
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= SIZE_LIMIT else b""
    except OSError as error:
        raise UnreadablePathError(
            f"{path}: {error.strerror}; expected a .tch file, a folder or a zip of them"
        ) from error
    if size > SIZE_LIMIT:
        raise UnreadablePathError(f"{path}: {size:,} bytes; expected a log of at most {SIZE_LIMIT:,}")
    game_id = int(path.stem) if path.stem.isdecimal() and len(path.stem) < 18 else None
    chunk = Chunk(
        np.frombuffer(content, dtype=np.uint8),
        np.array([0], dtype=np.int64),
        np.array([len(content)], dtype=np.int64),
        np.array([game_id or 0], dtype=np.int64),
        (),
    )
    (entry,) = _entries(reader.read(chunk), lambda _: str(path))
    return entry | {"game_id": game_id}


def _inspect_source(path: Path, reader: Reader) -> Iterator[dict[str, Any]]:
    catalogue = scan(path if path.is_dir() else path.parent)
    for month in catalogue.months:
        members = catalogue.month(month)
        files = {int(game): f"{members.file(i)}:{members.member(i)}" for i, game in enumerate(members.game_ids)}
        for chunk in read(members):
            yield from _entries(reader.read(chunk), lambda game_id, files=files: files[game_id])


def _entries(games: Games, file_of: Any) -> Iterator[dict[str, Any]]:
    _, spreads = Walker().walk(games)
    rounds = round_table(games, spreads, MONTH).to_pylist()
    breaks = rule_break_table(games, file_of, MONTH).to_pylist()
    for game in games.games:
        game_id, code = int(game["game_id"]), GameError(int(game["error_code"]))
        yield {
            "game_id": game_id,
            "file": file_of(game_id),
            "error_code": int(code),
            "error": code.name,
            "rounds": [_round(row, breaks) for row in rounds if row["game_id"] == game_id],
            "fragments": [
                {
                    "rule_break": entry["rule_break"],
                    "rule_break_text": RuleBreak(entry["rule_break"]).name,
                    "line": entry["line"],
                    "text": entry["text"],
                }
                for entry in breaks
                if entry["game_id"] == game_id and entry["is_fragment"]
            ],
        }


def _round(row: dict[str, Any], breaks: list[dict[str, Any]]) -> dict[str, Any]:
    code = row["rule_break"]
    where = [
        entry["line"]
        for entry in breaks
        if not entry["is_fragment"] and (entry["game_id"], entry["round_index"]) == (row["game_id"], row["round_index"])
    ]
    return {
        "round_index": row["round_index"],
        "line": row["line"],
        "player_names": row["player_names"],
        "score": row["score_entry"],
        "replayed_score": None if code else row["replayed_score"],
        "rule_break": code,
        "rule_break_text": f"{RuleBreak(code).name} at line {where[0]}" if code else "",
        "wish_value": row["wish_value"],
        "dragon_recipient": row["dragon_recipient"],
        "tichu_positions": row["tichu_positions"],
        "bomb_owners": row["bomb_owners"],
        "start_hands": [None if hand is None else labels(hand) for hand in row["start_hands"]],
        "given_schupf_cards": [
            [None if card is None else LABELS[card] for card in given] for given in row["given_schupf_cards"]
        ],
        "num_tricks": row["num_tricks"],
        "num_turns": row["num_turns"],
        "winner_index": row["winner_index"],
        "loser_index": row["loser_index"],
        "is_double_victory": row["is_double_victory"],
        "phoenix_low": row["phoenix_low"],
        "history": [
            [seat, cards] if kind == "play" else [seat]
            for kind, seat, cards in turns(row["history"] or b"")
            if kind != "take"
        ],
    }
