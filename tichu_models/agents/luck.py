"""What the luck of the cards promises team 20, by a ValueNet: a control variate for tournaments.

A deal is taken as if everybody gave away cards by the rules of thumb, and each seat were about to lead: a matter of the
cards alone, not of who plays. Turning the deal by a seat turns the sign, exactly, so that it is 0 on average, whatever
the network has learned. At the two tables of a duplicate deal it is the same and cancels, as luck shall; in whole games
it says something about the rounds that were played at one of the tables only.
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
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import STATE, begin_round, exchange

if TYPE_CHECKING:
    from tichu_models.agents.neural.network import Network

SIGNS = np.array([0.5, -0.5, 0.5, -0.5])  # each team's value is the mean of its two seats'


@kernel
def leads_of(rows, state, plays, views):
    """The view of each seat of every deal as if it were about to lead, (4 n)."""
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
    """A tournament's control by the ValueNet of a run; goes to other processes as the run's name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def checked(self) -> Luck:
        """Itself, if the run has a ValueNet."""
        _network(self.folder)
        return self

    def __call__(self, rounds: Rounds) -> np.ndarray:
        """For each round, by how many points team 20 should win."""
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
