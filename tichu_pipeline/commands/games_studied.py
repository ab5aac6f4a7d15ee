"""`tichu games experiment`: studies of games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands.terminal import DataOption, JsonOption, fail, print_table


def experiment(
    study: Annotated[str, typer.Argument(help="A study; without one they are listed.", metavar="[ID]")] = "",
    preset: Annotated[str, typer.Option(help="smoke, demo or laptop.", metavar="PRESET")] = "demo",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A size, such as games=100; may be repeated.", show_default=False, metavar="KEY=VALUE"
        ),
    ] = None,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Makes a study of a game: a table, facts as JSON, and a picture where one helps.

    Example: tichu games experiment complexity --preset laptop
    """
    from tichu_models.options import OptionError
    from tichu_models.runs.files import CheckpointError
    from tichu_pipeline.games.studies.study import STUDIES, make, picture_of, size_of, study_of
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.run_folders import RunError

    if not study:
        for name in STUDIES:
            typer.echo(f"{name:<16} {study_of(name).about}")
        return
    try:
        made = make(DataPaths(data), study, size_of(study, preset, settings or ()))
    except (OptionError, RunError, CheckpointError) as error:
        fail(str(error))
    if as_json:
        typer.echo(json.dumps({"study": study, "reused": made.reused, **made.facts}))
        return
    for table in study_of(study).tables(made.facts):
        typer.echo(table.about)
        print_table(table.headings, table.rows, {}, whole=1)
        typer.echo("")
    picture = picture_of(made.path)
    typer.echo(f"{made.path}" + (f", {picture}" if picture.exists() else ""))
