"""The games of a tournament as Brettspielwelt's logs, in an archive that the ingest stage reads.

A log's number has 18 digits: the last of them are the number of its table, those before stand for the tournament (its
order, and the runs that there are), so that the games of several can lie in one folder. All are of one month, whenever
they were played: the same tournament has the same logs, and is counted once. Who sat at a table stands in its log by
name, without what a name cannot hold. Rounds that were forfeited have no result, and are left out: the log ends before
them.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tichu_models.arena.tournament import TABLES_A_PAIRING, TournamentPart, TournamentRequest
from tichu_models.records.schema import Rounds
from tichu_models.whole_files import whole_file
from tichu_pipeline.brettspielwelt.text.writer import MAX_NAME, NAMES, name_table, write
from tichu_pipeline.storage.months import FIRST_MONTH

NOT_IN_NAMES = re.compile(r"[:\s]")
MONTH = FIRST_MONTH.replace("-", "")
NUMBER_DIGITS = 18  # as many as the id of a game may have
READABLE = 0o644


def log_name(agent: str) -> bytes:
    """An agent's name as a log can hold it."""
    return NOT_IN_NAMES.sub("_", agent).encode()[:MAX_NAME].decode(errors="ignore").encode()


def texts(rounds: Rounds, players: list[str], seating: np.ndarray) -> list[tuple[int, bytes]]:
    """(game, log) of each game; row i of `seating` says who of the players sat where in the i-th round."""
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


def first_number(request: TournamentRequest, stamp: str) -> int:
    """What is added to the number of a table: the tournament's own, of as many digits as are left."""
    of_table = len(str((len(request.pairings) + 1) * TABLES_A_PAIRING))
    least = 10 ** (NUMBER_DIGITS - of_table - 1)
    return (least + int(stamp, 16) % (9 * least)) * 10**of_table


@contextmanager
def game_logs(path: Path, request: TournamentRequest, stamp: str) -> Iterator[Callable[[TournamentPart], None]]:
    """Gives what adds a part of a tournament to a zip with a log a table; the stamp is that of the tournament."""
    first = first_number(request, stamp)
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(part: TournamentPart) -> None:
            played = part.results[part.results["forfeit"] == 0]
            if len(played):
                names = list(request.names(int(played["pairing"][0])))
                seating = (np.arange(4) % 2 != played["team_a"][:, None]).astype(np.int64)
                for game, text in texts(part.rounds, names, seating):
                    entry = zipfile.ZipInfo(f"{MONTH}/{first + game}.tch")
                    entry.external_attr = READABLE << 16
                    archive.writestr(entry, text, zipfile.ZIP_DEFLATED)

        yield add
