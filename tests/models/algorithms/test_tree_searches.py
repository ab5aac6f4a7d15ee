"""Searches of game trees, on Chameleon Chess: against plain references, and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tests.oracles.searches import INFINITY, Search
from tichu_models.algorithms.searcher import RULES, Budget, Searcher
from tichu_models.game import OVER
from tichu_models.games.chameleon.views import position_key
from tichu_models.games.registry import game

GAME = game("chameleon")
# Positions evaluated from the beginning of a game of four, at depths 1, 2, ..
LEAVES = {
    "maxn": [13, 169, 2197, 28561],
    "maxnis": [13, 169, 2197, 28561],
    "hypermax": [13, 169, 2197, 12520],
    "paranoid": [13, 44, 440, 5427],
}


def positions(count: int, seed: int = 0):
    """Positions of random games of two, three and four, from their beginnings to their ends."""
    found, key = [], seed
    while len(found) < count:
        options = options_of(GAME, players=("RGYB", "RY", "GYB", "BR")[key % 4])
        state = GAME.new(options)
        for n, action in enumerate(random_game(GAME, options, key).actions):
            if n % 5 == key % 5:
                found.append(GAME.copy(state))
            GAME.kernels.step(state, action)
        key += 1
    return found[:count]


def leaves(searcher: Searcher, state, depth: int) -> int:
    """How many positions the last of the deepening searches evaluated."""
    before = searcher.choose(state, Budget(depth=depth - 1)).positions if depth > 1 else 0
    return searcher.choose(state, Budget(depth=depth)).positions - before


def reference(rule: str, state, depth: int, kind: int):
    """What the plain search of a rule finds."""
    search, root = Search(GAME, kind), GAME.kernels.mover(state)
    if rule in ("maxn", "maxnis"):
        return search.maxn(state, depth)
    if rule == "hypermax":
        players = [seat for seat in range(4) if search.takes_part(state, seat)]
        return search.hypermax(state, depth, players, dict.fromkeys(players, -INFINITY))
    return search.one_against_all(state, depth, root, best_reply=rule == "brs")


@pytest.mark.parametrize("rule", LEAVES)
def test_as_many_positions_as_known(rule):
    """Pruning where there is nothing to prune, or none where there is."""
    searcher = Searcher(GAME, rule)
    state = GAME.new(options_of(GAME))
    assert [leaves(searcher, state, depth) for depth in range(1, 5)] == LEAVES[rule]


@pytest.mark.parametrize("rule", RULES)
def test_searches_are_those_of_the_papers(rule):
    """A value that is taken from the wrong seat, a first action that equals are not decided for, a wrong sign."""
    for n, state in enumerate(positions(24)):
        depth, kind = n % 3 + 1, n % len(GAME.evaluations)
        if len(GAME.legal(state)) == 1:
            continue
        found, expected = (
            Searcher(GAME, rule, kind).choose(state, Budget(depth=depth)),
            reference(rule, state, depth, kind),
        )
        if found.depth == depth:  # else the game is over in every branch, and a deeper search finds the same
            assert found.action == expected.action
            assert found.values[: len(expected.value)] == expected.value


def check_equal(count: int, depths: range, seed: int) -> int:
    """Compares MaxN with and without pruning, with and without a memory; returns how many positions pruning and memory
    have saved, the least of both."""
    plain, saved = Searcher(GAME, "maxn"), np.zeros(3, dtype=np.int64)
    others = (
        Searcher(GAME, "maxnis"),
        Searcher(GAME, "maxn", remembers=True),
        Searcher(GAME, "maxnis", remembers=True),
    )
    for n, state in enumerate(positions(count, seed)):
        for searcher in (plain, *others):
            searcher._evaluation = n % len(GAME.evaluations)
        for depth in depths:
            found = [searcher.choose(state, Budget(depth=depth)) for searcher in others]
            for place, b in enumerate(found):  # it may stop at once, when it has seen a win
                a = plain.choose(state, Budget(depth=b.depth)) if b.depth else b
                assert (a.action, a.values) == (b.action, b.values)
                saved[place] += a.positions - b.positions
    return int(saved.min())


def test_pruned_maxn_is_maxn():
    """A pruning that is quicker because it plays worse; a memory that takes one position for another."""
    assert check_equal(80, range(1, 5), 50) > 0


@pytest.mark.proof
def test_pruned_maxn_is_maxn_in_a_thousand_positions():
    """As above, in more positions."""
    assert check_equal(1000, range(1, 5), 100) > 0


def test_positions_that_differ_have_keys_that_do():
    """Two positions that are taken for one: other limits, another player to move, fewer moves left."""
    keys: dict[int, bytes] = {}
    for key in range(40):
        options = options_of(GAME, players="RGYB", **({"limit": "60"} if key % 2 else {}))
        state = GAME.new(options)
        for action in random_game(GAME, options, key).actions:
            seen = GAME.copy(state)
            seen.limit, seen.moves = max(seen.limit - seen.moves, 0), 0
            assert keys.setdefault(int(position_key(state)), seen.tobytes()) == seen.tobytes()
            GAME.kernels.step(state, action)
    assert len(keys) > 2000


@pytest.mark.parametrize("rule", RULES)
def test_an_interrupted_search_goes_on_where_it_was(rule):
    """A budget of time that changes what a search finds."""
    whole, pieces = Searcher(GAME, rule), Searcher(GAME, rule)
    pieces._slice = lambda *_: 7
    for state in positions(4, 200):
        expected, found = whole.choose(state, Budget(depth=3)), pieces.choose(state, Budget(depth=3))
        assert found._replace(seconds=0) == expected._replace(seconds=0)


@pytest.mark.parametrize("rule", RULES)
def test_budgets_are_kept(rule):
    """A move that takes longer than was asked for, or a depth that was not reached although there was time."""
    searcher, state = Searcher(GAME, rule), GAME.new(options_of(GAME))
    found = searcher.choose(state, Budget(positions=20_000))
    assert 13 < found.positions <= 20_000
    assert searcher.choose(state, Budget(depth=found.depth)).action == found.action
    assert searcher.choose(state, Budget(positions=1)).depth == 1
    searcher.choose(state, Budget(seconds=0.05))
    assert searcher.choose(state, Budget(seconds=0.2)).seconds < 0.5  # of a machine that has other things to do


def test_a_search_that_has_seen_the_end_of_all_games_stops():
    """Sixty searches of the same few positions, until the time is over."""
    for key in range(40):
        made = random_game(GAME, options_of(GAME, players="RY"), key).actions
        state = GAME.new(options_of(GAME, players="RY"))
        for action in made[:-1]:
            GAME.kernels.step(state, action)
        winning = [a for a in GAME.legal(state) if GAME.kernels.mover(after(state, a)) == OVER]
        if 0 < len(winning) == len(GAME.legal(state)) > 1:
            assert Searcher(GAME, "maxn").choose(state, Budget()).depth == 1
            return
    pytest.fail("no position where every move ends the game")


def after(state, action: int):
    """The position after an action."""
    child = GAME.copy(state)
    GAME.kernels.step(child, action)
    return child


def test_a_win_is_taken():
    """A search that does not see that it wins at once."""
    wins = 0
    for state in positions(400, 300):
        who = GAME.kernels.mover(state)
        winning = [a for a in GAME.legal(state) if GAME.returns(after(state, a))[who] == 1]
        if winning:
            wins += 1
            for rule in RULES:
                choice = Searcher(GAME, rule).choose(state, Budget(depth=1))
                assert choice.action in winning or len(GAME.legal(state)) == 1
    assert wins > 3
