"""`tichu review`: what decisions in game logs cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tichu_models.agents.names import CHAMPION
from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, JsonOption, WorkersOption, bar, fail, workers_of
from tichu_pipeline.review.texts import Language


def review(
    paths: Annotated[list[Path], typer.Argument(help="Files (.tch), folders or zips of them, or ids of stored games.")],
    player: Annotated[
        str | None,
        typer.Option(help="Only decisions of this player.", show_default="all players", metavar="NAME"),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="The referee: it plays supposed deals on.",
            metavar="AGENT",
            autocompletion=completion.agents,
        ),
    ] = CHAMPION,
    beside: Annotated[
        str | None,
        typer.Option(
            help="A second opinion: where the two disagree is marked.",
            show_default="none",
            metavar="AGENT",
            autocompletion=completion.agents,
        ),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Look closer at every decision; eight times slower.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same review.", min=0, metavar="N")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a page that stands alone, to look at in a browser.", metavar="FILE.html"),
    ] = None,
    lang: Annotated[Language, typer.Option(help="The language of the page.")] = Language.EN,
    workers: WorkersOption = None,
    data: DataOption = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Tells what each decision in game logs cost, from what its player knew then.

    A referee tries the answers on supposed deals, and plays them on. Only differences that are more than noise count.

    Example: tichu review 2203201.tch --player Roe --out review.html
    """
    import os
    from dataclasses import replace

    import torch
    from rich.console import Console

    from tichu_models.agents.registry import AgentError, agent_from
    from tichu_models.review.judge import Judge
    from tichu_models.review.referee import RefereeError
    from tichu_models.review.report import review as judge_games
    from tichu_models.review.settings import DEEP, JudgeSettings
    from tichu_models.review.tasks import Referees, RoundTask, judge_task
    from tichu_pipeline.review.logs import PlayerError, check_player, games_in, worth_of_deals
    from tichu_pipeline.review.page import write_page
    from tichu_pipeline.review.terminal import show_review
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.storage.workers import Processes, Serial, WorkersError

    torch.set_num_threads(1)  # batches of a network are small: threads would only wait for each other
    paths_of_data = DataPaths(data)
    unread: list[str] = []
    games = list(games_in(paths, unread.append, paths_of_data))
    rounds = sum(len(game.rows) for game in games)
    if rounds == 0:
        fail("\n".join([*unread, "no sound round to review"]))
    cores = os.cpu_count() or 1
    pool = workers_of(workers) or (Processes(cores) if min(cores, rounds) > 1 else Serial())
    try:
        if player is not None:
            check_player(games, player)
        settings = replace(DEEP if deep else JudgeSettings(), seed=seed)
        agent = agent_from(by, paths_of_data.runs)
        judge = Judge(agent, settings)
        second = agent_from(beside, paths_of_data.runs) if beside else None
        if second:
            Judge(second, settings)
        referees = Referees(by, paths_of_data.runs, settings, beside)
        with bar("Reviewing", rounds, shown=True) as step:
            record = judge_games(
                *(games, judge, agent.name, worth_of_deals(), player),
                report=lambda done: step(round(done)),
                run=lambda parts: pool.map(judge_task, [RoundTask(part, referees, player) for part in parts]),
            )
        if second:
            record["referee"]["beside"] = second.name
    except (AgentError, PlayerError, RefereeError, WorkersError) as error:
        fail(str(error))
    if out is not None:
        write_page(out, record, games, lang)
    if as_json:
        typer.echo(json.dumps(record))
    else:
        show_review(record, Console())
        if out is not None:
            typer.echo(f"The page: {out}")
    if unread:
        fail("\n".join(unread))
