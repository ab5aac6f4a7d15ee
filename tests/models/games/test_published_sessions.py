"""Chameleon Chess: the published sessions of four searches come out, if Paranoid has the fault of the published one."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.oracles.searches import Search
from tichu_models.algorithms.searcher import Budget, Searcher
from tichu_models.game import State
from tichu_models.games.learning.evaluation import match_options
from tichu_models.games.registry import game
from tichu_pipeline.games.studies.sessions import PUBLISHED, SEARCHES

CHAMELEON = game("chameleon")


class Chooser:
    """The four searches to a depth; each position is searched once."""

    def __init__(self, depth: int) -> None:
        self.depth, self.known = depth, dict[tuple[str, bytes], int]()
        self.searchers = {name: Searcher(CHAMELEON, name) for name in SEARCHES[:3]}

    def choose(self, name: str, state: State) -> int:
        """The action of a search."""
        key = (name, state.tobytes())
        if key not in self.known:
            self.known[key] = self._search(name, state)
        return self.known[key]

    def _search(self, name: str, state: State) -> int:
        if name in self.searchers:
            return self.searchers[name].choose(state, Budget(depth=self.depth)).action
        found = Search(CHAMELEON, 0).published_paranoid(state, self.depth, int(CHAMELEON.kernels.mover(state)))
        assert found.action is not None
        return found.action


def session(depth: int) -> dict[str, list[int]]:
    """Wins, draws and losses over all orders."""
    chooser, counts = Chooser(depth), {name: [0, 0, 0] for name in SEARCHES}
    for order in permutations(SEARCHES):
        state = CHAMELEON.new(match_options(CHAMELEON))
        while (who := CHAMELEON.kernels.mover(state)) >= 0:
            CHAMELEON.kernels.step(state, chooser.choose(order[who], state))
        for name, won in zip(order, CHAMELEON.returns(state), strict=True):
            counts[name][0 if won == 1 else 1 if won > 0 else 2] += 1
    return counts


def published(depth: int) -> dict[str, list[int]]:
    """Likewise, as published."""
    return {name: [*map(int, text.split("/"))] for name, text in zip(SEARCHES, PUBLISHED[depth], strict=True)}


@pytest.mark.parametrize("depth", [1, 3])
def test_sessions_are_the_published_ones(depth):
    """A difference between the searches that nobody can explain."""
    assert session(depth) == published(depth)


def test_two_moves_ahead_one_game_is_another():
    """As above. MaxN and MaxNIS are the same search here, and draw two games that each of the published ones wins."""
    assert published(2) == {**session(2), "maxn": [5, 4, 15], "maxnis": [5, 4, 15]}
    assert session(2)["maxn"] == session(2)["maxnis"] == [4, 6, 14]
