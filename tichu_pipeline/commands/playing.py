"""`tichu play`: a game with a person in the terminal."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tichu_pipeline.commands import completion
from tichu_pipeline.commands.terminal import DataOption, fail


def play(
    agents: Annotated[
        str,
        typer.Option(
            help="The other players: right, partner, left, separated by commas; or one for all.",
            metavar="AGENTS",
            autocompletion=completion.agents,
        ),
    ] = "heuristic",
    seat: Annotated[int, typer.Option(help="Your seat; 0 and 2 play together.", min=0, max=3, metavar="N")] = 0,
    hint: Annotated[bool, typer.Option("--hint", help="Show at every question what the adviser would answer.")] = False,
    adviser: Annotated[
        str | None,
        typer.Option(
            help="The agent who advises you.",
            show_default="your partner",
            metavar="AGENT",
            autocompletion=completion.agents,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same deals.", show_default="chance", min=0, metavar="N")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name in the log.", metavar="NAME")] = "you",
    logs: Annotated[
        Path | None, typer.Option(help="The folder for the log.", show_default="DATA/played", metavar="DIR")
    ] = None,
    data: DataOption = Path("data"),
) -> None:
    """Lets you play a game in the terminal.

    Every finished round is written to a log. Type q to leave.

    Example: tichu play --agents policy:policy_net --hint
    """
    from rich.console import Console

    from tichu_models.agents.registry import AgentError, agent_from
    from tichu_models.arena.referee import IllegalAnswer
    from tichu_models.players.base import Agent
    from tichu_models.rules.state import LEFT, PARTNER, RIGHT
    from tichu_pipeline.storage.folders import DataPaths
    from tichu_pipeline.table.session import play_game
    from tichu_pipeline.table.terminal import HELP, Person, QuitGame
    from tichu_pipeline.tournaments.facts import who_answers

    def ask(question: str) -> str:
        return console.input(question, markup=False)  # without markup: questions have [brackets]

    paths, console, now = DataPaths(data), Console(), datetime.now(tz=UTC)
    texts = split_agents(agents)
    if len(texts) not in (1, 3):
        raise typer.BadParameter(f"{len(texts)} agents; expected one or three", param_hint="--agents")
    log = (logs or paths.played) / f"{now:%Y%m}" / f"{now:%Y%m%d%H%M%S}.tch"
    try:
        others = [agent_from(text, paths.runs) for text in (texts * 3)[:3]]
        advising = agent_from(adviser or texts[len(texts) // 2], paths.runs)
        person = Person(name, console, ask, advising, hint)
        players: list[Agent] = [person] * 4
        names = [name] * 4
        for to, place, agent in zip((RIGHT, PARTNER, LEFT), ("right", "partner", "left"), others, strict=True):
            players[(seat + to) & 3] = agent
            names[(seat + to) & 3] = f"{agent.name}-{place}"
        console.print(HELP, highlight=False, markup=False)
        for agent in {each.name: each for each in (*others, advising)}.values():
            if agent.answered_by:
                console.print(f"{agent.name}: {who_answers(agent.answered_by)}", highlight=False, markup=False)
        play_game(players, names, seat, secrets.randbits(32) if seed is None else seed, log, console)
    except QuitGame:
        console.print()
    except (AgentError, IllegalAnswer) as error:
        fail(str(error))
    if log.exists():
        console.print(f"The log: {log}", highlight=False, markup=False)


def split_agents(text: str) -> list[str]:
    """Splits names of agents at commas. `key=value` belongs to the name before it: `policy:run,top_k=3,random`."""
    names: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if names and ":" not in part and "=" in part:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names
