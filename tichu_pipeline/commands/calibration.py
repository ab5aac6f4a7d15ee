"""`tichu calibrate`: whether a network that is asked for more points wins more, and games with the score in mind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tichu_models.arena.defaults import DEALS
from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, bar, fail, print_table


def calibrate(
    run: Annotated[
        str, typer.Argument(help="A run of a GCPolicyNet, DTNet or GCPolicyRLNet.", autocompletion=completion.runs)
    ],
    goals: Annotated[
        list[float] | None,
        typer.Option(
            "--goal",
            help="A goal in points a round; may be repeated.",
            show_default="-300, -200 .. 300",
            metavar="POINTS",
        ),
    ] = None,
    score: Annotated[
        str,
        typer.Option(
            help="Instead of goals: whole games that begin at this score, as 700:900, played with and without it.",
            metavar="A:B",
        ),
    ] = "",
    deals: Annotated[
        int, typer.Option(help="Duplicate deals for each goal, or games of each kind.", min=2, metavar="N")
    ] = DEALS,
    seed: Annotated[int, typer.Option(help="The same seed gives the same deals.", min=0, metavar="N")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Play although nothing has changed.")] = False,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Measures whether a network that is asked for more points wins more.

    It plays against itself without a goal, over the same deals with each goal. With --score it plays whole games: a
    network that learned from self-play takes its goal from the game's score.

    Example: tichu calibrate gc_policy_net --deals 200
    """
    from tichu_models.agents.registry import AgentError
    from tichu_models.arena.calibration import GOALS
    from tichu_models.runs.manifest import CheckpointError
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.tournaments.calibration import calibrate_run, games_of_run
    from tichu_pipeline.training.runs import RunError

    asked, begin = goals or GOALS, _score(score)
    try:
        if begin is not None:
            with bar("deals", deals, shown=not as_json) as done:
                _say_games(games_of_run(DataPaths(data), run, begin, deals, seed, done), as_json)
            return
        with bar("deals", len(set(asked)) * deals, shown=not as_json) as done:
            made = calibrate_run(DataPaths(data), run, deals, asked, seed, force, done)
    except (RunError, AgentError, CheckpointError) as error:
        fail(str(error))
    facts = made.facts
    if as_json:
        typer.echo(json.dumps(facts))
        return
    rows = [
        (f"{each['asked']:+.0f}", f"{each['achieved']:+.1f}", "{:+.1f} .. {:+.1f}".format(*each["interval"]))
        for each in facts["goals"]
    ]
    print_table(("asked for", "achieved", "95 % interval"), rows, {})
    for name, unit, about in (("rho", 1, "Spearman's rho"), ("slope", 100, "points more for 100 that are asked more")):
        value, low, high = (unit * each for each in (facts[name]["value"], *facts[name]["interval"]))
        typer.echo(f"{about}: {value:.2f} ({low:.2f} .. {high:.2f})")
    typer.echo(f"{made.path}, {'was there' if made.reused else f'{made.seconds:.0f} s'}")


def _score(text: str) -> tuple[int, int] | None:
    """The score of a game from its text."""
    from tichu_models.rules.scoring import POINT_STEP
    from tichu_models.rules.state import GAME_GOAL

    if not text:
        return None
    own, _, other = text.partition(":")
    try:
        score = int(own), int(other)
    except ValueError:
        score = None
    if score is None or max(score) >= GAME_GOAL or any(points % POINT_STEP for points in score):
        raise typer.BadParameter(f"expected a score below {GAME_GOAL:,}, as 700:900", param_hint="--score")
    return score


def _say_games(facts: dict[str, Any], as_json: bool) -> None:
    """Prints what whole games have shown."""
    if as_json:
        typer.echo(json.dumps(facts))
        return
    first, second = facts["score"]
    about = {
        "won": f"of {facts['games']:,} games are won against the same player without goals",
        "gain_with_first_score": f"more are won than without goals at {first}:{second}",
        "gain_with_second_score": f"more are won than without goals at {second}:{first}",
    }
    for name, what in about.items():
        low, high = facts[name]["interval"]
        typer.echo(f"{facts[name]['value']:.2%} ({low:.2%} .. {high:.2%}) {what}")
