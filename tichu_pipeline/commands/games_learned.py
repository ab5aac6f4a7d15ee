"""`tichu games train`: how agents of games learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_pipeline.commands.games import GameArgument, game_of
from tichu_pipeline.commands.terminal import DataOption, JsonOption, bar, fail

if TYPE_CHECKING:
    from tichu_models.games.learning.run import GameProgress

INTERRUPTED = 130  # exit status, as of a shell


def train(
    name: GameArgument,
    run: Annotated[
        str, typer.Argument(help="The run's name.", metavar="[RUN]", show_default="the name of the method")
    ] = "",
    method: Annotated[str, typer.Option(help="How to learn: td, ppo or muzero.", metavar="METHOD")] = "td",
    preset: Annotated[
        str, typer.Option(help="smoke, demo, laptop, or one of the game's own.", metavar="PRESET")
    ] = "demo",
    minutes: Annotated[
        float | None,
        typer.Option(help="How long to learn.", show_default="the preset's iterations", min=0.001, metavar="M"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A setting, such as hidden=80; may be repeated.", show_default=False, metavar="KEY=VALUE"
        ),
    ] = None,
    data: DataOption = Path("data"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace another run of this name.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Lets a network learn a game. The agent METHOD:RUN plays with it.

    If it is interrupted, call it again: it goes on from the state that was saved last.

    Example: tichu games train chameleon mine --method td --minutes 10
    """
    from tichu_models.games.learning.methods import NAMES, offer
    from tichu_models.games.learning.settings import presets_of
    from tichu_models.options import OptionError
    from tichu_models.runs.files import CheckpointError
    from tichu_pipeline.games.runs import GameRunRequest
    from tichu_pipeline.games.train import train_run
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.run_folders import RunError

    if method not in NAMES:
        raise typer.BadParameter(f"{method}: {offer(game_of(name).name)}", param_hint="--method")
    if preset not in (offered := presets_of(name, method)):
        raise typer.BadParameter(f"{preset}: expected {', '.join(offered)}", param_hint="--preset")
    limit = () if minutes is None else (f"minutes={minutes}",)
    request = GameRunRequest(game_of(name).name, method, run, preset, (*(settings or ()), *limit))
    try:
        with bar("percent", 100, not as_json) as advance:
            shown = 0

            def progress(now: GameProgress) -> None:
                nonlocal shown
                advance(int(100 * now.share) - shown)
                shown = int(100 * now.share)

            made = train_run(DataPaths(data), request, progress, replace=replace)
    except (OptionError, RunError, CheckpointError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from the state that was saved last", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        facts = {
            "game": made.game,
            "method": made.method,
            "run": made.name,
            "agent": f"{method}:{made.name}",
            "folder": str(made.path),
            "reused": made.reused,
            "seconds": round(made.seconds, 2),
            "figures": made.figures,
        }
        typer.echo(json.dumps(facts))
        return
    how = "it was there" if made.reused else f"{made.seconds:.0f} s"
    typer.echo(f"{made.path}: {made.rows:,} games, {how}")
    for line in made.lines:
        typer.echo(f"  {line}")
