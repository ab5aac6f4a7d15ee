"""Plays one table of a tournament again, and compares the game with the stored one.

A run that has been trained again since would play another game under the same number. The stamp of the tournament shows
it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.arena.tournament import PlayedTournament, TournamentPart, TournamentRequest, play_table
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.tournaments.files import read
from tichu_pipeline.tournaments.running import FromRegistry, stamp_of, tournament_path

# Fields of a round that must be equal in a replay; the others are its place in the tournament, or not of the game.
OF_THE_GAME = (
    *("round_index", "score", "tichu_position", "num_turns", "num_tricks"),
    *("bombs", "winner", "loser", "double", "forfeit", "forfeit_seat"),
)


@dataclass(frozen=True)
class Replay:
    """A table that was played again. None means unknown."""

    request: TournamentRequest
    part: TournamentPart
    same_runs: bool | None = None
    as_played: bool | None = None
    differences: tuple[str, ...] = ()  # from the stored game, as messages


def replay(paths: DataPaths, table: int, request: TournamentRequest) -> Replay:
    """Plays a table of a tournament that is not stored."""
    return Replay(request, play_table(request, FromRegistry(paths.runs), table))


def replay_stored(paths: DataPaths, table: int, name: str) -> Replay:
    """Plays a table of a stored tournament again, and compares it with the stored rounds."""
    path = tournament_path(paths, name)
    played = read(path)
    again = replay(paths, table, played.request)
    same_runs = stored_stamp(path) == stamp_of(played.request, paths)
    differences = [] if same_runs else [f"{paths.runs} holds other runs, or other weights, than when {name} was played"]
    as_played = _as_played(played, again.part, table)
    if as_played is False:
        differences.append(f"table {table} has other results than in {path}")
    return Replay(played.request, again.part, same_runs, as_played, tuple(differences))


def _as_played(played: PlayedTournament, again: TournamentPart, table: int) -> bool | None:
    """Whether the rounds equal those of the file; None if it has none of this table, or an agent is timed."""
    stored = played.results[played.results["table"] == table]
    if len(stored) == 0 or played.timed.intersection(played.request.names(int(again.results["pairing"][0]))):
        return None
    return len(stored) == len(again.results) and all(
        np.array_equal(stored[field], again.results[field]) for field in OF_THE_GAME
    )
