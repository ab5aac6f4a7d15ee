"""`tichu tournament` and `tichu ladder`: agents against each other, and the table of them all."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_models.arena.defaults import DEALS, SEED
from tichu_pipeline.commands.terminal import DataOption, JsonOption, WorkersOption, bar, fail, workers_of

if TYPE_CHECKING:
    from rich.console import Console

    from tichu_pipeline.tournaments.replaying import Replay

MOST_DEALS = 50_000  # until it is decided
MARGIN = 2.0


def tournament(
    agents: Annotated[
        list[str] | None, typer.Argument(help="Two or more: random, heuristic, heuristic:blunder=.1, ..")
    ] = None,
    deals: Annotated[int | None, typer.Option(help=f"Duplicate deals a pairing. [default: {DEALS}]", min=1)] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Whole games to 1000 a pairing instead, half of them over the same deals with seats swapped.", min=1
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same deals.", min=0)] = SEED,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="Stop a pairing as soon as it is clear who is better (sequential test, errors of 5 %).",
        ),
    ] = False,
    margin: Annotated[float, typer.Option(help="With it: by how many points a round.", min=0.01)] = MARGIN,
    limit: Annotated[
        float | None, typer.Option(help="Seconds that a decision may take; who takes longer forfeits.", min=0.001)
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            help="A run of a ValueNet that says what luck promises; reported beside, taken away.", metavar="RUN"
        ),
    ] = None,
    workers: WorkersOption = None,
    name: Annotated[str, typer.Option(help="Of the file DATA/tournaments/NAME.parquet.")] = "latest",
    logs: Annotated[Path | None, typer.Option(help="Folder for the games as logs, NAME.zip.")] = None,
    replay: Annotated[
        int | None,
        typer.Option(
            help="Play only this table again and show it; without agents, of tournament NAME.", metavar="TABLE"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Play though the same tournament is there.")] = False,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Every two agents play the same deals, each deal twice with the teams' seats swapped."""
    if deals and games:
        raise typer.BadParameter(
            "deals are single rounds, games are whole ones; expected one of the two", param_hint="--games"
        )
    if not agents and replay is None:
        raise typer.BadParameter("expected two or more", param_hint="AGENTS")
    from rich.console import Console

    from tichu_models.agents.registry import AgentError
    from tichu_models.arena.summary import summary
    from tichu_models.arena.tournament import Order, TournamentError
    from tichu_models.statistics import SequentialTest
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.workers import WorkersError
    from tichu_pipeline.tournaments.files import TournamentFileError
    from tichu_pipeline.tournaments.replaying import replay as replay_table
    from tichu_pipeline.tournaments.replaying import replay_stored
    from tichu_pipeline.tournaments.running import BadNameError, ControlError, run
    from tichu_pipeline.tournaments.terminal import show

    paths, console = DataPaths(data), Console()
    most = MOST_DEALS if until_decided else DEALS
    number = (games + 1) // 2 if games else deals or most
    test = SequentialTest(margin) if until_decided else None
    try:
        order = Order(tuple(agents), number, seed, games is not None, limit, test, control) if agents else None
        if replay is not None:
            again = replay_table(paths, replay, order) if order else replay_stored(paths, replay, name)
            _tell_replay(console, replay, again, as_json)
            return
        assert order is not None
        with bar("deals", len(order.pairings) * number, shown=not as_json) as done:
            made = run(paths, name, order, workers_of(workers), force, logs, done)
    except (AgentError, TournamentError, TournamentFileError, BadNameError, ControlError, WorkersError) as error:
        fail(str(error))
    facts = summary(made.played)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    show(console, facts, name)
    console.print(
        f"{made.path}, {'was there' if made.reused else f'{made.seconds:.1f} s'}", highlight=False, markup=False
    )


def _tell_replay(console: Console, table: int, again: Replay, as_json: bool) -> None:
    """Shows a table that was played again; ends with status 1 if it is not the game that was played."""
    from tichu_pipeline.tournaments.terminal import show_replay

    if as_json:
        rounds = [
            {"round_index": int(row["round_index"]), "score": row["score"].tolist()} for row in again.part.results
        ]
        forfeits = [asdict(entry) for entry in again.part.forfeits]
        known = {"same_runs": again.same_runs, "as_played": again.as_played}
        typer.echo(json.dumps({"table": table, "rounds": rounds, "forfeits": forfeits, **known}))
    else:
        show_replay(console, again.order, table, again.part)
    if again.differences:
        fail("; ".join(again.differences))


def ladder(
    name: Annotated[str, typer.Option(help="The tournament, DATA/tournaments/NAME.parquet.")] = "ladder",
    readme: Annotated[Path | None, typer.Option(help="A file with a place for it, which is rewritten.")] = None,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Prints the ladder of a tournament as Markdown, or writes it into a README."""
    from tichu_models.arena.summary import summary
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.tournaments.files import TournamentFileError, read
    from tichu_pipeline.tournaments.ladder import PlaceError, insert, markdown
    from tichu_pipeline.tournaments.running import BadNameError, tournament_path

    try:
        facts = summary(read(tournament_path(DataPaths(data), name)))
        if readme:
            insert(readme, markdown(facts))
    except (TournamentFileError, BadNameError, PlaceError) as error:
        fail(str(error))
    typer.echo(json.dumps(facts["ratings"]) if as_json else markdown(facts))
