"""`tichu analyse`, `queries`, `query`, `sql`: building and querying the database."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, fail

if TYPE_CHECKING:
    from tichu_pipeline.analysis.scripts import Query


def analyse(
    data: DataOption = Path("data"),
    force: Annotated[bool, typer.Option("--force", help="Build it although nothing has changed.")] = False,
    memory: Annotated[str, typer.Option(help="Memory for DuckDB; more goes to DATA/tmp.", metavar="SIZE")] = "2GB",
    as_json: JsonOption = False,
) -> None:
    """Builds the database DATA/tichu.duckdb from all ingested months.

    Nothing is done if nothing has changed.

    Example: tichu analyse --data /tmp/tichu
    """
    from tichu_pipeline.analysis.build import build
    from tichu_pipeline.analysis.reading import DatabaseError
    from tichu_pipeline.rounds.manifest import DamagedMonthError
    from tichu_pipeline.storage.folders import DataPaths

    try:
        made = build(DataPaths(data), force, memory, (lambda _: None) if as_json else typer.echo)
    except (DatabaseError, DamagedMonthError) as error:
        fail(str(error))
    if as_json:
        facts = {"rows": made.tables, "months": made.months, "bytes": made.bytes, "seconds": made.seconds}
        typer.echo(json.dumps({**facts, "stamp": made.stamp, "reused": made.reused}))
        return
    for table, rows in made.tables.items():
        typer.echo(f"{table:20} {rows:>14,}")
    how = "unchanged" if made.reused else f"{made.seconds:.1f} s"
    typer.echo(f"{len(made.months)} months, {made.bytes:,} bytes, {how}")


class Format(StrEnum):
    """Output formats of a result."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


FormatOption = Annotated[Format, typer.Option("--format", help="How to write the result; redirect parquet to a file.")]


def queries() -> None:
    """Lists the questions that `tichu query` answers."""
    from tichu_pipeline.analysis import scripts

    for known in scripts.queries():
        typer.echo(f"{known.name}  {known.question}")


def query(
    name: Annotated[
        str, typer.Argument(help="A name that `tichu queries` lists, or its number.", autocompletion=completion.queries)
    ],
    data: DataOption = Path("data"),
    output_format: FormatOption = Format.TABLE,
) -> None:
    """Answers one of the questions that `tichu queries` lists.

    Example: tichu query 13_wish_values --format csv > wishes.csv
    """
    from tichu_pipeline.analysis import scripts

    try:
        known = scripts.query(name)
    except scripts.NoSuchQueryError as error:
        fail(str(error))
    if output_format is Format.TABLE:
        typer.echo(f"{known.question}\n")
    _answer(data, known.sql, output_format, known)


def sql(
    statement: Annotated[
        str | None, typer.Argument(help="The statement, in quotes.", show_default="an interactive shell")
    ] = None,
    data: DataOption = Path("data"),
    output_format: FormatOption = Format.TABLE,
) -> None:
    """Runs SQL that reads the database.

    Without a statement it opens a shell, or reads statements from standard input.

    Example: tichu sql "SELECT year, count(*) FROM games GROUP BY year"
    """
    if statement is not None:
        _answer(data, statement, output_format)
        return
    from tichu_pipeline.analysis.reading import DatabaseError
    from tichu_pipeline.analysis.shell import run
    from tichu_pipeline.storage.folders import DataPaths

    if output_format is Format.PARQUET:
        raise typer.BadParameter("the shell writes table, csv or json", param_hint="--format")
    try:
        fine = run(DataPaths(data), output_format)
    except DatabaseError as error:
        fail(str(error))
    raise typer.Exit(0 if fine else 1)


def _answer(data: Path, statement: str, output_format: Format, query: Query | None = None) -> None:
    """Writes the result of a statement to standard output, and to the other one why a query finds nothing."""
    from tichu_pipeline.analysis.reading import DatabaseError, batches, reader, unanswerable
    from tichu_pipeline.analysis.results import WRITERS
    from tichu_pipeline.storage.folders import DataPaths

    if output_format is Format.PARQUET and sys.stdout.isatty():
        raise typer.BadParameter("parquet is binary; redirect it to a file: > result.parquet", param_hint="--format")
    try:
        with reader(DataPaths(data)) as connection:
            out = sys.stdout.buffer if output_format is Format.PARQUET else sys.stdout
            WRITERS[output_format](batches(connection, statement), out)
            if query and (why := unanswerable(connection, query)):
                typer.secho(why, fg=typer.colors.YELLOW, err=True)
    except DatabaseError as error:
        fail(str(error))
