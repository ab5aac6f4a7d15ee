"""Whole games that begin at a score, as 700 : 900: does a player win more of them who knows the score?

Three games have the same cards. In one the player is behind and its opponent leads, in one it leads, and in one the
opponent plays itself: what the player gains behind and ahead is measured against the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.arena.tournament import Make

DEALS_AT_ONCE = 512
MOST_ROUNDS = 50  # of a game, which then goes to who leads: players who only lose points would never end it
# Who plays team 20, which begins with the first score, and team 31: 0 the player, 1 its opponent.
PAIRINGS = ((0, 1), (1, 0), (1, 1))


@dataclass(frozen=True)
class GamesFrom:
    """The games of team 20, of which each deal has one for every pairing: 1 won, 0 lost, .5 drawn."""

    score: tuple[int, int]
    won: np.ndarray  # float64 (deals, pairings)

    def summary(self) -> dict[str, Any]:
        """The share of games that the player wins against its opponent, and how many more it wins than the opponent
        would in its place, with 95 % intervals."""
        first, second, without = self.won.T
        return {
            "score": list(self.score),
            "games": 2 * len(self.won),
            "won": _mean((first + 1 - second) / 2),
            "gain_with_first_score": _mean(first - without),
            "gain_with_second_score": _mean(without - second),
        }


def games_from(
    score: tuple[int, int],
    player: str,
    opponent: str,
    make: Make,
    deals: int,
    seed: int = 0,
    done: Callable[[int], None] = lambda deals: None,
) -> GamesFrom:
    """Plays games that begin at a score; `done` is called with the number of deals played since the last call."""
    agents, parts = [make(player), make(opponent)], []
    for first in range(0, deals, DEALS_AT_ONCE):
        n = min(DEALS_AT_ONCE, deals - first)
        won = [_won(agents, (*pairing, *pairing), score, seed, first, n) for pairing in PAIRINGS]
        parts.append(np.stack(won, axis=1))
        done(n)
    return GamesFrom(score, np.concatenate(parts))


def _won(agents: list, seating: tuple[int, ...], score: tuple[int, int], seed: int, first: int, n: int) -> np.ndarray:
    """What team 20 makes of n games."""
    fixtures = fixtures_of(np.tile(seating, (n, 1)), seed, first)
    fixtures["total"] = score
    rows = lockstep.play(agents, fixtures, MOST_ROUNDS, n).rows
    lead = np.bincount(rows["game_id"] - first, rows["score"] @ [1.0, -1.0], n) + score[0] - score[1]
    return (1 + np.sign(lead)) / 2


def _mean(values: np.ndarray) -> dict[str, Any]:
    """The mean of what deals have shown, and its interval."""
    mean, error = float(values.mean()), 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return {"value": mean, "interval": [mean - error, mean + error]}
