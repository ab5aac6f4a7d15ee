"""How large Ganz schön clever is: branching and length of random games."""

from __future__ import annotations

import math

import numpy as np

from tichu_models.algorithms.counting import random_games
from tichu_models.game import Game


def as_json(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games of one to four players, equally many of each."""
    return {"random_games": [_size(game, {"players": str(n)}, n, max(games // 4, 1), seed) for n in range(1, 5)]}


def of_prototype(game: Game, games: int, seed: int) -> dict[str, object]:
    """Random games with two dice, and the number of boards."""
    return {"boards": 1 << 12, "random_games": [_size(game, {}, 1, games, seed)]}


def _size(game: Game, words: dict[str, str], players: int, games: int, seed: int) -> dict[str, float]:
    played = random_games(game, game.read_options(words), games, seed)
    branching, length = float(played.choices.sum() / played.lengths.sum()), float(np.mean(played.lengths))
    return {
        "players": players,
        "branching": branching,
        "length": length,
        "power": length * math.log10(branching),
    }
