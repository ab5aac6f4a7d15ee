"""The command `tichu`: which commands there are. What each prints stands in `commands`, the work itself elsewhere.

Exit status: 0 fine, 1 the input is at fault, 2 wrong usage. Heavy modules are imported by the command that needs them,
so that the others start at once.
"""

from __future__ import annotations

import typer

from tichu_pipeline.commands import database, logs, moves, playing, rounds, standing, tournaments, training
from tichu_pipeline.commands.terminal import Commands

app = typer.Typer(
    name="tichu",
    help="Tichu logs, analysis and players.",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


@app.callback()
def main() -> None:
    """Tichu logs, analysis and players."""


for command in (
    *(moves.moves, logs.generate, logs.download, rounds.ingest, logs.inspect, rounds.show, rounds.export),
    *(database.analyse, database.queries, database.query, database.sql, logs.features),
    *(
        training.train,
        training.runs,
        training.explain,
        training.calibrate,
        tournaments.tournament,
        tournaments.ladder,
        playing.play,
    ),
    *(standing.status, standing.doctor),
):
    app.command()(command)

if __name__ == "__main__":
    app()
