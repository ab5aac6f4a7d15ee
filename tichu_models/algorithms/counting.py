"""What `walks` counts, for Python: sequences of actions, and figures of random games."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tichu_models.game import Game, State


class RandomGames(NamedTuple):
    """Figures of games of random actions, one each."""

    lengths: np.ndarray  # actions
    choices: np.ndarray  # how many were legal at each of them, together
    results: np.ndarray  # (n, seats): what each seat won


def count_sequences(game: Game, state: State, depth: int) -> list[int]:
    """How many sequences of 1, 2, .. actions there are."""
    states = np.zeros(depth + 1, dtype=game.state)
    states[0] = state
    actions, place = np.zeros((depth + 1, game.most_actions), dtype=np.int16), np.zeros((depth + 1, 2), dtype=np.int64)
    return [int(game.algorithms["perft"](states, actions, place, ply)) for ply in range(1, depth + 1)]


def random_games(game: Game, options: np.ndarray, games: int, seed: int) -> RandomGames:
    """Plays games of random actions."""
    played = RandomGames(
        np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64), np.zeros((games, len(game.seats)))
    )
    actions, made = np.zeros(game.most_actions, dtype=np.int16), np.zeros(game.bound, dtype=np.int16)
    widths = np.zeros(game.bound, dtype=np.int64)
    play = game.algorithms["play_random_games"]
    play(game.blank(), options, np.uint64(seed), game.bound, actions, made, widths, *played)
    return played


def size_of_random_games(game: Game, options: np.ndarray, games: int, seed: int) -> dict[str, float]:
    """How large a game is by random ones: legal actions and length on the average, and about 10^power games."""
    played = random_games(game, options, games, seed)
    branching, length = float(played.choices.sum() / played.lengths.sum()), float(np.mean(played.lengths))
    players = len(game.seats_of(options))
    return {"players": players, "branching": branching, "length": length, "power": length * math.log10(branching)}
