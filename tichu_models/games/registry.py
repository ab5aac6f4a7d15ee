"""Which games there are, by name. A game is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from tichu_models.game import Game

# Where each one's GAME is.
MODULES = {
    "chameleon": "tichu_models.games.chameleon.game",
    "clever": "tichu_models.games.clever.game",
    "clever-prototype": "tichu_models.games.clever.prototype.game",
    "dog": "tichu_models.games.pachisi.dog.game",
    "madn": "tichu_models.games.pachisi.madn.game",
}


class UnknownGame(Exception):
    """No game has this name."""


def game(name: str) -> Game:
    """The game of this name."""
    if name not in MODULES:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(MODULES)}")
    return import_module(MODULES[name]).GAME
