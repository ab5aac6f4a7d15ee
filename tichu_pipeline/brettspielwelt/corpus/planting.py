"""Kinds of quirks: name, the code that a correct reader reports, how often it occurs, the edit of the text.

A quirk is an oddity (legal, code 0) or a rule break. The kinds are in `oddities`, `breaks_in_deal`, `breaks_in_play`
and `whole_games`; `quirks` plants them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tichu_pipeline.brettspielwelt.corpus.gametext import GameText
from tichu_pipeline.brettspielwelt.corpus.roundtext import RoundText

LEAST = 20  # quirks of each kind in a corpus, however rare the kind is
GAMES_FOR_ONE = 8  # games a quirk of each kind, in a corpus too small for LEAST
ROUNDS_A_GAME = 9.4
REAL_GAMES, REAL_ROUNDS = 2_411_514, 22_458_253

T = TypeVar("T")


def least(games: int) -> int:
    """The fewest quirks of each kind in a corpus of this size."""
    return min(LEAST, -(-games // GAMES_FOR_ONE))


def pick(rng: np.random.Generator, items: Sequence[T]) -> T | None:
    """A random item; None if there is none."""
    return items[int(rng.integers(len(items)))] if items else None


def shuffled(rng: np.random.Generator, items: Sequence[T]) -> list[T]:
    """The items in random order."""
    return [items[int(i)] for i in rng.permutation(len(items))]


@dataclass(frozen=True)
class RoundKind:
    """A quirk within one round. The edit returns the round's new lines, or None if it does not fit the round."""

    name: str
    edit: Callable[[RoundText, np.random.Generator], list[str] | None]
    rule_break: int = 0
    share: float = 0.0  # of the rounds in the real corpus

    def number_in(self, games: int) -> int:
        """The number of them in a corpus of this size."""
        return max(least(games), round(self.share * games * ROUNDS_A_GAME))


WHOLE_GAME = -1


@dataclass(frozen=True)
class GameKind:
    """A quirk of a whole game. The edit changes the game in place.

    It gets the numbers of the rounds that are still untouched, and returns the number of the round that the quirk
    belongs to, or WHOLE_GAME; None if it does not fit.
    """

    name: str
    edit: Callable[[GameText, Collection[int], np.random.Generator], int | None]
    rule_break: int = 0
    share: float = 0.0  # of the games in the real corpus

    def number_in(self, games: int) -> int:
        """The number of them in a corpus of this size."""
        return max(least(games), round(self.share * games))


@dataclass(frozen=True)
class FileKind:
    """The content of a file instead of a game."""

    name: str
    lines: tuple[str, ...]
    rule_break: int
    share: float = 0.0  # of the files in the real corpus

    def number_in(self, games: int) -> int:
        """The number of them in a corpus of this size. A very small corpus keeps all of its games."""
        return max(min(LEAST, games // GAMES_FOR_ONE), round(self.share * games))
