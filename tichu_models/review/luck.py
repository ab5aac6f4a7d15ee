"""Luck: what a deal was worth, by the critic of the champion, which sees all hands before anybody has announced.

The critic is fixed before any round is seen. It judges the deal from each of the four seats: a deal that is turned by
one seat has the opposite worth, so that the mean of luck is 0 whatever the critic has learned. Result less luck says
with less noise how well a team has played; nothing of it enters a judgement of decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tichu_models.agents.neural.leaf_critic import LeafCritic
from tichu_models.review.supposed_rounds import begin_rounds
from tichu_models.rules.asking import POSITION
from tichu_models.rules.scoring import VALUE_UNIT

SIGNS = np.array([0.25, -0.25, 0.25, -0.25])  # the mean of what the four seats say of team 20

# Points by which team 20 should win each of some rounds: a function of rounds and the scores before them.
Worth = Callable[[np.ndarray, np.ndarray], np.ndarray]


class CriticsWorth:
    """What deals are worth by the critic of a run. Raises CheckpointError if the run has none."""

    def __init__(self, run: Path) -> None:
        self._critic = LeafCritic(run)

    def __call__(self, rows: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Points by which team 20 should win each round."""
        positions = np.zeros(4 * len(rows), dtype=POSITION)
        begin_rounds(rows, before, positions)
        return VALUE_UNIT * self._critic(positions).reshape(-1, 4) @ SIGNS
