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
# Tichu itself, for what knows no game: it has commands and stages of its own.
ELSEWHERE = {"tichu": "tichu_models.arena.as_game.game"}


class UnknownGame(Exception):
    """No game has this name."""


def game(name: str) -> Game:
    """The game of this name."""
    modules = {**MODULES, **ELSEWHERE}
    if name not in modules:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(modules)}")
    return import_module(modules[name]).GAME
