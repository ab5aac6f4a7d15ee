"""Games for tests: options by words, random games, and some of them as text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.paths import GOLDEN
from tichu_models.game import CHANCE, Game
from tichu_models.games.registry import ELSEWHERE, MODULES, game

FOLDER = GOLDEN / "games"
RENEW = "python -m tests.makers.games"
SHOWN = 40  # actions of a playthrough


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


def playthrough(of: Game, options: np.ndarray) -> str:
    """Three random games as text: the first actions as a person reads them, then how many there were and who won."""
    lines = []
    for key in range(3):
        state, actions = of.new(options, key), random_game(of, options, key).actions
        lines.append(f"key {key}")
        for made, action in enumerate(actions):
            while of.kernels.mover(state) == CHANCE:
                of.kernels.chance(state)
            if made < SHOWN:
                lines.append(f"  {of.seats[of.kernels.mover(state)]} {of.notation.say_action(state, action)}")
            of.kernels.step(state, action)
        lines.append(f"  {len(actions)} actions, {' '.join(f'{each:g}' for each in of.returns(state))}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in (*MODULES, *ELSEWHERE):
        (FOLDER / f"{name}.txt").write_text(playthrough(game(name), options_of(game(name))))
