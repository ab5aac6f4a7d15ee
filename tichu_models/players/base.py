"""`Agent`, the interface of all players: it answers batches of views and declares what it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Opinion(NamedTuple):
    """What an agent thinks of the legal plays of one decision."""

    plays: np.ndarray  # packed plays, 0 for the pass
    scores: np.ndarray  # the agent prefers higher ones; only their order can be compared between agents
    values: np.ndarray | None = None  # points by which the own team is expected to win, if the agent estimates them
    visits: np.ndarray | None = None  # simulations of each play, if the agent searches


class Agent(ABC):
    """A player. An answer depends only on how the agent was built and on the question: no state is kept in between."""

    name: str
    past: int = 0  # how many of the latest turns its views must hold
    wants: tuple[str, ...] = ()  # extras that it needs to choose a play, by their names in `arena.extras`
    timed: bool = False  # whether it thinks for a given time, so that its games cannot be repeated exactly
    # By kind of decision: the run whose network answers it, None for rules of thumb. Empty for agents without networks.
    answered_by: Mapping[str, str | None] = {}

    @abstractmethod
    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One int64 answer for each view; `rules.asking` says how answers are encoded."""

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion | None:
        """The agent's opinion of the legal plays of a single view; None if it has nothing but its choice."""
        return None
