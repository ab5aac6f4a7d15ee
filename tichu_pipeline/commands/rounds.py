"""`tichu ingest`, `show`, `export`: reading logs into a data folder, and printing single games from it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_pipeline.commands.terminal import DataOption, JsonOption, WorkersOption, fail, workers_of

if TYPE_CHECKING:
    from tichu_pipeline.rounds.ingest import Ingested, IngestedMonth

LARGEST_ID = 2**63 - 1


def ingest(
    raw: Annotated[
        Path | None, typer.Option(help="The folder of archives and logs.", show_default="DATA/raw", metavar="DIR")
    ] = None,
    data: DataOption = Path("data"),
    months: Annotated[
        str | None, typer.Option(help="Only these months, as 2024-01..2024-12.", metavar="FIRST..LAST")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Read unchanged months again.")] = False,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reads game logs, checks every round by the rules, and stores them as Parquet files by month.

    Unchanged months are skipped. A broken round is stored with the reason, and does not affect other rounds.

    Example: tichu ingest --raw /tmp/corpus --data /tmp/tichu
    """
    from tichu_pipeline.rounds.ingest import ingest as run
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.months import parse_months
    from tichu_pipeline.storage.workers import WorkersError

    paths = DataPaths(data)
    source = raw or paths.raw
    if not source.is_dir():
        fail(f"{source}: no such folder; expected one with zips or folders of .tch files")
    try:
        chosen = parse_months(months) if months else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--months") from error
    try:
        pool = workers_of(workers)
        if pool and pool.dashboard:
            typer.echo(f"workers: {pool.dashboard}", err=True)
        made = run(source, paths, chosen, force, pool, done=(lambda _: None) if as_json else _say_month)
    except WorkersError as error:
        fail(str(error))
    if as_json:
        facts = asdict(made) | {"months": [_facts(month) for month in made.months]}
        typer.echo(json.dumps(facts))
    else:
        _say_ingested(made, source)
    if not made.months and not made.orphans:
        fail(f"{source}: no logs{f' of {months}' if months else ''}; expected members or folders 202401/ID.tch")


def _say_ingested(made: Ingested, source: Path) -> None:
    gone = (f"{month}: its logs are gone from {source}; its rounds are kept as they are" for month in made.orphans)
    for problem in [*made.problems, *(problem for month in made.months for problem in month.summary.problems), *gone]:
        typer.secho(problem, fg=typer.colors.YELLOW, err=True)
    games, rounds = sum(month.summary.games for month in made.months), sum(month.rows for month in made.months)
    typer.echo(f"{games:,} games, {rounds:,} rounds in {made.seconds:.1f} s ({made.games_a_second:,.0f} games/s read)")


def _facts(month: IngestedMonth) -> dict[str, object]:
    """The facts of a month for JSON."""
    return asdict(month.summary) | {"bytes": month.bytes, "seconds": month.seconds, "reused": month.reused}


def _say_month(month: IngestedMonth) -> None:
    summary, how = month.summary, "unchanged" if month.reused else f"{month.seconds:.1f} s"
    breaks = sum(summary.rule_breaks.values())
    facts = f"{summary.games:,} games, {summary.rounds:,} rounds, {breaks:,} breaks, {month.bytes:,} bytes"
    if summary.empty or summary.unreadable:
        facts += f", {summary.empty:,} files empty, {summary.unreadable:,} no logs"
    typer.echo(f"{summary.month}: {facts}, {how}")


def show(
    game_id: Annotated[int, typer.Argument(help="The number of the game, as 2203201.", min=1, max=LARGEST_ID)],
    round_index: Annotated[
        int | None, typer.Option("--round", help="Only this round; the first is 0.", metavar="N")
    ] = None,
    data: DataOption = Path("data"),
) -> None:
    """Prints a game, or one round of it, for people to read.

    Example: tichu show 2203201 --round 0
    """
    from rich.console import Console

    from tichu_pipeline.rounds.showing import show_round
    from tichu_pipeline.rounds.stored_rounds import NoSuchGameError, find_game
    from tichu_pipeline.storage.folders import DataPaths

    try:
        rows = find_game(DataPaths(data), game_id).rounds.to_pylist()
    except NoSuchGameError as error:
        fail(str(error))
    chosen = [row for row in rows if round_index is None or row["round_index"] == round_index]
    if not rows:
        fail(f"game {game_id} has no round with a result; its text: tichu export {game_id}")
    if not chosen:
        fail(f"game {game_id} has no round {round_index}: expected 0..{len(rows) - 1}")
    console = Console()
    for row in chosen:
        show_round(console, row)


def export(
    game_id: Annotated[int, typer.Argument(help="The number of the game, as 2203201.", min=1, max=LARGEST_ID)],
    data: DataOption = Path("data"),
) -> None:
    """Prints a stored game as a log, with its cards in canonical order.

    Example: tichu export 2203201 > 2203201.tch
    """
    from tichu_pipeline.rounds.stored_rounds import NoSuchGameError, find_game, text_of
    from tichu_pipeline.storage.folders import DataPaths

    try:
        text = text_of(find_game(DataPaths(data), game_id))
    except NoSuchGameError as error:
        fail(str(error))
    typer.echo(text.encode(), nl=False)  # as bytes: a log is UTF-8, whatever encoding the terminal has
