"""Games for tests: options by words, and random games."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.game import Game


class RandomGame(NamedTuple):
    """The actions of a random game, and how many were legal each time."""

    actions: list[int]
    widths: list[int]


def options_of(game: Game, **words: str) -> np.ndarray:
    """Options by words."""
    return game.read_options(words)


def random_game(game: Game, options: np.ndarray, key: int) -> RandomGame:
    """A game of random actions."""
    made, widths = np.zeros(game.bound, dtype=np.int16), np.zeros(game.bound, dtype=np.int64)
    actions = np.zeros(game.most_actions, dtype=np.int16)
    n = game.algorithms["play_random"](game.blank(), options, np.uint64(key), game.bound, actions, made, widths)
    return RandomGame(made[:n].tolist(), widths[:n].tolist())
