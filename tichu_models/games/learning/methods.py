"""Which methods learn which games: the registry of trainers. A method is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tichu_models.games.learning.trainer import Method

NAMES = ("td", "ppo", "muzero")
# Where the METHOD of each game and name is.
MODULES = {
    ("chameleon", "td"): "tichu_models.games.learning.td",
    **{(name, "td"): "tichu_models.games.learning.solo_td" for name in ("clever", "clever-prototype")},
    **{(name, "ppo"): "tichu_models.games.learning.solo_ppo" for name in ("clever", "clever-prototype")},
    ("madn", "td"): "tichu_models.games.learning.td",
    ("dog", "td"): "tichu_models.games.learning.td",
    **{(name, "ppo"): "tichu_models.games.learning.sides_ppo" for name in ("madn", "dog")},
    ("madn", "muzero"): "tichu_models.games.learning.muzero",
}


class UnknownMethod(Exception):
    """No such method learns the game."""


def methods_of(game: str) -> list[str]:
    """The names of the methods that learn a game."""
    return [name for of, name in MODULES if of == game]


def offer(game: str) -> str:
    """Which methods there are for a game, as the end of a message."""
    return f"expected {', '.join(methods_of(game)) or 'no method: none learns it yet'}"


def run_folder(root: Path, game: str, run: str) -> Path:
    """The folder of a run of a game, below the folder of all games."""
    return root / game / run


def method_of(game: str, name: str) -> Method:
    """The method of this name for a game."""
    if (game, name) not in MODULES:
        raise UnknownMethod(f"{game} is not learned by {name!r}; {offer(game)}")
    return import_module(MODULES[game, name]).METHOD
