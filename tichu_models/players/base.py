"""What an agent is: something that answers a batch of views of one kind of decision."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Agent(Protocol):
    """A player. It keeps no state that its answers depend on, other than what it is built with.

    Who wants the latest turns in its views says how many in an attribute `past`. Who must know more of the round so far
    to choose what to play names it in an attribute `wants`, and is handed it by name: see `arena.extras`.
    """

    name: str

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """One int64 choice for each VIEW, as arena.table describes them."""
        ...
