"""Reads and checks logs without a data folder, for `tichu inspect`. The results are plain data.

The reader and the tables are those of ingest; this module turns their rows into the documented JSON. A file that cannot
be read becomes an entry without rounds, and `report` is called with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.records.history import turns
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.cards import LABELS, labels
from tichu_pipeline.brettspielwelt.archives.inflate import BUFFER_BYTES, Chunk, chunk_of, file_content, inflate
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT, printable
from tichu_pipeline.brettspielwelt.archives.scan import archived_logs
from tichu_pipeline.brettspielwelt.text.reader import Reader
from tichu_pipeline.rounds.arrow import round_table, rule_break_table

MONTH = "0001-01"  # a stand-in, since a single file has no month; the columns are left out
LONGEST_ID = 18  # digits of a game id

Entry = dict[str, Any]
Report = Callable[[str], None]  # called with the reason why a file could not be read


def inspect(paths: list[Path], report: Report) -> Iterator[Entry]:
    """One entry a log, in the order of the paths; in a folder by name, in an archive in the order of its directory."""
    reader = Reader()
    for path in paths:
        if path.is_dir():
            for file in _files_below(path, report):
                yield from _of_file(file, reader, report)
        elif path.exists():
            yield from _of_file(path, reader, report)
        else:
            report(f"{printable(str(path))}: there is no such file; expected .tch files, folders or zips of them")


def _files_below(folder: Path, report: Report) -> Iterator[Path]:
    """The logs and archives below a folder, sorted."""

    def failed(error: OSError) -> None:
        report(f"{printable(error.filename)}: it cannot be read ({error.strerror}); see that you may read it")

    for place, below, names in os.walk(folder, onerror=failed):
        below.sort()
        for name in sorted(names, key=lambda name: (len(name), name)):  # ids in numerical order
            if Path(name).suffix.lower() in (".tch", ".zip"):
                yield Path(place, name)


def _of_file(path: Path, reader: Reader, report: Report) -> Iterator[Entry]:
    name = printable(str(path))
    if path.suffix.lower() == ".zip":
        yield from _of_archive(path, name, reader, report)
        return
    try:
        content = file_content(path.resolve(), SIZE_LIMIT)
    except OSError as error:
        report(
            f"{name}: it cannot be read ({error.strerror or error}); expected a .tch file, a folder or a zip of them"
        )
        yield _unreadable(path.stem, name)
        return
    if len(content) > SIZE_LIMIT:
        report(f"{name}: it has more than {SIZE_LIMIT:,} bytes, far more than a log; see what it is")
        yield _unreadable(path.stem, name)
        return
    yield _entry(chunk_of(content), reader, path.stem, name)


def _of_archive(path: Path, name: str, reader: Reader, report: Report) -> Iterator[Entry]:
    members, problems = archived_logs(path)
    for problem in problems:
        file = f"{name}:{problem.member}" if problem.member else name
        report(f"{file}: {problem.reason}; {problem.remedy}")
        yield _unreadable(Path(problem.member).stem, file)
    buffer = np.empty(BUFFER_BYTES, dtype=np.uint8)
    for i in range(len(members)):
        log, file = inflate(members[i : i + 1], buffer), f"{name}:{members.member(i)}"
        if len(log):
            yield _entry(log, reader, str(members.game_ids[i]), file)
            continue
        for problem in log.problems:
            report(f"{file}: {problem.reason}; {problem.remedy}")
        yield _unreadable(str(members.game_ids[i]), file)


def _unreadable(stem: str, file: str) -> Entry:
    """The entry of a log that cannot be read."""
    return _heading(stem, file, GameError.UNREADABLE) | {"rounds": [], "fragments": []}


def _heading(stem: str, file: str, code: GameError) -> Entry:
    """The first fields of an entry."""
    is_id = stem.isascii() and stem.isdecimal() and len(stem) <= LONGEST_ID
    return {"game_id": int(stem) if is_id else None, "file": file, "error_code": int(code), "error": code.name}


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
