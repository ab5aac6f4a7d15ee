"""Ratings of the agents of a tournament, with their uncertainty: every deal, or game, is a match of two agents.

Whoever made more points of a deal at its two tables together has won the match; equal points are a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from openskill.models import PlackettLuce

# The chance in a single game, larger than the library expects: cards decide much of it.
BETA = 25.0
RATED_DEALS = 5000  # of each pairing; more would only say with false certainty what the margins say better


@dataclass(frozen=True)
class Rating:
    """An agent's strength, as OpenSkill has it."""

    place: int  # among the agents
    name: str
    mu: float
    sigma: float
    matches: int

    @property
    def ordinal(self) -> float:
        """What the agent is worth almost certainly."""
        return self.mu - 3 * self.sigma


def ratings(names: Sequence[str], pairings: Sequence[tuple[int, int]], margins: Sequence[np.ndarray]) -> list[Rating]:
    """The agents, best first. `margins` are the points of each deal for the first of each pairing; deal by deal, all
    pairings play their match."""
    model = PlackettLuce(beta=BETA)
    skills = [model.rating(name=name) for name in names]
    matches = [0] * len(names)
    for deal in range(min(RATED_DEALS, max((len(part) for part in margins), default=0))):
        for (a, b), part in zip(pairings, margins, strict=True):
            if deal < len(part):
                margin = part[deal]
                ranks: list[float] = [1, 1] if margin == 0 else [1, 2] if margin > 0 else [2, 1]
                (skills[a],), (skills[b],) = model.rate([[skills[a]], [skills[b]]], ranks=ranks)
                matches[a] += 1
                matches[b] += 1
    rated = [Rating(place, names[place], skill.mu, skill.sigma, matches[place]) for place, skill in enumerate(skills)]
    return sorted(rated, key=lambda rating: -rating.mu)
