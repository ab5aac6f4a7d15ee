"""How large MADN and DOG are: branching and length of random games."""

from __future__ import annotations

import math

import numpy as np

from tichu_models.algorithms.counting import random_games
from tichu_models.game import Game
from tichu_models.games.pachisi.board import PLAYERS


def as_json(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games of two to four players, equally many of each, by the rules with which a game begins."""
    share = max(games // (PLAYERS - 1), 1)
    return {"random_games": [_size(game, players, share, seed) for players in range(2, PLAYERS + 1)]}


def _size(game: Game, players: int, games: int, seed: int) -> dict[str, float]:
    played = random_games(game, game.read_options({"players": str(players)}), games, seed)
    branching, length = float(played.choices.sum() / played.lengths.sum()), float(np.mean(played.lengths))
    power = length * math.log10(branching)
    return {"players": players, "branching": branching, "length": length, "power": power}
