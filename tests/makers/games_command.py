"""`tichu games` as tests call it."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from tichu_pipeline.cli import app


def run(*arguments: str, typed: str | None = None) -> tuple[int, str, str]:
    """Exit status, output and complaints of `tichu games`."""
    result = CliRunner().invoke(app, ["games", *arguments], input=typed)
    return result.exit_code, result.stdout, result.stderr


def answer(*arguments: str) -> Any:
    """The JSON of a command that succeeds."""
    status, output, complaints = run(*arguments, "--json")
    assert status == 0, complaints
    return json.loads(output)
