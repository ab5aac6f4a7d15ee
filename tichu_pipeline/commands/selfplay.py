"""`tichu selfplay`: a player that learns from games against itself."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, WorkersOption, fail, workers_of

if TYPE_CHECKING:
    from tichu_models.rl.progress import SelfplayProgress

SECONDS_BETWEEN_LINES = 5.0
INTERRUPTED = 130  # exit status, as of a shell


def selfplay(
    run: Annotated[
        str, typer.Argument(help="The run's name, as a folder of DATA/runs.", autocompletion=completion.runs)
    ],
    start: Annotated[
        str,
        typer.Option(
            "--from",
            help="A run of self-play whose networks it begins with.",
            show_default="random networks",
            metavar="RUN",
            autocompletion=completion.runs,
        ),
    ] = "",
    preset: Annotated[
        str | None,
        typer.Option(
            help="smoke, demo, laptop (the default) or full.",
            metavar="PRESET",
            autocompletion=completion.presets,
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Stop after so many minutes; the same command goes on from there.",
            show_default="until it is finished",
            min=0,
            metavar="MINUTES",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting, such as iterations=500; may be repeated.",
            show_default=False,
            metavar="KEY=VALUE",
        ),
    ] = None,
    workers: WorkersOption = None,
    data: DataOption = Path("data"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace another run of this name.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Trains a player by self-play.

    It needs no logs. If it is interrupted, call it again: it goes on from the state that was saved last.

    Example: tichu selfplay mine --preset laptop --minutes 30
    """
    from tichu_models.options import OptionError
    from tichu_models.rl.settings import DEFAULT_PRESET, PRESETS
    from tichu_models.runs.manifest import CheckpointError
    from tichu_pipeline.selfplay.runs import SelfplayRequest, evaluation_line
    from tichu_pipeline.selfplay.train import TrainingError, train_run
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.workers import WorkersError
    from tichu_pipeline.training.forking import THRIFTY
    from tichu_pipeline.training.runs import RunError

    if preset is not None and preset not in PRESETS:
        raise typer.BadParameter(f"expected one of {', '.join(PRESETS)}", param_hint="--preset")
    request = SelfplayRequest(run, preset or DEFAULT_PRESET, tuple(settings or ()), start)
    for name, value in THRIFTY.items():  # before torch is loaded
        os.environ.setdefault(name, value)
    try:
        with shown() as (progress, say):
            made = train_run(
                DataPaths(data),
                request,
                workers_of(workers),
                minutes,
                progress,
                evaluated=lambda figures: say(evaluation_line(figures)),
                replace=replace,
            )
    except (OptionError, RunError, CheckpointError, TrainingError, WorkersError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from the state that was saved last", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        facts = {"run": made.name, "folder": str(made.path), "finished": made.finished, "reused": made.reused}
        typer.echo(json.dumps({**facts, "seconds": round(made.seconds, 2), "figures": made.figures}))
        return
    how = "was there" if made.reused else f"{made.seconds:.0f} s"
    how += "" if made.finished else "; it is not finished: the same command goes on"
    figures = evaluation_line(made.figures) if made.figures else "not evaluated yet"
    typer.echo(f"{made.path}: {figures}, {how}")


@contextmanager
def shown() -> Iterator[tuple[Callable[[SelfplayProgress], None], Callable[[str], None]]]:
    """Shows how far a run is, on standard error: in one line of a terminal, else in a line now and then. The second
    function prints a line that stays."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def now_and_then(progress: SelfplayProgress) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                typer.echo(str(progress), err=True)

        yield now_and_then, lambda line: typer.echo(line, err=True)
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with console.status("loading") as status:
        yield lambda progress: status.update(str(progress)), console.print
