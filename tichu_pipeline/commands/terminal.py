"""What all commands share: options, how they fail, how they print a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from tichu_pipeline.storage.os_errors import os_error_message

if TYPE_CHECKING:
    from tichu_pipeline.storage.workers import Workers

DataOption = Annotated[Path, typer.Option(envvar="TICHU_DATA", help="The data folder.", metavar="DIR")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
WorkersOption = Annotated[
    str | None,
    typer.Option(
        envvar="TICHU_WORKERS",
        help="serial, a number of processes, or a Dask scheduler as tcp://HOST:8786.",
        show_default="all cores",
        metavar="WORKERS",
    ),
]


class Commands(TyperGroup):
    """Commands that say in a line what no code can mend: a full disk, a folder that cannot be written."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever reads has seen enough
            raise
        except OSError as error:
            fail(os_error_message(error))


def fail(message: str) -> NoReturn:
    """Ends the command: the input is at fault."""
    typer.secho(message, fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def workers_of(named: str | None) -> Workers | None:
    """The workers of option --workers, None if it says nothing."""
    from tichu_pipeline.storage.workers import workers_from

    try:
        return workers_from(named) if named else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--workers") from error


def print_table(
    headings: Iterable[str], rows: Iterable[Iterable[str]], colours: Mapping[str, str], whole: int = 0
) -> None:
    """Folded to the terminal's width, but for the first columns that shall stay whole: names that are typed again. As
    Text, since Rich would take [brackets] in a path for its markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=place < whole)
    for row in rows:
        table.add_row(*(Text(cell, style=colours.get(cell, "")) for cell in row))
    Console().print(table)


@contextmanager
def bar(of: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, and nothing elsewhere: what it says is over in a moment, or printed at the end."""
    if not shown or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(of, total=total)
        yield lambda steps: progress.advance(task, steps)
