"""Twin rounds: the same deal with the same draws, played twice, once with and once without an announcement.

The difference of their results says what the announcement was worth, without the luck of the deal, with hands too that
would never be announced. Everything after the fork is a round like any other: the critic learns from it what such hands
are worth with an announcement, and the networks for announcements learn that from the critic, or from the differences.
"""

from __future__ import annotations

import numpy as np

from tichu_models.arena.table import fixtures_of
from tichu_models.rl.hall import NO_TWIN
from tichu_models.rl.rollout import Experience, no_forks
from tichu_models.rules.asking import GRAND_CALL, SMALL_CALL, TICHU_CALL

CALLS = (GRAND_CALL, TICHU_CALL, SMALL_CALL)
# How often a fork is at each kind of announcement, and at which of the seat's small Tichus: it is asked every turn.
SHARES = (0.3, 0.1, 0.6)
NTH = (0.75, 0.25)


def twins_of(
    seating: np.ndarray, seed: int, first: int, twins: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Fixtures, and where they fork: the first rounds are pairs of twins, as large a share as asked for."""
    rounds = len(seating)
    fixtures, forks = fixtures_of(seating, seed, first), no_forks(rounds)
    pairs = int(rounds * min(twins, 0.5))
    one, other = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    fixtures[other] = fixtures[one]
    forks["kind"][other] = generator.choice(CALLS, pairs, p=SHARES)
    seats = generator.integers(4, size=pairs)
    seats ^= seating[one][np.arange(pairs), seats] != 0  # a fork is at a seat of the player who learns
    forks["seat"][other] = seats
    forks["nth"][other] = np.where(forks["kind"][other] == SMALL_CALL, 1 + generator.choice(len(NTH), pairs, p=NTH), 1)
    return fixtures, forks


def own_part(experience: Experience) -> np.ndarray:
    """Which decisions to learn from as usual: not those that a twin shares with its round, nor the fork itself, nor any
    of a twin that did not fork."""
    decisions = experience.decisions
    fork = experience.ended["fork"][decisions["round"]]
    return (fork == NO_TWIN) | (decisions["order"] > fork) & (fork >= 0)


def labels_of(experience: Experience) -> tuple[np.ndarray, np.ndarray]:
    """The decisions at which twins left their rounds, and what the announcement was worth to the own team there, in
    points / 100."""
    decisions = experience.decisions
    rows = np.flatnonzero(decisions["fork"] == 1)
    made, worth = decisions[rows], experience.ended["worth"]
    team = made["seat"] & 1
    gain = worth[made["round"], team] - worth[made["round"] - 1, team]
    return rows, np.where(made["chosen"] == 1, gain, -gain).astype(np.float32)
