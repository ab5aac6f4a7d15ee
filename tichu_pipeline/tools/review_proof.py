"""`python -m tichu_pipeline.tools.review_proof`: how far the judge of `tichu review` can be trusted.

`planted` judges decisions of generated games with every answer in the place of the given one; `calibration` does so
with one answer of many more decisions, against far more deals; `true-deals` asks what the judge's better answers would
have gained on the deals as they lay. They go on where they were: games that have been done are not done again, so that
the proof can be made in parts. `strength` compares reviews of a generated corpus with
what its generator knows. Facts are collected in docs/review_proof.json, the page docs/review_proof.md is made of them
alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tichu_models.agents.names import CHAMPION
from tichu_models.records.schema import Rounds
from tichu_models.review.settings import JudgeSettings
from tichu_models.whole_files import write_whole
from tichu_pipeline.review.logs import games_in
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Processes, Serial
from tichu_pipeline.tools.review_planted import GameTask, facts_of
from tichu_pipeline.tools.review_proof_page import ROW, page
from tichu_pipeline.tools.review_strength import LEAST_DECISIONS, strength
from tichu_pipeline.tools.review_true_deals import DealsTask, gains_of

app = typer.Typer(add_completion=False, help=__doc__)

Facts = dict[str, Any]
Out = Annotated[Path, typer.Option(help="The page; its facts are beside it, as JSON.", metavar="FILE")]
Data = Annotated[Path, typer.Option(help="The data folder, for runs.", metavar="DIR")]
Player = Annotated[str, typer.Option(help="Who plays the games, and is the referee.", metavar="AGENT")]
Games = Annotated[int, typer.Option(help="Games, those that have been done included.", min=1)]
First = Annotated[int, typer.Option(help="The first of these games.", min=0)]
Seed = Annotated[int, typer.Option(help="Of the games.", min=0)]
WorkerCount = Annotated[int, typer.Option(help="Processes that judge.", min=1)]

PAGE = Path("docs/review_proof.md")
SEED = 7001  # other games than those by which the judge's settings were chosen


def facts_at(out: Path) -> Facts:
    """The facts beside the page; none if there are none yet."""
    path = out.with_suffix(".json")
    return json.loads(path.read_text()) if path.exists() else {}


def keep(out: Path, facts: Facts) -> None:
    """Writes facts and page."""
    write_whole(out.with_suffix(".json"), json.dumps(facts, separators=(",", ":")).replace("]],", "]],\n") + "\n")
    write_whole(out, page(facts))


def part_of(facts: Facts, name: str, about: Facts) -> dict[str, Any]:
    """The games of a part of the facts. Those that were made by other settings are forgotten."""
    if facts.get(name, {}).get("about") != about:
        facts[name] = {"about": about, "games": {}}
    games: dict[str, Any] = facts[name]["games"]
    return games


@app.command()
def planted(
    games: Games = 40,
    first: First = 0,
    decisions: Annotated[int, typer.Option(help="Decisions of a game.", min=1)] = 9,
    deals: Annotated[int, typer.Option(help="Deals by which values are measured.", min=8)] = 2400,
    player: Player = CHAMPION,
    seed: Seed = SEED,
    data: Data = Path("data"),
    workers: WorkerCount = 2,
    out: Out = PAGE,
) -> None:
    """Judges decisions whose answers have known values."""
    task = GameTask(player, DataPaths(data).runs, seed, first, decisions, deals)
    _measure("planted", task, games, workers, out)


@app.command()
def calibration(
    games: Games = 100,
    first: First = 0,
    decisions: Annotated[int, typer.Option(help="Decisions of a game.", min=1)] = 10,
    deals: Annotated[int, typer.Option(help="Deals by which values are measured.", min=8)] = 24_000,
    player: Player = "heuristic",
    seed: Seed = SEED + 2,
    data: Data = Path("data"),
    workers: WorkerCount = 2,
    out: Out = PAGE,
) -> None:
    """Judges decisions whose losses are known by many more deals. How sure figures are depends on the judge's
    statistics, hardly on the referee, so that a fast one will do."""
    task = GameTask(player, DataPaths(data).runs, seed, first, decisions, deals, one=True)
    _measure("calibration", task, games, workers, out)


def _measure(part: str, task: GameTask, games: int, workers: int, out: Path) -> None:
    """Judges those games of a part of the facts, from the task's on, that have not been judged yet."""
    facts = facts_at(out)
    about = {"player": task.player, "seed": task.seed, "decisions": task.decisions, "deals": task.deals, **_looks()}
    done = part_of(facts, part, about)
    tasks = [replace(task, game=game) for game in range(task.game, games) if str(game) not in done]
    with Processes(workers) if workers > 1 else Serial() as pool:
        for each, rows in zip(tasks, pool.map(facts_of, tasks), strict=True):
            done[str(each.game)] = [[_short(row[name]) for name in ROW] for row in rows]
            keep(out, facts)
    typer.echo(f"{out}: {len(done)} games, {sum(map(len, done.values()))} answers judged")


@app.command()
def true_deals(
    logs: Annotated[list[Path] | None, typer.Argument(help="Logs of people; without any, games are generated.")] = None,
    name: Annotated[str, typer.Option(help="What the page calls these games.")] = CHAMPION,
    games: Games = 30,
    first: First = 0,
    deals: Annotated[int, typer.Option(help="Supposed deals of a decision.", min=8)] = 48,
    player: Player = CHAMPION,
    seed: Seed = SEED + 1,
    data: Data = Path("data"),
    workers: WorkerCount = 2,
    out: Out = PAGE,
) -> None:
    """Compares what better answers gain on supposed deals and on the true ones."""
    facts, runs = facts_at(out), DataPaths(data).runs
    about = {"player": player, "deals": deals, "seed": seed}
    done = part_of(facts.setdefault("true_deals", {}), name, about)
    tasks = {str(game): DealsTask(player, runs, seed, deals, game) for game in range(first, first if logs else games)}
    for log in games_in(logs or [], typer.echo):
        tasks[str(log.game_id)] = DealsTask(player, runs, seed, deals, log.key, Rounds(log.rows, log.history))
    left = {game: task for game, task in tasks.items() if game not in done}
    with Processes(workers) if workers > 1 else Serial() as pool:
        for game, rows in zip(left, pool.map(gains_of, left.values()), strict=True):
            done[game] = [[_short(each) for each in row] for row in rows]
            keep(out, facts)
    typer.echo(f"{out}: {name}, {len(done)} games, {sum(map(len, done.values())) // 2} decisions")


@app.command("strength")
def strength_of(
    data: Annotated[Path, typer.Argument(help="A data folder with a generated corpus and reviews of it.")],
    least: Annotated[int, typer.Option(help="Decisions of a player who is ranked.", min=2)] = LEAST_DECISIONS,
    out: Out = PAGE,
) -> None:
    """Compares losses with what the generator of a corpus knows of its players. The stage `reviews` judges it."""
    facts = facts_at(out)
    found = strength(DataPaths(data), least)
    facts.setdefault("strength", {})[found["referee"]] = found
    keep(out, facts)
    typer.echo(json.dumps(found))


@app.command("page")
def page_again(out: Out = PAGE) -> None:
    """Writes the page again from its facts."""
    keep(out, facts_at(out))


def _looks() -> Facts:
    """The judge's settings, of which the figures are."""
    settings = JudgeSettings()
    return {"looks": [settings.deals, settings.more, settings.again]}


def _short(value: Any) -> Any:
    """Truth values as 0 and 1."""
    return int(value) if isinstance(value, bool) else value


if __name__ == "__main__":
    app()
