"""What kind of game each one is, as games of random actions show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tichu_models.algorithms.counting import random_games
from tichu_models.game import CHANCE, OVER, Game
from tichu_models.games.registry import MODULES, game
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths


def find(_: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of each game, and what random games with the usual options have shown."""
    return {"games": [_properties(game(name), size["games"]) for name in MODULES]}


def _properties(of: Game, games: int) -> dict[str, Any]:
    options = of.read_options({})
    played = random_games(of, options, games, 1)
    sums = played.results.sum(axis=1)
    return {
        "name": of.name,
        "seats": of.seats,
        "played": games,
        "chance": _has_chance(of, options),
        "open": _is_open(of, options),
        "constant_sum": bool(np.allclose(sums, sums[0])) and len(of.seats_of(options)) > 1,
        "longest": int(played.lengths.max()),
        "bound": of.bound,
        "unfinished": int((played.lengths >= of.bound).sum()),
        "shared": int(((played.results > 0).sum(axis=1) > 1).sum()) if of.total is not None else None,
    }


def _has_chance(of: Game, options: np.ndarray) -> bool:
    """Whether chance acts, or decides what an action does: one list of actions gives another game with another key."""
    first, second = of.new(options, 1), of.new(options, 2)
    for _ in range(of.bound):
        who = of.kernels.mover(first)
        if who == CHANCE or first.tobytes() != second.tobytes():
            return True
        if who == OVER:
            return False
        action = of.legal(first)[0]
        of.kernels.step(first, action)
        of.kernels.step(second, action)
    return False


def _is_open(of: Game, options: np.ndarray) -> bool:
    """Whether everybody knows the whole position, but for chances to come, in every position of a game."""
    state, write = of.new(options, 1), of.notation.write_state
    for number in range(of.bound):
        who = of.kernels.mover(state)
        if who == OVER:
            break
        if who == CHANCE:
            of.kernels.chance(state)
            continue
        if any(write(of.as_known_to(seat, state)) != write(state) for seat in of.seats_of(options)):
            return False
        legal = of.legal(state)
        of.kernels.step(state, legal[number % len(legal)])
    return True


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """A row for each game."""
    rows = [
        (
            each["name"],
            "yes" if each["open"] else "no",
            f"1 to {len(each['seats'])}" if each["shared"] is None else f"2 to {len(each['seats'])}",
            "yes" if each["chance"] else "no",
            "yes" if each["constant_sum"] else "no",
            f"{each['longest']:,}",
            "-" if each["shared"] is None else str(each["shared"]),
        )
        for each in facts["games"]
    ]
    headings = (
        "game",
        "perfect information",
        "players",
        "chance",
        "constant sum",
        "longest random game",
        "games with several winners",
    )
    about = f"Each game over {facts['games'][0]['played']:,} games of random actions with the usual options."
    return [Table(about, headings, rows)]


STUDY = Study(
    "What kind of games these are",
    {"smoke": {"games": 20}, "demo": {"games": 200}, "laptop": {"games": 5000}},
    find,
    tables,
)
