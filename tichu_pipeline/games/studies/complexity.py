"""How large Chameleon Chess is, beside chess and tic-tac-toe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tichu_models.games.registry import game
from tichu_models.games.tic_tac_toe import games
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

# (game, legal moves, moves of a game, games, positions), as commonly given for chess (Shannon 1950, Allis 1994).
CHESS = ("chess", "30 to 35", "80", "10^120", "10^43")
# Estimates of the thesis for Chameleon Chess: legal moves and length by players. It multiplied 18^40 out as 10^49.
THESIS = {2: (15, 22), 3: (18, 40), 4: (15, 44)}
PRINTED_STATES = 14108373601591606657646377985  # by the thesis, which counts the empty board as well


def find(_: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Exact numbers of arrangements, and random games."""
    of = game("chameleon")
    return {**of.complexity(of, size["games"], 1), "tic_tac_toe_games": games(), "played": size["games"]}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """The comparison, and the exact numbers."""
    states = f"{facts['arrangements']:.1e}".replace("e+", " x 10^")
    rows = [
        (
            f"Chameleon Chess, {each['players']} players",
            f"{each['branching']:.2f}",
            f"{each['length']:.1f}",
            f"10^{each['power']:.0f}",
            states if each["players"] == 4 else "",
        )
        for each in facts["random_games"]
    ]
    rows += [
        (
            f"likewise, estimated by the thesis for {players}",
            str(width),
            str(length),
            f"10^{length * math.log10(width):.1f}",
            "",
        )
        for players, (width, length) in THESIS.items()
    ]
    rows += [CHESS, ("tic-tac-toe", "9 to 1", "5 to 9", f"{facts['tic_tac_toe_games']:,}", "5,478")]
    exact = [
        ("one or more of 16 pawns on 64 fields", f"{facts['arrangements']:,}"),
        ("printed by the thesis, with the empty board", f"{PRINTED_STATES:,}"),
        ("on all 36 boards of 3 x 3 fields", f"{facts['arrangements_on_smallest_boards']:,}"),
        ("on one of them", f"{facts['arrangements_on_smallest_boards'] // 36:,}"),
    ]
    about = f"Chameleon Chess by {facts['played']:,} random games, all line-ups equally often; no limit of moves."
    return [
        Table(about, ("game", "legal moves", "moves of a game", "games", "positions"), rows),
        Table("Arrangements of pawns, exactly.", ("", "count"), exact),
    ]


STUDY = Study(
    "How large Chameleon Chess is",
    {"smoke": {"games": 120}, "demo": {"games": 6_000}, "laptop": {"games": 60_000}},
    find,
    tables,
)
