"""One table of a stored tournament played again, and whether that says what it said when it was played.

A tournament keeps what it was made of as a stamp; runs that have been trained anew since would play another game under
the same number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.arena.tournament import PlayedTournament, TournamentPart, TournamentRequest, play_table
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.tournaments.files import read
from tichu_pipeline.tournaments.running import FromRegistry, stamp_of, tournament_path

# What must be the same of a round; the rest is its place in the tournament, or not of the game.
OF_THE_GAME = (
    *("round_index", "score", "tichu_position", "num_turns", "num_tricks"),
    *("bombs", "winner", "loser", "double", "forfeit", "forfeit_seat"),
)


@dataclass(frozen=True)
class Replay:
    """A table that was played again. What cannot be known is None."""

    request: TournamentRequest
    part: TournamentPart
    same_runs: bool | None = None
    as_played: bool | None = None
    differences: tuple[str, ...] = ()  # for people; none if it is the game that was played


def replay(paths: DataPaths, table: int, request: TournamentRequest) -> Replay:
    """Plays a table of a tournament that is not stored."""
    return Replay(request, play_table(request, FromRegistry(paths.runs), table))


def replay_stored(paths: DataPaths, table: int, name: str) -> Replay:
    """Plays a table of a stored tournament, and compares the two."""
    path = tournament_path(paths, name)
    played = read(path)
    found = replay(paths, table, played.request)
    same_runs = stored_stamp(path) == stamp_of(played.request, paths)
    differences = [] if same_runs else [f"{paths.runs} holds other runs, or other weights, than when {name} was played"]
    as_played = _as_played(played, found.part, table)
    if as_played is False:
        differences.append(f"table {table} went otherwise than in {path}")
    return Replay(played.request, found.part, same_runs, as_played, tuple(differences))


def _as_played(played: PlayedTournament, again: TournamentPart, table: int) -> bool | None:
    """Whether the rounds are those of the file; None if it has none of this table, or the clock had a say in them."""
    stored = played.results[played.results["table"] == table]
    if len(stored) == 0 or played.timed.intersection(played.request.names(int(again.results["pairing"][0]))):
        return None
    return len(stored) == len(again.results) and all(
        np.array_equal(stored[field], again.results[field]) for field in OF_THE_GAME
    )
