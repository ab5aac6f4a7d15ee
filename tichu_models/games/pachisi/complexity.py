"""How large MADN and DOG are: branching and length of random games."""

from __future__ import annotations

from tichu_models.algorithms.counting import size_of_random_games
from tichu_models.game import Game
from tichu_models.games.pachisi.board import PLAYERS


def as_json(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games of two to four players, equally many of each, by the rules with which a game begins."""
    share = max(games // (PLAYERS - 1), 1)
    of = {players: game.read_options({"players": str(players)}) for players in range(2, PLAYERS + 1)}
    return {"random_games": [size_of_random_games(game, options, share, seed) for options in of.values()]}
