"""`tichu moves`: which plays are legal."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import JsonOption, fail


def moves(
    hand: Annotated[
        str,
        typer.Option(help="Cards on the hand, by spaces; - reads cases `hand | trick | wish`, one a line."),
    ],
    trick: Annotated[
        str, typer.Option(help="Plays of the running trick in order, parted by /; empty for a lead.")
    ] = "",
    wish: Annotated[str, typer.Option(help="Open wish: 2..14, or B D K A; 0 or empty for none.")] = "",
    as_json: JsonOption = False,
) -> None:
    """The legal plays of the player on turn, and whether passing is legal."""
    from tichu_models.rules.moves import CaseError, legal_moves, parse_case

    if hand == "-":
        failed = False
        for number, line in enumerate(sys.stdin, start=1):
            try:
                typer.echo(json.dumps(legal_moves(*parse_case(line))))
            except CaseError as error:
                failed = True
                typer.echo(json.dumps({"error": str(error)}))
                typer.secho(f"standard input, line {number}: {error}", fg=typer.colors.RED, err=True)
        raise typer.Exit(int(failed))
    try:
        answer = legal_moves(hand, trick, wish)
    except CaseError as error:
        fail(str(error))
    if as_json:
        typer.echo(json.dumps(answer))
        return
    for play in answer["plays"]:
        typer.echo(f"{play['type']:<10} {play['rank']:>2}  {' '.join(play['cards'])}")
    typer.echo("pass" if answer["pass"] else "no pass")
