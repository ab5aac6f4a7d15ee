"""Tic-tac-toe as the worked example: its whole tree, the values of the first plies, and its saddle point."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tichu_models.games import tic_tac_toe as game
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

PLIES = 2  # below the empty board: three levels


def find(_: DataPaths, __: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of games and positions, and the first levels of the tree with their values."""
    seen, level = {game.EMPTY}, {game.EMPTY}
    while level:
        level = {after for board in level for after in game.moves(board)}
        seen |= level
    return {
        "games": game.games(),
        "positions": len(seen),
        "positions_alike": len({game.alike(board) for board in seen}),
        "value": game.value(game.EMPTY),
        "levels": [[{"board": board, "value": game.value(board)} for board in each] for each in game.plies(PLIES)],
    }


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """The counts, and how many boards of each value the first levels have."""
    rows = [
        ("games", f"{facts['games']:,}"),
        ("positions", f"{facts['positions']:,}"),
        ("positions, turned and mirrored ones counted once", f"{facts['positions_alike']:,}"),
        ("value of the empty board to X: the saddle point", f"{facts['value']} (a draw: the game is fair)"),
    ]
    values = [
        (str(ply), str(len(level)), *(str(sum(each["value"] == value for each in level)) for value in (1, 0, -1)))
        for ply, level in enumerate(facts["levels"])
    ]
    return [
        Table("The whole tree of tic-tac-toe.", ("", "count"), rows),
        Table(
            "Boards that are not alike, by what they are worth.", ("ply", "boards", "X wins", "draw", "O wins"), values
        ),
    ]


def draw(facts: Mapping[str, Any], path: Path) -> None:
    """The first three levels of the tree, each board with its minimax value."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR, save

    levels = facts["levels"]
    width = max(map(len, levels))
    figure = Figure(figsize=(1.1 * width, 1.6 * len(levels)), layout="constrained")
    grid = figure.subplots(len(levels), width)
    for row, level in enumerate(levels):
        begin = (width - len(level)) // 2
        for column in range(width):
            axes = grid[row][column]
            axes.set_axis_off()
            if not begin <= column < begin + len(level):
                continue
            each = level[column - begin]
            axes.set(xlim=(0, 3), ylim=(3, 0), aspect="equal", title=f"{each['value']:+d}" if each["value"] else "0")
            for line in (0, 1, 2, 3):
                axes.plot([0, 3], [line, line], color="gray", linewidth=0.7)
                axes.plot([line, line], [0, 3], color="gray", linewidth=0.7)
            for field, who in enumerate(each["board"]):
                if who != ".":
                    colour = COLOUR if who == "X" else ACCENT
                    axes.text(field % 3 + 0.5, field // 3 + 0.5, who, ha="center", va="center", color=colour)
    save(figure, path)


STUDY = Study(
    "Tic-tac-toe, the worked example: its tree, minimax values and saddle point",
    {"smoke": {}, "demo": {}, "laptop": {}},
    find,
    tables,
    draw,
)
