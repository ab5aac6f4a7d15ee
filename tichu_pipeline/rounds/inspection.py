"""Reads and checks logs without a data folder, for `tichu inspect`. The results are plain data.

The reader and the tables are those of ingest; this module turns their rows into the documented JSON. A file that cannot
be read becomes an entry without rounds, and `report` is called with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tichu_models.records.history import turns
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.cards import LABELS, labels
from tichu_pipeline.brettspielwelt.archives.inflate import Chunk
from tichu_pipeline.brettspielwelt.text.reader import Reader
from tichu_pipeline.rounds.arrow import round_table, rule_break_table
from tichu_pipeline.rounds.log_files import Report, game_id_of, logs_in

MONTH = "0001-01"  # a stand-in, since a single file has no month; the columns are left out

Entry = dict[str, Any]


def inspect(paths: list[Path], report: Report) -> Iterator[Entry]:
    """One entry a log, in the order of the paths; in a folder by name, in an archive in the order of its directory."""
    reader = Reader()
    for log in logs_in(paths, report):
        yield (
            _unreadable(log.stem, log.file) if log.content is None else _entry(log.content, reader, log.stem, log.file)
        )


def _unreadable(stem: str, file: str) -> Entry:
    """The entry of a log that cannot be read."""
    return _heading(stem, file, GameError.UNREADABLE) | {"rounds": [], "fragments": []}


def _heading(stem: str, file: str, code: GameError) -> Entry:
    """The first fields of an entry."""
    return {"game_id": game_id_of(stem), "file": file, "error_code": int(code), "error": code.name}


def _entry(log: Chunk, reader: Reader, stem: str, file: str) -> Entry:
    """The entry of one log."""
    games = reader.read(log)
    breaks = rule_break_table(games, lambda _: file, MONTH).to_pylist()
    lines = {entry["round_index"]: entry["line"] for entry in breaks if not entry["is_fragment"]}
    return _heading(stem, file, GameError(int(games.games["error_code"][0]))) | {
        "rounds": [_round(row, lines) for row in round_table(games, MONTH).to_pylist()],
        "fragments": [
            {
                "rule_break": entry["rule_break"],
                "rule_break_text": RuleBreak(entry["rule_break"]).name,
                "line": entry["line"],
                "text": entry["text"],
            }
            for entry in breaks
            if entry["is_fragment"]
        ],
    }


def _round(row: dict[str, Any], lines: dict[int, int]) -> Entry:
    """The entry of a round, from its row of the table rounds."""
    code = row["rule_break"]
    return {
        "round_index": row["round_index"],
        "line": row["line"],
        "player_names": row["player_names"],
        "score": row["score_entry"],
        "replayed_score": None if code else row["replayed_score"],
        "rule_break": code,
        "rule_break_text": f"{RuleBreak(code).name} at line {lines[row['round_index']]}" if code else "",
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
