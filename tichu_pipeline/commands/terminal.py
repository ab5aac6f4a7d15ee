"""What all commands share: the data folder's option, how they fail, how they print a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, NoReturn

import typer

DataOption = Annotated[Path, typer.Option(envvar="TICHU_DATA", help="The data folder.")]


def fail(message: str) -> NoReturn:
    """Ends the command: the input is at fault."""
    typer.secho(message, fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def print_table(headings: Iterable[str], rows: Iterable[Iterable[str]], colours: Mapping[str, str]) -> None:
    """Folded to the terminal's width; as Text, since Rich would take [brackets] in a path for its markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=colours.get(cell, "")) for cell in row))
    Console().print(table)
