"""The strongest players of games, which ship with the package: a run for each game in `champions/<game>/`, and how the
agent `champion` plays with it, whatever a data folder has. `tichu_pipeline.tools.ship_game_champion` writes them."""

from __future__ import annotations

from pathlib import Path

from tichu_models.games.learning.methods import run_folder
from tichu_models.runs.files import MANIFEST

CHAMPION = "champion"  # an agent, and the run that it plays with
RECORD = "champion.json"  # where a run comes from, and what it is worth
FOLDER = Path(__file__).parent / "champions"
# What the agent `champion` stands for.
AGENTS = {
    "chameleon": "maxnis:seconds=1,evaluation=td:champion",
    "clever": "td:champion,rolls=32",
    "dog": "td:champion",
}


def shipped_folder(game: str) -> Path:
    """The folder of the run that ships for a game."""
    return FOLDER / game


def has_champion(game: str) -> bool:
    """Whether a player of the game ships."""
    return (shipped_folder(game) / MANIFEST).exists()


def folder_of(runs: Path | None, game: str, run: str) -> Path | None:
    """The folder of a run of a game in the data folder. The run `champion` is the one that ships, unless there is one
    of this name. None if there is no data folder."""
    folder = None if runs is None else run_folder(runs, game, run)
    if run == CHAMPION and has_champion(game) and not (folder and (folder / MANIFEST).exists()):
        return shipped_folder(game)
    return folder
