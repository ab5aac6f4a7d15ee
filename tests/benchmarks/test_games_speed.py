"""How fast games and their searches are: absolute figures, and ratios to plain Python in the same run."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
import pytest

from tests.benchmarks.figures import best_seconds, report
from tests.makers.games import options_of, random_game
from tests.oracles import chameleon as plain
from tests.oracles.searches import Search
from tichu_models.algorithms.counting import count_sequences, random_games
from tichu_models.algorithms.searcher import RULES, Budget, Searcher
from tichu_models.games.registry import game

pytestmark = pytest.mark.bench

GAME = game("chameleon")


def seconds_of(work: Callable[[], object]) -> float:
    """How long something takes, once: it is slow."""
    began = perf_counter()
    work()
    return perf_counter() - began


def test_perft():
    """Rules that are right, and too slow to be searched."""
    state, depth = GAME.new(options_of(GAME, players="RY")), 6
    leaves = count_sequences(GAME, state, depth)[-1]
    speed = leaves / best_seconds(lambda: count_sequences(GAME, state, depth))
    report("Chameleon Chess, perft, leaves", speed, 100_000_000)
    slow = plain.perft(plain.begin("RY"), 3) / seconds_of(lambda: plain.perft(plain.begin("RY"), 3))
    print(f"  {speed / slow:,.0f} times as fast as plain Python")


def test_random_games():
    """Self-play that is bound by the rules."""
    moves = int(random_games(GAME, options_of(GAME), 20_000, 1).lengths.sum())
    seconds = best_seconds(lambda: random_games(GAME, options_of(GAME), 20_000, 1))
    report("Chameleon Chess, random moves", moves / seconds, 5_000_000)


@pytest.mark.parametrize("rule", RULES)
def test_searches(rule):
    """A search that sees a ply less than it could."""
    state, searcher = GAME.new(options_of(GAME)), Searcher(GAME, rule)
    positions = searcher.choose(state, Budget(depth=5)).positions
    speed = positions / best_seconds(lambda: searcher.choose(state, Budget(depth=5)))
    report(f"Chameleon Chess, {rule}, positions", speed, 15_000_000)
    if rule == "maxn":
        search = Search(GAME, 0)
        seconds = seconds_of(lambda: search.maxn(state, 3))
        print(f"  {speed * seconds / search.leaves:,.0f} times as fast as plain Python over the same kernels")


def test_depth_in_a_second():
    """A budget in seconds that buys fewer plies than it did; a move that takes longer than its second."""
    searcher, depths, longest = Searcher(GAME, "maxnis"), [], 0.0
    for key in range(4):
        state = GAME.new(options_of(GAME))
        for n, action in enumerate(random_game(GAME, options_of(GAME), key).actions):
            if n % 10 == key and len(GAME.legal(state)) > 1:
                found = searcher.choose(state, Budget(seconds=1.0))
                depths.append(found.depth)
                longest = max(longest, found.seconds)
            GAME.kernels.step(state, action)
    print(f"  plies in a second: median {np.median(depths):.0f} of {len(depths)}; the longest took {longest:.3f} s")
    assert np.median(depths) >= 6
