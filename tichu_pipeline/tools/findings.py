"""`python -m tichu_pipeline.tools.findings OWN OTHER`: what self-play has found out about Tichu, as docs/findings.md.

OWN and OTHER are data folders with the games of two players, written by `tichu generate --players`, ingested and
analysed. Facts are collected in docs/findings.json: the answers over both to all questions about logs, the habits in
which the players differ, what those are worth by duplicate deals, and what a grand Tichu gains by twin rounds. The page
and its pictures are drawn from these facts; nothing in them is written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tichu_models.agents.names import CHAMPION, FAST
from tichu_models.runs import files
from tichu_models.whole_files import write_whole
from tichu_pipeline.analysis.notebook import SELF_PLAY, execute
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import comparison
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Processes
from tichu_pipeline.tools import findings_questions as questions
from tichu_pipeline.tools.findings_grand import grand_of
from tichu_pipeline.tools.findings_habits import compared, habits_of
from tichu_pipeline.tools.findings_page import draw, page
from tichu_pipeline.tools.findings_worth import worth_of


def collect(
    own: DataPaths, other: DataPaths, runs: Path, run: str, deals: int, hands: int, workers: int
) -> dict[str, Any]:
    """All facts. The champion is the run that ships with the package; other runs are in the folder of runs."""
    shipped = run == CHAMPION
    player, folder = (f"{CHAMPION}:{FAST}", files.CHAMPION) if shipped else (f"policy:{run}", runs / run)
    answers = [questions.answers_of(paths) for paths in (own, other)]
    with Processes(workers) as processes:
        habits = compared(*(habits_of(paths, processes.map) for paths in (own, other)))
        typer.echo(f"{len(habits)} habits counted")
        worth = worth_of(player, runs, [habit["name"] for habit in habits], deals, processes.map)
        typer.echo(f"their worth measured by {deals:,} deals each")
        grand = grand_of(folder, hands, processes.map)
        typer.echo("grand Tichus valued by twin rounds")
    return {
        "players": [run, other.root.name],
        "agents": [player, other.root.name],
        "rounds": [int(answer["01_totals"][0]["rounds"]) for answer in answers],
        "games": [int(answer["01_totals"][0]["games"]) for answer in answers],
        "habits": [habit | {"worth": worth[habit["name"]]} for habit in habits],
        "questions": questions.compared(*answers),
        "card_to_partner": [table(paths, comparison("card_to_partner").sql).to_pylist() for paths in (own, other)],
        "calls_by_score": [questions.calls_by_score(answer) for answer in answers],
        "grand": grand,
    }


def main(
    own: Annotated[Path, typer.Argument(help="The data folder with the games of the player.")],
    other: Annotated[Path, typer.Argument(help="The data folder with the games of the heuristic player.")],
    run: Annotated[str, typer.Option(help="The run of self-play, or `champion`.")] = CHAMPION,
    data: Annotated[Path, typer.Option(help="The data folder of that run.", metavar="DIR")] = Path("data"),
    deals: Annotated[int, typer.Option(help="Deals by which each habit is valued.", min=2)] = 10_000,
    hands: Annotated[int, typer.Option(help="Twin rounds of each class of first hands.", min=2)] = 3_000,
    workers: Annotated[int, typer.Option(help="Processes that play.", min=1)] = 2,
    notebook: Annotated[bool, typer.Option(help="Whether to execute the notebook, into OWN/reports.")] = True,
    out: Annotated[Path, typer.Option(help="The page.", metavar="FILE")] = Path("docs/findings.md"),
) -> None:
    """Compares the games of two players, and writes the page about what was found."""
    own_paths, other_paths = DataPaths(own), DataPaths(other)
    facts = collect(own_paths, other_paths, DataPaths(data).runs, run, deals, hands, workers)
    write_whole(out.with_suffix(".json"), json.dumps(facts, indent=1) + "\n")
    draw(facts, out.parent)
    text = page(facts)
    write_whole(out, text)
    typer.echo(f"{out}: {len(text):,} characters")
    if notebook:
        typer.echo(str(execute(own_paths, name=SELF_PLAY, beside=other_paths).path))


if __name__ == "__main__":
    typer.run(main)
