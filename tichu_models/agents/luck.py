"""Luck: a control variate for tournaments, the points that a deal promises team 20 by a ValueNet.

The ValueNet judges each seat's cards as if everybody had schupfed by the rules of thumb and the seat were about to
lead, so that luck depends on the cards and not on who plays. A deal turned by one seat has exactly the opposite luck;
its mean is therefore 0, whatever the network has learned. The two tables of a duplicate deal have the same luck, which
cancels; in whole games luck explains the rounds that only one of the tables has played.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tichu_models.kernels import kernel
from tichu_models.observation.view import VIEW, see
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.records.schema import Rounds
from tichu_models.rules.asking import PLAY, SCHUPF, given_card
from tichu_models.rules.legal import Plays, new_buffer
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import STATE, State, begin_round, exchange

if TYPE_CHECKING:
    from tichu_models.agents.neural.network import Network

SIGNS = np.array([0.5, -0.5, 0.5, -0.5])  # each team's value is the mean of its two seats'


@kernel
def leads_of(rows: np.ndarray, state: State, plays: Plays, views: np.ndarray) -> None:
    """The views of all four seats of each round (4 n), each as if the seat were about to lead."""
    given = np.empty((4, 3), dtype=np.int8)
    for i in range(len(rows)):
        begin_round(state, rows[i].first, rows[i].start, 0, 0, 0, 0)
        for seat in range(4):
            see(state, seat, SCHUPF, np.uint64(0), views[4 * i])
            choice = choose_by_rule(views[4 * i], 0.0, plays)
            for to in range(3):
                given[seat, to] = given_card(choice, to)
        exchange(state, given)
        for seat in range(4):
            view = views[4 * i + seat]
            see(state, seat, PLAY, np.uint64(0), view)
            view.turn = view.start_player = seat


class Luck:
    """The control variate of a tournament, by the ValueNet of a run. It is pickled without the network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def checked(self) -> Luck:
        """Itself; raises CheckpointError if the run has no usable ValueNet."""
        _network(self.folder)
        return self

    def __call__(self, rounds: Rounds) -> np.ndarray:
        """For each round, the points by which team 20 should win it."""
        views = np.zeros(4 * len(rounds), dtype=VIEW)
        leads_of(rounds.rows, np.zeros(1, dtype=STATE)[0], new_buffer(), views)
        from tichu_models.agents.neural.gc_agent import expected_by

        if len(rounds) == 0:
            return np.zeros(0)
        return VALUE_UNIT * expected_by(_network(self.folder), views).reshape(-1, 4) @ SIGNS


@lru_cache(maxsize=4)
def _network(folder: Path) -> Network:
    from tichu_models.agents.neural.network import Network

    return Network(folder, "ValueNet")
