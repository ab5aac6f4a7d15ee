"""What an agent is: it answers batches of views, and declares what it needs and what it can say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Opinion(NamedTuple):
    """What an agent thinks of the legal plays of one decision."""

    plays: np.ndarray  # packed plays, 0 for the pass
    scores: np.ndarray  # the higher, the rather it plays them; on a scale of its own
    values: np.ndarray | None = None  # points by which the own team would win, where it reckons them
    visits: np.ndarray | None = None  # how often a search tried each


class Agent(ABC):
    """A player. Its answers depend on nothing but what it was built with and what it is asked."""

    name: str
    past: int = 0  # latest turns that it needs in its views
    wants: tuple[str, ...] = ()  # what else it needs to choose a play, by the names of `arena.extras`
    timed: bool = False  # whether it thinks for a time, so that its games cannot be repeated
    # By kind of decision: the run whose network answers it, None for rules of thumb. Empty without networks.
    answered_by: Mapping[str, str | None] = {}

    @abstractmethod
    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One int64 answer for each VIEW, as `rules.asking` describes them."""

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion | None:
        """What it thinks of the plays of a single view; None where it has no more to say than its choice."""
        return None
