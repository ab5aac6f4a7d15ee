"""The command `tichu`: what a person types, and what is printed. The work itself is done elsewhere.

Exit status: 0 fine, 1 the input is at fault, 2 wrong usage. Heavy modules are imported by the command that needs them,
so that the others start at once.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_pipeline.commands import playing, tournaments, training
from tichu_pipeline.commands.terminal import DataOption, WorkersOption, fail, print_table, workers_of

if TYPE_CHECKING:
    from tichu_pipeline.ingest import Ingested, Summary

LARGEST_ID = 2**63 - 1

app = typer.Typer(
    name="tichu",
    help="Tichu logs, analysis and players.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


@app.callback()
def main() -> None:
    """Tichu logs, analysis and players."""


@app.command()
def moves(
    hand: Annotated[
        str,
        typer.Option(help="Cards on the hand, by spaces; - reads cases `hand | trick | wish`, one a line."),
    ],
    trick: Annotated[
        str, typer.Option(help="Plays of the running trick in order, parted by /; empty for a lead.")
    ] = "",
    wish: Annotated[str, typer.Option(help="Open wish: 2..14, or B D K A; 0 or empty for none.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="Folder for YYYY.zip and truth.parquet.")],
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 1200,
    months: Annotated[str, typer.Option(help="The months they lie in.")] = "2024-01..2024-12",
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.", min=0)] = 1,
    quirks: Annotated[bool, typer.Option("--quirks", help="Plant every oddity and rule break of real logs.")] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; all cores by default.", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Writes a corpus of played games, as Brettspielwelt's logs are kept."""
    from tichu_pipeline.brettspielwelt.corpus import generate as generate_corpus
    from tichu_pipeline.months import parse_months

    try:
        chosen = parse_months(months)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--months") from error
    started = time.perf_counter()
    made = generate_corpus(out, games, chosen, seed, quirks=quirks, workers=workers)
    seconds = time.perf_counter() - started
    facts = {
        "games": made.games,
        "rounds": made.rounds,
        "bytes": made.bytes,
        "seconds": round(seconds, 2),
        "planted": made.planted,
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    typer.echo(f"{made.games:,} games, {made.rounds:,} rounds, {made.bytes:,} bytes in {out}, {seconds:.1f} s")
    for name, count in sorted(made.planted.items()):
        typer.echo(f"  planted {count:>6,} x {name}")


@app.command()
def download(
    first: Annotated[str, typer.Option("--from", help="First month, as 2025-01.")],
    last: Annotated[str, typer.Option("--to", help="Last month.")],
    out: Annotated[Path, typer.Option(help="Folder for YYYY/YYYYMM.zip.")],
    base_url: Annotated[str | None, typer.Option(help="The portal; default: TICHU_PORTAL, else the real one.")] = None,
    rate: Annotated[float, typer.Option(help="Requests a second at most.", min=0.1)] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetches the games of these months that are not there yet. May be interrupted and called again."""
    from tichu_pipeline.brettspielwelt.download import download as fetch

    try:
        summary = fetch(first, last, out, base_url=base_url, rate=rate)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    except BlockingIOError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or out}: {error.strerror or error}; expected a folder that can be written")
    facts = asdict(summary)
    if as_json:
        typer.echo(json.dumps(facts, default=str))
    else:
        typer.echo(f"{summary.fetched:,} games fetched, {summary.present:,} were there, {summary.seconds:.1f} s")
        for failure in summary.failed:
            typer.secho(str(failure), fg=typer.colors.RED, err=True)
    raise typer.Exit(0 if summary.complete else 1)


@app.command()
def ingest(
    raw: Annotated[Path | None, typer.Option(help="Folder of archives and logs; default: DATA/raw.")] = None,
    data: DataOption = Path("data"),
    months: Annotated[str | None, typer.Option(help="Only these, as 2024-01..2024-12.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Read unchanged months as well.")] = False,
    workers: WorkersOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reads archives and logs into checked rounds, a Parquet file a month. Unchanged months are skipped."""
    from tichu_pipeline.folders import DataPaths
    from tichu_pipeline.ingest import ingest as run
    from tichu_pipeline.months import parse_months
    from tichu_pipeline.workers import WorkersError

    paths = DataPaths(data)
    source = raw or paths.raw
    if not source.is_dir():
        fail(f"{source}: no such folder; expected one with zips or folders of .tch files")
    try:
        chosen = parse_months(months) if months else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--months") from error
    try:
        hired = workers_of(workers)
        if hired and hired.dashboard:
            typer.echo(f"workers: {hired.dashboard}", err=True)
        made = run(source, paths, chosen, force, hired, done=(lambda _: None) if as_json else _say_month)
    except WorkersError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or data}: {error.strerror or error}; expected a data folder with space to write in")
    if as_json:
        typer.echo(json.dumps(asdict(made)))
    else:
        _say_ingested(made, source)
    if not made.months and not made.orphans:
        fail(f"{source}: no logs{f' of {months}' if months else ''}; expected members or folders 202401/ID.tch")


def _say_ingested(made: Ingested, source: Path) -> None:
    gone = (f"{month}: its logs are gone from {source}; its rounds are kept as they were" for month in made.orphans)
    for problem in [*made.problems, *(problem for month in made.months for problem in month.problems), *gone]:
        typer.secho(problem, fg=typer.colors.YELLOW, err=True)
    games, rounds = sum(month.games for month in made.months), sum(month.rounds for month in made.months)
    typer.echo(f"{games:,} games, {rounds:,} rounds in {made.seconds:.1f} s ({made.games_a_second:,.0f} games/s read)")


def _say_month(summary: Summary) -> None:
    how = "unchanged" if summary.reused else f"{summary.seconds:.1f} s"
    breaks = sum(summary.rule_breaks.values())
    facts = f"{summary.games:,} games, {summary.rounds:,} rounds, {breaks:,} breaks, {summary.bytes:,} bytes"
    if summary.empty or summary.unreadable:
        facts += f", {summary.empty:,} files empty, {summary.unreadable:,} no logs"
    typer.echo(f"{summary.month}: {facts}, {how}")


@app.command()
def inspect(
    paths: Annotated[list[Path], typer.Argument(help=".tch files, folders or zips of them.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reads and checks logs without a data folder."""
    from tichu_pipeline.inspection import inspect as read

    unread: list[str] = []
    entries = read(paths, unread.append)
    if as_json:
        _print_list(entries)
    else:
        for game in entries:
            typer.echo(f"{game['file']}: {len(game['rounds'])} rounds, {game['error']}")
            for round_ in game["rounds"]:
                if round_["rule_break"]:
                    typer.echo(f"  round {round_['round_index']}: {round_['rule_break_text']}")
            for fragment in game["fragments"]:
                typer.echo(f"  fragment: {fragment['rule_break_text']} at line {fragment['line']}")
    if unread:
        fail("\n".join(unread))


def _print_list(entries: Iterable[object]) -> None:
    """A JSON list, entry by entry: all of them at once may be more than fits into memory."""
    opening = "["
    for entry in entries:
        typer.echo(opening + json.dumps(entry), nl=False)
        opening = ",\n"
    typer.echo("[]" if opening == "[" else "]")


@app.command()
def show(
    game_id: Annotated[int, typer.Argument(help="The game.", min=1, max=LARGEST_ID)],
    round_index: Annotated[int | None, typer.Option("--round", help="Only this round, counted from 0.")] = None,
    data: DataOption = Path("data"),
) -> None:
    """Prints a stored game, or one round of it, as a person reads it."""
    from rich.console import Console

    from tichu_pipeline.folders import DataPaths
    from tichu_pipeline.showing import show_round
    from tichu_pipeline.stored_rounds import NoSuchGameError, find_game

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


@app.command()
def export(
    game_id: Annotated[int, typer.Argument(help="The game.", min=1, max=LARGEST_ID)],
    data: DataOption = Path("data"),
) -> None:
    """Prints a stored game as the log that it was, cards in canonical order."""
    from tichu_pipeline.folders import DataPaths
    from tichu_pipeline.stored_rounds import NoSuchGameError, find_game, text_of

    try:
        text = text_of(find_game(DataPaths(data), game_id))
    except NoSuchGameError as error:
        fail(str(error))
    typer.echo(text.encode(), nl=False)  # as bytes: a log is UTF-8, whatever the terminal is


@app.command()
def analyse(
    data: DataOption = Path("data"),
    force: Annotated[bool, typer.Option("--force", help="Build it though nothing has changed.")] = False,
    memory: Annotated[str, typer.Option(help="Memory for DuckDB; what does not fit goes to DATA/tmp.")] = "2GB",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Builds the database DATA/tichu.duckdb from all ingested months, if anything has changed."""
    from tichu_pipeline.analysis.build import build
    from tichu_pipeline.analysis.reading import DatabaseError
    from tichu_pipeline.folders import DataPaths
    from tichu_pipeline.ingest import DamagedMonthError

    try:
        made = build(DataPaths(data), force, memory, (lambda _: None) if as_json else typer.echo)
    except (DatabaseError, DamagedMonthError) as error:
        fail(str(error))
    if as_json:
        typer.echo(json.dumps(asdict(made)))
        return
    for table, rows in made.rows.items():
        typer.echo(f"{table:20} {rows:>14,}")
    how = "unchanged" if made.reused else f"{made.seconds:.1f} s"
    typer.echo(f"{len(made.months)} months, {made.bytes:,} bytes, {how}")


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


FormatOption = Annotated[Format, typer.Option("--format", help="Parquet wants a file: > result.parquet")]


@app.command()
def queries() -> None:
    """Lists the questions that have an answer ready: tichu query NAME."""
    from tichu_pipeline.analysis.scripts import queries as known

    for query in known():
        typer.echo(f"{query.name}  {query.question}")


@app.command("query")
def run_query(
    name: Annotated[str, typer.Argument(help="A name that `tichu queries` lists; its number is enough.")],
    data: DataOption = Path("data"),
    output_format: FormatOption = Format.TABLE,
) -> None:
    """Answers one of the questions that `tichu queries` lists."""
    from tichu_pipeline.analysis.scripts import NoSuchQueryError
    from tichu_pipeline.analysis.scripts import query as find

    try:
        query = find(name)
    except NoSuchQueryError as error:
        fail(str(error))
    if output_format is Format.TABLE:
        typer.echo(f"{query.question}\n")
    _answer(data, query.sql, output_format)


@app.command()
def sql(
    statement: Annotated[str | None, typer.Argument(help="A statement; without one, a shell.")] = None,
    data: DataOption = Path("data"),
    output_format: FormatOption = Format.TABLE,
) -> None:
    """Runs any SQL that only reads. Without a statement: an interactive shell, or statements from standard input."""
    if statement is not None:
        _answer(data, statement, output_format)
        return
    from tichu_pipeline.analysis.reading import DatabaseError
    from tichu_pipeline.analysis.shell import run
    from tichu_pipeline.folders import DataPaths

    if output_format is Format.PARQUET:
        raise typer.BadParameter("a shell writes table, csv or json", param_hint="--format")
    try:
        fine = run(DataPaths(data), output_format)
    except DatabaseError as error:
        fail(str(error))
    raise typer.Exit(0 if fine else 1)


def _answer(data: Path, statement: str, output_format: Format) -> None:
    from tichu_pipeline.analysis.reading import DatabaseError, batches, reader
    from tichu_pipeline.analysis.results import WRITERS
    from tichu_pipeline.folders import DataPaths

    if output_format is Format.PARQUET and sys.stdout.isatty():
        raise typer.BadParameter("parquet is not for a terminal; expected > result.parquet", param_hint="--format")
    try:
        with reader(DataPaths(data)) as connection:
            out = sys.stdout.buffer if output_format is Format.PARQUET else sys.stdout
            WRITERS[output_format](batches(connection, statement), out)
    except DatabaseError as error:
        fail(str(error))


@app.command()
def features(
    file: Annotated[Path, typer.Option(help="A .tch file.")],
    round_index: Annotated[int | None, typer.Option("--round", help="Only this round, counted from 0.", min=0)] = None,
    turn: Annotated[int | None, typer.Option(help="Only decisions after so many plays and passes.", min=0)] = None,
    spec: Annotated[str, typer.Option(help="Which vector, as play-376 or play-375+score_cum.")] = "play-375",
    seat: Annotated[int | None, typer.Option(help="Through whose eyes; default: who acted.", min=0, max=3)] = None,
    scaling: Annotated[Path | None, typer.Option(help="A scaling.json; without one, points are points.")] = None,
) -> None:
    """Prints what was decided in a log as a network reads it: a JSON line for each decision."""
    from tichu_models.observation.scaling import Scaling, ScalingError
    from tichu_models.observation.specs import SpecError
    from tichu_models.observation.specs import spec as find_spec
    from tichu_pipeline.features.of_log import LogError, Wanted, decisions_of

    try:
        chosen = find_spec(spec)
    except SpecError as error:
        raise typer.BadParameter(str(error), param_hint="--spec") from error
    try:
        constants = Scaling.load(scaling) if scaling else None
        if constants:
            constants.check(chosen.table)
        for decision in decisions_of(file, chosen, Wanted(round_index, turn, seat), constants):
            typer.echo(json.dumps(decision))
    except (LogError, ScalingError) as error:
        fail(str(error))


@app.command()
def status(
    data: DataOption = Path("data"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What is there of each stage, and what is stale and why."""
    from rich.filesize import decimal

    from tichu_pipeline.folders import DataPaths
    from tichu_pipeline.status import status as look

    colours = {"fresh": "green", "stale": "yellow", "missing": "red"}
    found = look(DataPaths(data))
    if as_json:
        typer.echo(json.dumps([asdict(stage) for stage in found]))
        return
    headings = ("stage", "state", "what is there", "size", "why")
    rows = [
        (stage.stage, stage.state, stage.there, decimal(stage.bytes) if stage.bytes else "", "\n".join(stage.reasons))
        for stage in found
    ]
    print_table(headings, rows, colours)


@app.command()
def doctor(
    data: DataOption = Path("data"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What this machine and installation offer, and what to do where something is amiss."""
    from tichu_pipeline.doctor import Verdict, examine
    from tichu_pipeline.folders import DataPaths

    colours = {"fine": "green", "note": "yellow", "fail": "red"}
    findings = examine(DataPaths(data))
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        rows = [(finding.subject, finding.verdict, finding.found, finding.remedy) for finding in findings]
        print_table(("", "", "found", "what to do"), rows, colours)
    raise typer.Exit(int(any(finding.verdict is Verdict.FAIL for finding in findings)))


app.command()(training.train)
app.command()(training.runs)
app.command()(training.explain)
app.command()(training.calibrate)
app.command()(tournaments.tournament)
app.command()(tournaments.ladder)
app.command()(playing.play)

if __name__ == "__main__":
    app()
