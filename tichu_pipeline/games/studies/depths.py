"""The depth policy: how long MaxN takes to each depth in positions of random games, and which depth a second allows.

The number of pawns on the board is the condition: with fewer pawns there are fewer moves. The policy takes, for each
number, the greatest depth that no position has exceeded the limit with, and is tried in positions of other games.
Iterative deepening, which players here use, needs no such table and is measured beside it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.algorithms.searcher import Budget, Searcher
from tichu_models.chance import draw as drawn
from tichu_models.chance import draw_below
from tichu_models.game import Game, State
from tichu_models.games.learning.evaluation import match_options
from tichu_models.games.registry import game
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

GROUPS = ((2, 4), (5, 7), (8, 10), (11, 13), (14, 16))  # pawns on the board, from .. to


def find(_: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Positions of random games, searched deeper and deeper until the limit is exceeded."""
    of, rows = game("chameleon"), []
    Searcher(of, "maxnis").choose(of.new(match_options(of)), Budget(depth=2))  # what has to be loaded takes no time
    for state in _positions(of, size["positions"], 1):
        pawns, searcher = int(state.pawns.sum()), Searcher(of, "maxnis")
        for depth in range(1, size["depth"] + 1):
            began = time.process_time()
            found = searcher.choose(state, Budget(depth=depth))
            seconds = time.process_time() - began
            rows.append({"pawns": pawns, "depth": depth, "seconds": seconds, "leaves": found.positions})
            if seconds > size["seconds"] or found.depth < depth:
                break
    facts = {"limit": size["seconds"], "positions": size["positions"], "searches": rows}
    return {**facts, "tried": _tried(of, size, facts), "budget": _budgets(of, size)}


def _tried(of: Game, size: Mapping[str, Any], facts: Mapping[str, Any]) -> list[dict[str, float]]:
    """Searches to the depth that the policy says, in positions of other games."""
    found, depths = [], [each["depth"] for each in policy(facts)]
    for state in _positions(of, size["tried"], 2):
        pawns = int(state.pawns.sum())
        depth = next(depth for (_, most), depth in zip(GROUPS, depths, strict=True) if pawns <= most)
        began = time.process_time()
        Searcher(of, "maxnis").choose(state, Budget(depth=max(1, depth)))
        found.append({"pawns": pawns, "depth": depth, "seconds": time.process_time() - began})
    return found


def _positions(of: Game, count: int, seed: int) -> list[State]:
    """One position of each of so many random games, before one of its first 96 moves."""
    found: list[State] = []
    options, key = match_options(of), np.uint64(seed)
    while len(found) < count:
        key = np.uint64(drawn(key, 7))
        state, until = of.new(options), int(draw_below(key, 0, 96))
        for at in range(until):
            if not (legal := of.legal(state)):
                break
            of.kernels.step(state, legal[int(draw_below(key, at + 1, len(legal)))])
        if len(of.legal(state)) > 1:
            found.append(of.copy(state))
    return found


def _budgets(of: Game, size: Mapping[str, Any]) -> list[dict[str, float]]:
    """What iterative deepening reaches within the limit, and how long it takes, in some of the positions."""
    found = []
    for state in _positions(of, size["timed"], 1):
        began = time.perf_counter()
        choice = Searcher(of, "maxnis").choose(state, Budget(seconds=size["seconds"]))
        found.append({"depth": choice.depth, "seconds": time.perf_counter() - began})
    return found


def policy(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The depth for each number of pawns: the greatest that was finished everywhere within the limit."""
    found = []
    for least, most in GROUPS:
        rows = [each for each in facts["searches"] if least <= each["pawns"] <= most]
        depths = sorted({each["depth"] for each in rows})
        slowest = {depth: max(each["seconds"] for each in rows if each["depth"] == depth) for depth in depths}
        chosen = 0
        for depth in depths:
            if slowest[depth] > facts["limit"]:
                break
            chosen = depth
        found.append({"pawns": f"{least} to {most}", "depth": chosen, "slowest": slowest})
    return found


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """The slowest search by pawns and depth, the policy, and what iterative deepening reaches."""
    chosen = policy(facts)
    depths = sorted({each["depth"] for each in facts["searches"]})
    rows = [
        (
            each["pawns"],
            *(f"{1000 * each['slowest'][depth]:.1f}" if depth in each["slowest"] else "" for depth in depths),
            str(each["depth"]),
        )
        for each in chosen
    ]
    about = f"The slowest search of MaxN with pruning, in ms of CPU time, over {facts['positions']} random positions."
    found = [Table(about, ("pawns", *(f"depth {depth}" for depth in depths), "depth to take"), rows)]
    if tried := facts.get("tried"):
        times = [each["seconds"] for each in tried]
        over = sum(each > facts["limit"] for each in times)
        about = f"Searches to these depths in {len(tried)} positions of other random games."
        rows = [(f"{np.median(times):.3f} s", f"{max(times):.3f} s", str(over))]
        found.append(Table(about, ("median", "slowest", f"over {facts['limit']:g} s"), rows))
    if timed := facts["budget"]:
        median = float(np.median([each["depth"] for each in timed]))
        slowest = max(each["seconds"] for each in timed)
        about = f"Iterative deepening with {facts['limit']:g} s a move, in {len(timed)} random positions."
        found.append(Table(about, ("median depth", "slowest move"), [(f"{median:g}", f"{slowest:.3f} s")]))
    return found


def draw(facts: Mapping[str, Any], path: Path) -> None:
    """Time by depth, a line for each number of pawns."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for each in policy(facts):
        if each["slowest"]:
            axes.plot(list(each["slowest"]), list(each["slowest"].values()), marker=".", label=f"{each['pawns']} pawns")
    axes.axhline(facts["limit"], color="gray", linestyle=":")
    axes.set(yscale="log", xlabel="depth", ylabel="slowest search, seconds", title="MaxN with pruning")
    axes.legend()
    save(figure, path)


STUDY = Study(
    "The depth policy: how deep a search may be within a second",
    {
        "smoke": {"positions": 6, "depth": 2, "seconds": 1.0, "tried": 2, "timed": 0},
        "demo": {"positions": 20, "depth": 4, "seconds": 0.05, "tried": 10, "timed": 10},
        "laptop": {"positions": 400, "depth": 12, "seconds": 1.0, "tried": 400, "timed": 200},
    },
    find,
    tables,
    draw,
)
