"""`tichu moves`: the legal plays of a hand."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import JsonOption, fail


def moves(
    hand: Annotated[
        str,
        typer.Option(
            help="The cards, separated by spaces; - reads lines `hand | trick | wish` from standard input.",
            metavar="CARDS",
        ),
    ],
    trick: Annotated[
        str,
        typer.Option(help="The plays of the running trick, separated by /.", show_default="a lead", metavar="PLAYS"),
    ] = "",
    wish: Annotated[
        str, typer.Option(help="The wished rank: 2..14, or B D K A.", show_default="none", metavar="RANK")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Lists the legal plays of the player on turn.

    Cards are a colour (S, B, G, R) and a rank (2 to 10, B, D, K, A), or Ma, Hu, Ph, Dr.

    Example: tichu moves --hand "S9 B9 Ph" --trick "R7 / B8" --wish 9
    """
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
