"""Ratings of the agents of a tournament, by OpenSkill: each deal or game is a match of two agents.

The agent with more points at both tables of a deal together wins the match; equal points are a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from openskill.models import PlackettLuce

BETA = 25.0  # the share of chance in a match, larger than OpenSkill's default: cards decide much of it
RATED_DEALS = 5000  # of each pairing; more would make sigma too small


@dataclass(frozen=True)
class Rating:
    """An agent's strength in OpenSkill's terms."""

    place: int  # of the agent in the tournament's list
    name: str
    mu: float
    sigma: float
    matches: int

    @property
    def ordinal(self) -> float:
        """The strength that the agent almost certainly has."""
        return self.mu - 3 * self.sigma


def ratings(names: Sequence[str], pairings: Sequence[tuple[int, int]], margins: Sequence[np.ndarray]) -> list[Rating]:
    """Ratings of the agents, best first. `margins` are the points of each deal for the first agent of each pairing. The
    matches are rated deal by deal, over all pairings."""
    model = PlackettLuce(beta=BETA)
    skills = [model.rating(name=name) for name in names]
    matches = [0] * len(names)
    for deal in range(min(RATED_DEALS, max((len(points) for points in margins), default=0))):
        for (a, b), points in zip(pairings, margins, strict=True):
            if deal < len(points):
                margin = points[deal]
                ranks: list[float] = [1, 1] if margin == 0 else [1, 2] if margin > 0 else [2, 1]
                (skills[a],), (skills[b],) = model.rate([[skills[a]], [skills[b]]], ranks=ranks)
                matches[a] += 1
                matches[b] += 1
    rated = [Rating(place, names[place], skill.mu, skill.sigma, matches[place]) for place, skill in enumerate(skills)]
    return sorted(rated, key=lambda rating: -rating.mu)
