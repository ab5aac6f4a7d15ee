"""Search trees on deals that are known: what they find is what the solver finds, and every simulation is counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tests.makers.positions import PLAYS, Table, cards_of
from tichu_models.agents.choosing import moves_of
from tichu_models.observation.view import VIEW
from tichu_models.rules.asking import ASK_TURN, PLAY, POSITION, next_question, perform
from tichu_models.rules.combinations import cards_of as mask_of_play
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.rules.state import NO_CALL, SMALL
from tichu_models.search.endgame import SOLVING, WORST, solve
from tichu_models.search.position import QUESTIONS, choices
from tichu_models.search.tree import EDGE, NODE, SEARCH_OPTIONS, SEARCH_SCRATCH, TREE, expand, root_statistics, select

LIMIT = 100_000  # positions that the solver may look at
# Hands, and who is on turn.
ENDINGS = {
    "an ace and a three": (("SA S3", "SK S5", "S2 B2", "R9 G9"), 0),
    "a pair or two singles": (("S10 B10 S4", "SK S5", "Dr S2", "R9 G9 R3"), 0),
    "a Phoenix": (("S4", "Ph S5", "S8 B2", "RA G9"), 1),
    "three are left": (("SD S3 B3", "", "S6 S7", "RK G4"), 2),
}


def called() -> Table:
    """Seat 0 has called. Nobody beats the ace: who leads it goes out first, who leads the three does not."""
    return Table("SA S3", "SK", "S2 B2", "R9 G9", turn=0, calls=(SMALL, NO_CALL, NO_CALL, NO_CALL))


class Searched(NamedTuple):
    """What a tree says of each answer at its root."""

    cards: list[frozenset[str]]
    visits: np.ndarray
    values: np.ndarray  # for who is on turn, in points / 100


def table_of(ending: str) -> Table:
    """The round in play."""
    hands, turn = ENDINGS[ending]
    return Table(*hands, turn=turn)


def position_of(table: Table) -> np.ndarray:
    """The round in play as a search steps it: who is on turn is asked for a play."""
    position = np.zeros(1, dtype=POSITION)
    position["state"], position["phase"], position["kind"] = table.state, ASK_TURN, PLAY
    position["seat"] = table.turn
    return position


def searched(table: Table, steps: int, solved: int, even: bool = False) -> Searched:
    """A tree of so many simulations; plays are equally likely, and positions that are not known worth nothing."""
    tree, leaf = np.zeros(1, dtype=TREE), np.zeros(1, dtype=VIEW)
    nodes, edges = np.zeros((1, steps + 50), dtype=NODE), np.zeros((1, 50 * steps), dtype=EDGE)
    options, scratch = np.zeros(1, dtype=SEARCH_OPTIONS)[0], np.zeros(1, dtype=SEARCH_SCRATCH)[0]
    for name, value in {"exploration": 1.5, "width": 64, "solve": solved, "limit": LIMIT, "even": even}.items():
        options[name] = value
    tree["nodes"] = 1
    nodes["position"][0, 0] = position_of(table)[0]
    for _ in range(steps + 1):  # the first opens the root
        if select(tree, nodes, edges, options, scratch, leaf):
            moves = moves_of(leaf)
            expand(tree, nodes, edges, options, *moves, np.full(len(moves.plays), 1 / len(moves.plays)), np.zeros(1))
    leaf["hand"], leaf["trick"] = table.state["hand"][table.turn], table.state["trick"]
    moves = moves_of(leaf)
    visits, values = np.empty(len(moves.plays)), np.empty(len(moves.plays))
    root_statistics(tree, nodes, edges, np.ones(1), 1, *moves, visits, values)
    return Searched([cards_of(mask_of_play(int(play))) for play in moves.plays], visits, values)


def exact_values(table: Table) -> np.ndarray:
    """What each answer is worth by the solver, as `Searched.values`."""
    solving, sign, found = np.zeros(1, dtype=SOLVING)[0], 1 - 2 * (table.turn & 1), []
    position = position_of(table)
    for move in PLAYS["move"][: choices(position[0], PLAYS)].tolist():
        after = position.copy()
        perform(after[0], move)
        next_question(after[0], QUESTIONS, PLAYS)
        found.append(sign * solve(after[0], -WORST, WORST, LIMIT, solving) / VALUE_UNIT)
    return np.array(found)


@pytest.mark.parametrize("ending", ENDINGS)
def test_endings_that_are_solved_have_their_exact_values(ending):
    """A solver's answer with the wrong sign, in the wrong place, or averaged away."""
    table = table_of(ending)
    found = searched(table, 40, solved=16)
    assert (found.visits > 0).all()
    np.testing.assert_allclose(found.values, exact_values(table), atol=1e-9)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_tree_without_a_solver_finds_a_best_play(ending):
    """Values that are backed up to the wrong team: the search would play for its opponents."""
    table = table_of(ending)
    exact = exact_values(table)
    found = searched(table, 3000, solved=0)
    assert exact[found.visits.argmax()] == exact.max()


@pytest.mark.parametrize("solved", [0, 16])
def test_a_call_is_made_with_the_play_that_nobody_beats(solved):
    """A tree that finds the best play only where all plays are as good."""
    found = searched(called(), 200, solved)
    assert found.cards[found.values.argmax()] == {"SA"}
    assert found.cards[found.visits.argmax()] == {"SA"}
    if solved:  # the call, and the king's ten points for the other team
        assert found.values[[{"SA"} == cards for cards in found.cards]] == pytest.approx(0.9)


@pytest.mark.parametrize("even", [False, True])
def test_every_simulation_is_counted_once_at_the_root(even):
    """Simulations that count twice or not at all: shares of visits would be no policy."""
    found = searched(table_of("a pair or two singles"), 60, solved=0, even=even)
    assert found.visits.sum() == 60
    assert not even or np.ptp(found.visits) <= 1
