"""What a kind of quirk is: its name, the code that a correct reader reports, how often it occurs, the edit.

A quirk is an oddity (legal, code 0) or a rule break. The kinds stand in `oddities`, `breaks_in_deal`,
`breaks_in_play` and `whole_games`; who gets which, in `quirks`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tichu_pipeline.brettspielwelt.corpus.gametext import GameText
from tichu_pipeline.brettspielwelt.corpus.roundtext import RoundText

LEAST = 20  # of each kind in a corpus, however rare it is
GAMES_FOR_ONE = 8  # a corpus below LEAST times so many games has not room enough for so many
ROUNDS_A_GAME = 9.4
REAL_GAMES, REAL_ROUNDS = 2_411_514, 22_458_253

T = TypeVar("T")


def least(games: int) -> int:
    """How many of each kind a corpus gets at least."""
    return min(LEAST, -(-games // GAMES_FOR_ONE))


def pick(rng: np.random.Generator, items: Sequence[T]) -> T | None:
    """One of the items by chance; None if there is none."""
    return items[int(rng.integers(len(items)))] if items else None


def shuffled(rng: np.random.Generator, items: Sequence[T]) -> list[T]:
    """The items in an order by chance."""
    return [items[int(i)] for i in rng.permutation(len(items))]


@dataclass(frozen=True)
class RoundKind:
    """A quirk within one round. The edit gives the round's new lines, None if it does not fit this round."""

    name: str
    edit: Callable[[RoundText, np.random.Generator], list[str] | None]
    rule_break: int = 0
    share: float = 0.0  # of the rounds of the real corpus

    def wanted(self, games: int) -> int:
        """How many of them a corpus gets."""
        return max(least(games), round(self.share * games * ROUNDS_A_GAME))


WHOLE_GAME = -1


@dataclass(frozen=True)
class GameKind:
    """A quirk of a whole game. The edit changes the game in place, if it fits.

    It is told which rounds are still untouched, and gives the number of the round to which the quirk belongs,
    or WHOLE_GAME; None if it does not fit.
    """

    name: str
    edit: Callable[[GameText, Collection[int], np.random.Generator], int | None]
    rule_break: int = 0
    share: float = 0.0  # of the games of the real corpus

    def wanted(self, games: int) -> int:
        """How many of them a corpus gets."""
        return max(least(games), round(self.share * games))


@dataclass(frozen=True)
class FileKind:
    """What stands in a file instead of a game."""

    name: str
    lines: tuple[str, ...]
    rule_break: int
    share: float = 0.0  # of the files of the real corpus

    def wanted(self, games: int) -> int:
        """How many of them a corpus gets; a very small one shall keep its games."""
        return max(min(LEAST, games // GAMES_FOR_ONE), round(self.share * games))
