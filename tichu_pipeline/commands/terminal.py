"""Code that commands share: common options, failures, tables and progress bars."""

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
    """The group of all commands. It reports an OSError, such as a full disk, in one line instead of a traceback."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
            raise
        except OSError as error:
            fail(os_error_message(error))


def fail(message: str) -> NoReturn:
    """Prints a message and ends the command with status 1: the input is wrong."""
    typer.secho(message, fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def workers_of(named: str | None) -> Workers | None:
    """The workers that --workers names; None if it is not given."""
    from tichu_pipeline.storage.workers import workers_from

    try:
        return workers_from(named) if named else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--workers") from error


def print_table(
    headings: Iterable[str], rows: Iterable[Iterable[str]], colours: Mapping[str, str], whole: int = 0
) -> None:
    """Prints a table, folded to the terminal's width. The first `whole` columns are not folded: names in them can be
    copied. `colours` has the style of a cell by its text."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=place < whole)
    for row in rows:  # as Text, since Rich would read [brackets] in a path as markup
        table.add_row(*(Text(cell, style=colours.get(cell, "")) for cell in row))
    Console().print(table)


@contextmanager
def bar(of: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, and nothing elsewhere. It disappears when the work is done."""
    if not shown or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(of, total=total)
        yield lambda steps: progress.advance(task, steps)
