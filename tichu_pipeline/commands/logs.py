"""`tichu generate`, `download`, `inspect`, `features`: logs made, fetched, checked and read, without a data folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import JsonOption, fail


def generate(
    out: Annotated[Path, typer.Option(help="Folder for YYYY.zip and truth.parquet.")],
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 1200,
    months: Annotated[str, typer.Option(help="The months they lie in.")] = "2024-01..2024-12",
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.", min=0)] = 1,
    quirks: Annotated[bool, typer.Option("--quirks", help="Plant every oddity and rule break of real logs.")] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; all cores by default.", min=1)] = None,
    as_json: JsonOption = False,
) -> None:
    """Writes a corpus of played games, as Brettspielwelt's logs are kept."""
    from tichu_pipeline.brettspielwelt.corpus.generate import generate as generate_corpus
    from tichu_pipeline.storage.months import parse_months

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


def download(
    first: Annotated[str, typer.Option("--from", help="First month, as 2025-01.")],
    last: Annotated[str, typer.Option("--to", help="Last month.")],
    out: Annotated[Path, typer.Option(help="Folder for YYYY/YYYYMM.zip.")],
    base_url: Annotated[str | None, typer.Option(help="The portal; default: TICHU_PORTAL, else the real one.")] = None,
    rate: Annotated[float, typer.Option(help="Requests a second at most.", min=0.1)] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Fetches the games of these months that are not there yet. May be interrupted and called again."""
    from tichu_pipeline.brettspielwelt.portal.download import download as fetch

    try:
        summary = fetch(first, last, out, base_url=base_url, rate=rate)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    facts = asdict(summary)
    if as_json:
        typer.echo(json.dumps(facts, default=str))
    else:
        typer.echo(f"{summary.fetched:,} games fetched, {summary.present:,} were there, {summary.seconds:.1f} s")
        for failure in summary.failed:
            typer.secho(str(failure), fg=typer.colors.RED, err=True)
    raise typer.Exit(0 if summary.complete else 1)


def inspect(
    paths: Annotated[list[Path], typer.Argument(help=".tch files, folders or zips of them.")],
    as_json: JsonOption = False,
) -> None:
    """Reads and checks logs without a data folder."""
    from tichu_pipeline.rounds.inspection import inspect as read

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
