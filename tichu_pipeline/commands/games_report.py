"""`tichu games report`: how an agent plays, as tables, a picture and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands.games import GameArgument, game_of
from tichu_pipeline.commands.games_played import agents_of
from tichu_pipeline.commands.terminal import DataOption, JsonOption, bar, fail, print_table


def report(
    name: GameArgument,
    agent: Annotated[str, typer.Argument(help="An agent, such as td:RUN.", metavar="AGENT", show_default=False)],
    games: Annotated[int, typer.Option(help="How many games.", min=1, metavar="N")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.", min=0, metavar="N")] = 1,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Shows how an agent plays Ganz schön clever alone: points by area, foxes, bonuses, and the distribution of scores.

    Writes a page with these, and one with a whole game move by move, to reports/games/ of the data folder.

    Example: tichu games report clever td:best --games 1000
    """
    from tichu_pipeline.games.clever_report import make_report, tables
    from tichu_pipeline.storage.folders import DataPaths

    game = game_of(name)
    if game.name != "clever":
        fail(f"there are no reports of {game.name}; expected clever")
    (player,) = agents_of(game, game.read_options({}), [agent], data)
    with bar("games", games, not as_json) as advance:
        made = make_report(DataPaths(data), player, games, seed, advance)
    if as_json:
        typer.echo(json.dumps({**made.facts, "page": str(made.page), "game": str(made.game)}))
        return
    for heading, rows in tables(made.facts):
        print_table((heading, ""), rows, {}, whole=1)
    typer.echo(f"{made.page}\n{made.game}")
