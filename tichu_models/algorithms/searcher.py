"""A player that searches: iterative deepening to a depth, or to a budget in seconds or positions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tichu_models.algorithms.alphabeta import BEST_REPLY, PARANOID
from tichu_models.algorithms.frames import ENTRY, FRAME, MOST_PLIES, PROGRESS
from tichu_models.algorithms.maxn import HYPERMAX, PLAIN, SHALLOW
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.chance import draw
from tichu_models.game import MOST_SEATS, Game, State

# Which kernel, and what it is told.
RULES = {
    "maxn": ("search_maxn", PLAIN),
    "maxnis": ("search_maxn", SHALLOW),
    "hypermax": ("search_maxn", HYPERMAX),
    "paranoid": ("search_paranoid", PARANOID),
    "brs": ("search_paranoid", BEST_REPLY),
}
SLICE = 5_000  # positions between two looks at the clock
SALT = np.uint64(1)
TABLE = 1 << 20  # positions that a search remembers
ENOUGH = 0.98  # of the seconds: what is left is for who else uses the machine


@dataclass(frozen=True)
class Budget:
    """When a search ends: what is reached first. A search of depth 1 is finished in any case."""

    depth: int = MOST_PLIES - 1
    seconds: float | None = None
    positions: int | None = None


class Choice(NamedTuple):
    """What a search has found."""

    action: int
    values: list[int]  # of the seats; of alpha-beta the root's less the others', and nothing else that means anything
    depth: int  # of the last search that was finished
    positions: int  # evaluated in all
    seconds: float


class Searcher:
    """Searches of one game, with memory of their own. The evaluation is one of the game's, or a network. MaxN may
    remember positions, which changes nothing but its speed."""

    def __init__(self, game: Game, rule: str, evaluation: int | TDNetwork = 0, remembers: bool = False) -> None:
        name, self._how = RULES[rule]
        self._kernel: Any = game.algorithms[name]
        self._evaluation: Any = evaluation
        if isinstance(evaluation, TDNetwork):  # which only MaxN and its kin can ask
            self._kernel, self._evaluation = evaluation.search_kernel, evaluation.as_evaluation
        self._game, self._has_movers = game, name == "search_paranoid"
        plies, most = MOST_PLIES + 1, MOST_SEATS * game.most_actions
        self._states = np.zeros(plies, dtype=game.state)
        self._actions, self._movers = np.zeros((plies, most), dtype=np.int16), np.zeros((plies, most), dtype=np.int8)
        self._frames, self._values = np.zeros(plies, dtype=FRAME), np.zeros(MOST_SEATS, dtype=np.int64)
        self._progress = np.zeros(1, dtype=PROGRESS).view(np.recarray)[0]
        self._table = np.zeros(TABLE if remembers and name == "search_maxn" else 0, dtype=ENTRY)
        self._searches = 0

    def choose(self, state: State, budget: Budget) -> Choice:
        """The best action of the seat that moves, by the deepest search that the budget allows."""
        began, positions = time.perf_counter(), 0
        seconds = math.inf if budget.seconds is None else ENOUGH * budget.seconds
        legal = self._game.legal(state)
        chosen = Choice(legal[0], [], 0, 0, 0.0)
        if len(legal) == 1:
            return chosen
        for depth in range(1, min(budget.depth, MOST_PLIES - 1) + 1):
            self._states[0] = state
            self._progress.ply, self._progress.leaves, self._progress.cut = -1, 0, 0
            self._searches += 1
            self._progress.salt = draw(SALT, self._searches)
            while not self._search(depth, self._slice(budget, positions) if depth > 1 else SLICE):
                spent = time.perf_counter() - began
                if depth > 1 and (spent >= seconds or self._slice(budget, positions) == 0):
                    return chosen._replace(positions=positions + int(self._progress.leaves), seconds=spent)
            positions += int(self._progress.leaves)
            spent, root = time.perf_counter() - began, self._frames[0]
            chosen = Choice(int(root["chosen"]), root["best"].tolist(), depth, positions, spent)
            if spent >= seconds or not self._progress.cut:
                break
        return chosen

    def _slice(self, budget: Budget, positions: int) -> int:
        """How many positions may be evaluated next."""
        if budget.positions is None:
            return SLICE
        return max(min(budget.positions - positions - int(self._progress.leaves), SLICE), 0)

    def _search(self, depth: int, positions: int) -> bool:
        movers, table = ((self._movers,), ()) if self._has_movers else ((), (self._table,))
        return self._kernel(
            *(self._states, self._actions, *movers, self._frames, self._values, *table, self._progress),
            *(depth, self._evaluation, self._how, positions),
        )
