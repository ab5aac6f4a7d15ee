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
from tichu_models.kernels import kernel
from tichu_models.rules.asking import ASK_GRAND, GRAND_CALL, POSITION
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import begin_round

SIGNS = np.array([0.25, -0.25, 0.25, -0.25])  # the mean of what the four seats say of team 20

# Points by which team 20 should win each of some rounds: a function of rounds and the scores before them.
Worth = Callable[[np.ndarray, np.ndarray], np.ndarray]


@kernel
def _begin(rows: np.ndarray, before: np.ndarray, positions: np.ndarray) -> None:
    """The beginning of each round, four times: as each seat is asked for a grand Tichu."""
    for i in range(len(rows)):
        row, score = rows[i], before[i]
        for seat in range(4):
            position = positions[4 * i + seat]
            totals = score.total[0], score.total[1], score.last[0], score.last[1]
            begin_round(position.state, row.first, row.start, totals[0], totals[1], totals[2], totals[3])
            position.seat, position.kind, position.phase = seat, GRAND_CALL, ASK_GRAND


class CriticsWorth:
    """What deals are worth by the critic of a run. Raises CheckpointError if the run has none."""

    def __init__(self, run: Path) -> None:
        self._critic = LeafCritic(run)

    def __call__(self, rows: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Points by which team 20 should win each round."""
        positions = np.zeros(4 * len(rows), dtype=POSITION)
        _begin(rows, before, positions)
        return VALUE_UNIT * self._critic(positions).reshape(-1, 4) @ SIGNS
