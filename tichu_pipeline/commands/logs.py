"""`tichu generate`, `download`, `inspect`, `features`: commands on game logs that need no data folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import DataOption, JsonOption, fail


def generate(
    out: Annotated[
        Path, typer.Option(help="The folder for YYYY.zip, and truth.parquet of simulated players.", metavar="DIR")
    ],
    games: Annotated[int, typer.Option(help="How many games to play.", min=1, metavar="N")] = 1200,
    months: Annotated[
        str, typer.Option(help="The months to spread them over.", metavar="FIRST..LAST")
    ] = "2024-01..2024-12",
    seed: Annotated[
        int, typer.Option(help="The same seed gives the same files, byte for byte.", min=0, metavar="N")
    ] = 1,
    quirks: Annotated[bool, typer.Option("--quirks", help="Plant the oddities and broken rules of real logs.")] = False,
    people: Annotated[
        int | None,
        typer.Option(
            help="How many people there are; each plays the more games the fewer they are.",
            show_default="400",
            min=5,
            metavar="N",
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help="The agent at all four seats, named as in tournaments.",
            show_default="people of different strength",
            metavar="AGENT",
        ),
    ] = None,
    data: DataOption = Path("data"),
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many threads work, or processes with --players.", show_default="all cores", min=1, metavar="N"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Generates a corpus of game logs by simulated players of different strength, or by one player.

    The logs look like those of Brettspielwelt. truth.parquet records how strong each simulated player is, and which
    plays are blunders. --data is where the runs of --players are; `champion` and `heuristic` need none.

    Example: tichu generate --games 1000 --out /tmp/corpus
    """
    from tichu_models.agents.registry import AgentError
    from tichu_pipeline.brettspielwelt.corpus.generate import generate as generate_corpus
    from tichu_pipeline.brettspielwelt.corpus.played import generate_played
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.months import parse_months

    try:
        chosen = parse_months(months)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--months") from error
    if people and players:
        raise typer.BadParameter("are as many as are simulated, without --players", param_hint="--people")
    if quirks and players:
        raise typer.BadParameter("are planted in games of simulated people only", param_hint="--quirks")
    started = time.perf_counter()
    if players:
        try:
            made = generate_played(out, players, DataPaths(data).runs, games, chosen, seed, workers)
        except AgentError as error:
            fail(str(error))
    else:
        made = generate_corpus(out, games, chosen, seed, quirks=quirks, workers=workers, people=people)
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
    first: Annotated[str, typer.Option("--from", help="The first month, as 2025-01.", metavar="MONTH")],
    last: Annotated[str, typer.Option("--to", help="The last month, as 2025-03.", metavar="MONTH")],
    out: Annotated[Path, typer.Option(help="The folder for YYYY/YYYYMM.zip, such as data/raw.", metavar="DIR")],
    base_url: Annotated[
        str | None, typer.Option(help="The portal.", show_default="$TICHU_PORTAL, or Brettspielwelt", metavar="URL")
    ] = None,
    rate: Annotated[float, typer.Option(help="Requests a second, at most.", min=0.1, metavar="N")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Downloads game logs of some months that are not in the folder yet.

    If it is interrupted, call it again: it fetches what is missing.

    Example: tichu download --from 2025-01 --to 2025-03 --out data/raw
    """
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
    paths: Annotated[list[Path], typer.Argument(help="Files (.tch), folders or zips of them.")],
    as_json: JsonOption = False,
) -> None:
    """Checks game logs by the rules, and prints what it finds.

    Example: tichu inspect 2203201.tch --json
    """
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
    """Prints a JSON list entry by entry, since all entries may not fit into memory."""
    opening = "["
    for entry in entries:
        typer.echo(opening + json.dumps(entry), nl=False)
        opening = ",\n"
    typer.echo("[]" if opening == "[" else "]")


def features(
    file: Annotated[Path, typer.Option(help="The game log, a .tch file.", metavar="FILE")],
    round_index: Annotated[
        int | None, typer.Option("--round", help="Only this round; the first is 0.", min=0, metavar="N")
    ] = None,
    turn: Annotated[
        int | None, typer.Option(help="Only decisions after N plays and passes.", min=0, metavar="N")
    ] = None,
    spec: Annotated[str, typer.Option(help="The vector, such as play-376 or tichu-240.", metavar="SPEC")] = "play-375",
    seat: Annotated[
        int | None,
        typer.Option(
            help="The seat whose view is encoded.", show_default="the seat that decides", min=0, max=3, metavar="N"
        ),
    ] = None,
    scaling: Annotated[
        Path | None,
        typer.Option(
            help="Scale points as this scaling.json says.", show_default="points are not scaled", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Prints the decisions of a game log as networks read them, a line of JSON for each.

    Example: tichu features --file 2203201.tch --round 0 --turn 3
    """
    from tichu_models.observation.scaling import Scaling, ScalingError
    from tichu_models.observation.specs import SpecError
    from tichu_models.observation.specs import spec as find_spec
    from tichu_pipeline.features.log_decisions import DecisionFilter, LogError, decisions_of

    try:
        chosen = find_spec(spec)
    except SpecError as error:
        raise typer.BadParameter(str(error), param_hint="--spec") from error
    try:
        constants = Scaling.load(scaling) if scaling else None
        if constants:
            constants.check(chosen.table)
        for decision in decisions_of(file, chosen, DecisionFilter(round_index, turn, seat), constants):
            typer.echo(json.dumps(decision))
    except (LogError, ScalingError) as error:
        fail(str(error))
