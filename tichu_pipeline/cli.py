"""The command `tichu`: its subcommands and their groups. The subcommands are in `commands`.

Exit status: 0 success, 1 wrong input, 2 wrong usage. A command imports heavy modules itself, so that the others start
at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from tichu_pipeline.commands import (
    calibration,
    database,
    exploit,
    games,
    games_learned,
    games_played,
    games_report,
    games_studied,
    logs,
    moves,
    playing,
    review,
    rounds,
    selfplay,
    standing,
    tournaments,
    training,
    year,
)
from tichu_pipeline.commands.terminal import Commands

# In the order in which `tichu --help` shows them.
GROUPS = {
    "Data": (
        *(logs.generate, logs.download, rounds.ingest),
        *(logs.inspect, rounds.show, rounds.export, logs.features),
    ),
    "Questions": (database.analyse, database.queries, database.query, database.sql),
    "Networks": (
        *(training.train, selfplay.selfplay, exploit.exploit),
        *(training.runs, training.explain, calibration.calibrate),
    ),
    "Playing": (tournaments.tournament, tournaments.ladder, playing.play, review.review, year.year, moves.moves),
    "House-keeping": (standing.status, standing.doctor),
}
# Commands with subcommands, by name: their group, what they are about, and the subcommands by theirs.
SUBCOMMANDS: dict[str, tuple[str, str, dict[str, Callable[..., None]]]] = {
    "games": (
        "Playing",
        "Board games beside Tichu: rules, legal moves, matches of agents, and playing yourself.",
        {
            "list": games.list_games,
            "rules": games.rules,
            "perft": games.perft,
            "complexity": games.complexity,
            "optimum": games.optimum,
            "legal": games.legal,
            "apply": games.apply,
            "match": games_played.match,
            "play": games_played.play,
            "train": games_learned.train,
            "experiment": games_studied.experiment,
            "report": games_report.report,
        },
    ),
}

app = typer.Typer(
    name="tichu",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"tichu {version('tichu')}")
        raise typer.Exit


def _in_paragraphs(docstring: str) -> str:
    """A docstring with each paragraph on one line, which the terminal wraps to its width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n"))


HELP = """Tichu game logs, a database of them, trained players and tournaments.

Every command has a help page, such as tichu ingest --help. Commands that use a data folder take --data DIR; the default
is data/. The exit status is 0 for success, 1 for wrong input, and 2 for wrong usage.
"""


@app.callback(help=_in_paragraphs(HELP))
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of `tichu` itself."""


for group, commands in GROUPS.items():
    for command in commands:
        app.command(help=_in_paragraphs(command.__doc__ or ""), rich_help_panel=group)(command)
for name, (group, about, subcommands) in SUBCOMMANDS.items():
    below = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_show_locals=False)
    for subname, subcommand in subcommands.items():
        below.command(subname, help=_in_paragraphs(subcommand.__doc__ or ""))(subcommand)
    app.add_typer(below, name=name, help=about, rich_help_panel=group)

if __name__ == "__main__":
    app(prog_name="tichu")
