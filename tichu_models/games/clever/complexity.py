"""How large Ganz schön clever is: branching and length of random games."""

from __future__ import annotations

from tichu_models.algorithms.counting import size_of_random_games
from tichu_models.game import Game


def as_json(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games of one to four players, equally many of each."""
    of = [game.read_options({"players": str(players)}) for players in range(1, 5)]
    return {"random_games": [size_of_random_games(game, each, max(games // 4, 1), seed) for each in of]}


def of_prototype(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games with two dice, and the number of boards."""
    return {"boards": 1 << 12, "random_games": [size_of_random_games(game, game.read_options({}), games, seed)]}
