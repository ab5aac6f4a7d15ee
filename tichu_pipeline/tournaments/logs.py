"""The games of a tournament as logs of Brettspielwelt, in an archive that the stage `rounds` can read.

The id of a log has 18 digits. The last ones are the number of its table; the first ones come from the tournament's
stamp, so that logs of several tournaments can share a folder. All logs belong to one month, whenever they were played:
the same tournament gives the same logs and is counted once. A forfeited round has no result; the log ends before it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tichu_models.arena.tournament import TABLES_A_PAIRING, TournamentPart, TournamentRequest
from tichu_models.whole_files import whole_file
from tichu_pipeline.brettspielwelt.text.game_logs import texts
from tichu_pipeline.storage.months import FIRST_MONTH

MONTH = FIRST_MONTH.replace("-", "")
NUMBER_DIGITS = 18  # the id of a game may have no more
READABLE = 0o644  # permissions of an archived file


def first_number(request: TournamentRequest, stamp: str) -> int:
    """The offset that makes 18-digit log ids unique to this tournament; the number of the table is added to it."""
    table_digits = len(str((len(request.pairings) + 1) * TABLES_A_PAIRING))
    least = 10 ** (NUMBER_DIGITS - table_digits - 1)
    return (least + int(stamp, 16) % (9 * least)) * 10**table_digits


@contextmanager
def game_logs(path: Path, request: TournamentRequest, stamp: str) -> Iterator[Callable[[TournamentPart], None]]:
    """Opens a zip with a log for each table. Yields a function that adds a part of the tournament. `stamp` is that of
    the tournament."""
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
