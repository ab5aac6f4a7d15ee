"""How large Chameleon Chess is: exact numbers of arrangements, and branching and length of random games."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

from tichu_models.algorithms.counting import random_games
from tichu_models.game import Game
from tichu_models.games.chameleon.board import FIELDS, SIDE
from tichu_models.games.chameleon.rules import PAWNS, PLAYERS, SMALLEST


class Size(NamedTuple):
    """Games of so many players, by games of random moves."""

    players: int
    branching: float  # legal moves at a time
    length: float  # moves
    power: float  # branching to the power of length is ten to the power of this


def arrangements(fields: int, pawns: int = PLAYERS * PAWNS) -> int:
    """How many ways there are to put one or more of the pawns on fields."""
    return sum(math.comb(fields, n) * math.perm(pawns, n) for n in range(1, min(fields, pawns) + 1))


def smallest_boards() -> int:
    """The arrangements on all boards of the smallest size."""
    return (SIDE - SMALLEST + 1) ** 2 * arrangements(SMALLEST**2)


def sizes(game: Game, games: int, seed: int) -> list[Size]:
    """Games of two, three and four, every line-up equally often."""
    found = []
    for players in range(2, PLAYERS + 1):
        line_ups = ["".join(each) for each in combinations(game.seats, players)]
        played = [
            random_games(game, game.read_options({"players": each}), max(games // len(line_ups), 1), seed)
            for each in line_ups
        ]
        moves = sum(int(each.lengths.sum()) for each in played)
        branching = sum(int(each.choices.sum()) for each in played) / moves
        length = moves / sum(len(each.lengths) for each in played)
        found.append(Size(players, branching, length, length * math.log10(branching)))
    return found


def as_json(game: Game, games: int, seed: int) -> dict[str, object]:
    """All of it."""
    return {
        "arrangements": arrangements(FIELDS),
        "arrangements_on_smallest_boards": smallest_boards(),
        "random_games": [size._asdict() for size in sizes(game, games, seed)],
    }
