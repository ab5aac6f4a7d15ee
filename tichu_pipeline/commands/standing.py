"""`tichu status`, `tichu doctor`: the state of a data folder, and of this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from tichu_pipeline.commands.terminal import DataOption, JsonOption, print_table


def status(
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Shows what each stage has made, whether it is fresh, stale or missing, and why.

    Example: tichu status --data /tmp/tichu
    """
    from rich.filesize import decimal

    from tichu_pipeline.status.stages import status as look
    from tichu_pipeline.storage.folders import DataPaths

    colours = {"fresh": "green", "stale": "yellow", "missing": "red"}
    standings = look(DataPaths(data))
    if as_json:
        typer.echo(json.dumps([asdict(stage) for stage in standings]))
        return
    headings = ("stage", "state", "contents", "size", "why")
    rows = [
        (stage.stage, stage.state, stage.there, decimal(stage.bytes) if stage.bytes else "", "\n".join(stage.reasons))
        for stage in standings
    ]
    print_table(headings, rows, colours, 2)


def doctor(
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Checks this machine and the installation, and says how to fix what is wrong.

    It ends with status 1 if something has to be fixed.
    """
    from tichu_pipeline.status.doctor import Severity, examine
    from tichu_pipeline.storage.folders import DataPaths

    colours = {"fine": "green", "note": "yellow", "fail": "red"}
    findings = examine(DataPaths(data))
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        rows = [(finding.subject, finding.verdict, finding.found, finding.remedy) for finding in findings]
        print_table(("checked", "result", "found", "what to do"), rows, colours, 2)
    raise typer.Exit(int(any(finding.verdict is Severity.FAIL for finding in findings)))
