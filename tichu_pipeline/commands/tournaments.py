"""`tichu tournament` and `tichu ladder`: agents against each other, and the ladder as Markdown."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_models.arena.defaults import DEALS, SEED
from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, WorkersOption, bar, fail, workers_of

if TYPE_CHECKING:
    from rich.console import Console

    from tichu_pipeline.tournaments.replaying import Replay

MOST_DEALS = 50_000  # with --until-decided
MARGIN = 2.0  # points a round


def tournament(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two or more agents: random, heuristic, policy:RUN, ..; docs/players.md lists all.",
            show_default=False,
            autocompletion=completion.agents,
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(help=f"Duplicate deals for each pairing, {DEALS:,} by default.", min=1, metavar="N")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Whole games to 1,000 points for each pairing instead of single deals; every second game repeats the "
            "deals of the one before with seats swapped.",
            show_default="single deals",
            min=1,
            metavar="N",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same deals.", min=0, metavar="N")] = SEED,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="Stop a pairing once it is clear who is better (sequential test, 5 % errors).",
        ),
    ] = False,
    margin: Annotated[
        float,
        typer.Option(
            help="The difference that --until-decided tests for, in points a round.", min=0.01, metavar="POINTS"
        ),
    ] = MARGIN,
    limit: Annotated[
        float | None,
        typer.Option(
            help="The time for a decision; an agent that takes longer forfeits.",
            show_default="no limit",
            min=0.001,
            metavar="SECONDS",
        ),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            help="A ValueNet run that estimates the luck of the cards; points are reported without this luck, too.",
            metavar="RUN",
            autocompletion=completion.runs,
        ),
    ] = None,
    workers: WorkersOption = None,
    name: Annotated[
        str,
        typer.Option(
            help="The tournament is stored under this name in DATA/tournaments.",
            metavar="NAME",
            autocompletion=completion.tournaments,
        ),
    ] = "latest",
    logs: Annotated[
        Path | None,
        typer.Option(help="Also write the games as logs, DIR/NAME.zip.", show_default="no logs", metavar="DIR"),
    ] = None,
    replay: Annotated[
        int | None,
        typer.Option(
            help="Play one table again and show its moves; without agents, a table of tournament NAME.",
            show_default=False,
            metavar="TABLE",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Play although the same tournament is stored.")] = False,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Plays agents against each other over the same deals.

    Every two agents play each deal twice, with the teams' seats swapped, so that good cards help neither.

    Example: tichu tournament heuristic random --deals 1000
    """
    if deals and games:
        raise typer.BadParameter(
            "--deals plays single rounds, --games whole games; expected one of the two", param_hint="--games"
        )
    if not agents and replay is None:
        raise typer.BadParameter("expected two or more", param_hint="AGENTS")
    from rich.console import Console

    from tichu_models.agents.registry import AgentError
    from tichu_models.arena.summary import summary
    from tichu_models.arena.tournament import TournamentError, TournamentRequest
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
        request = (
            TournamentRequest(tuple(agents), number, seed, games is not None, limit, test, control) if agents else None
        )
        if replay is not None:
            again = replay_table(paths, replay, request) if request else replay_stored(paths, replay, name)
            _print_replay(console, replay, again, as_json)
            return
        assert request is not None
        with bar("deals", len(request.pairings) * number, shown=not as_json) as done:
            made = run(paths, name, request, workers_of(workers), force, logs, done)
    except (AgentError, TournamentError, TournamentFileError, BadNameError, ControlError, WorkersError) as error:
        fail(str(error))
    facts = summary(made.played)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    show(console, facts, name)
    console.print(
        f"{made.path}, {'was there (--force plays it again)' if made.reused else f'{made.seconds:.1f} s'}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def _print_replay(console: Console, table: int, again: Replay, as_json: bool) -> None:
    """Prints a table that was played again; ends with status 1 if it differs from the stored game."""
    from tichu_pipeline.tournaments.terminal import show_replay

    if as_json:
        rounds = [
            {"round_index": int(row["round_index"]), "score": row["score"].tolist()} for row in again.part.results
        ]
        forfeits = [asdict(entry) for entry in again.part.forfeits]
        known = {"same_runs": again.same_runs, "as_played": again.as_played}
        typer.echo(json.dumps({"table": table, "rounds": rounds, "forfeits": forfeits, **known}))
    else:
        show_replay(console, again.request, table, again.part)
    if again.differences:
        fail("; ".join(again.differences))


def ladder(
    name: Annotated[
        str, typer.Option(help="A stored tournament.", metavar="NAME", autocompletion=completion.tournaments)
    ] = "ladder",
    readme: Annotated[
        Path | None,
        typer.Option(help="A Markdown file to write it into.", show_default="print", metavar="FILE"),
    ] = None,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Prints the ladder of a tournament as Markdown, or writes it into a file.

    The ladder replaces the lines of the file between "<!-- ladder: .. -->" and "<!-- end of the ladder -->".

    Example: tichu ladder --readme docs/playing.md
    """
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
