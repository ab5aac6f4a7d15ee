"""`python -m tichu_pipeline.tools.selfplay_figures RUN...`: what runs of self-play are worth, on deals of their own.

Writes DATA/selfplay_figures.json, from which `selfplay_page` makes docs/selfplay.md: each run against the heuristic
player; against itself with rules of thumb for one kind of decision; with the other runs as partners; and how it plays.
No choice is made by these deals: their seeds begin at 10^8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from tichu_models.agents.names import CHAMPION, FAST
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.runs import files
from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools.selfplay_style import style

if TYPE_CHECKING:
    from tichu_models.rl.evaluation import Duel
    from tichu_models.rl.tasks import PlayerOfTask, RunTasks

FILE = "selfplay_figures.json"
SEED = 100_000_000
# Seeds of the kinds of figures, all beyond SEED.
DECISIONS_SEED, PARTNERS_SEED, STYLE_SEED = SEED + 1, SEED + 2, SEED + 3
GROUPS = {**{kind: (kind,) for kind in KINDS if kind != KINDS[PLAY]}, "all calls": ("grand", "tichu", "small")}


def figures_of(result: Duel) -> dict[str, Any]:
    """A duel's mean and interval."""
    return {
        "points": round(result.mean, 2),
        "error": round(result.error, 2),
        "deals": len(result.margins),
        **{name: round(value, 4) for name, value in result.calls().items()},
    }


def worth_of_decisions(folder: Path, run_tasks: RunTasks, deals: int) -> dict[str, dict[str, Any]]:
    """Points a round that each kind of decision adds: the player against itself with rules of thumb for that kind."""
    from tichu_models.rl.evaluation import duel
    from tichu_models.rl.players import player_of

    whole = player_of(folder)
    kinds = {
        name: group for name, group in GROUPS.items() if {KINDS.index(kind) for kind in group} & set(whole.networks)
    }
    kinds["all but plays"] = tuple(kind for kind in KINDS if kind != KINDS[PLAY])
    return {
        name: figures_of(duel(whole, player_of(folder, by_rule=group), deals, DECISIONS_SEED, run_tasks))
        for name, group in kinds.items()
    }


def partners(players: Mapping[str, PlayerOfTask], run_tasks: RunTasks, deals: int) -> list[dict[str, Any]]:
    """What a partner from another run costs: both pairs against the heuristic player, on the same deals."""
    from tichu_models.rl.evaluation import duel

    result = []
    names = list(players)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            alone = [duel(players[name], _rules(), deals, PARTNERS_SEED, run_tasks).margins for name in (one, other)]
            mixed = _mixed(players[one], players[other], deals, run_tasks)
            cost = (alone[0] + alone[1]) / 2 - mixed
            error = 1.96 * cost.std(ddof=1) / np.sqrt(len(cost))
            result.append({"runs": [one, other], "cost": round(float(cost.mean()), 2), "error": round(float(error), 2)})
    return result


def _rules() -> PlayerOfTask:
    from tichu_models.rl.tasks import RULES

    return RULES


def _mixed(one: PlayerOfTask, other: PlayerOfTask, deals: int, run_tasks: RunTasks) -> np.ndarray:
    """The margins a deal of two players as partners against the heuristic player, both at both seats."""
    from tichu_models.rl.evaluation import deals_of
    from tichu_models.rl.tasks import play_task, tasks_of

    margins = np.zeros(deals)
    for first, second in ((0, 2), (2, 0)):
        fixtures = deals_of(deals, PARTNERS_SEED)
        agent = fixtures["agent"]
        for rows, seats in ((slice(0, deals), (0, 2)), (slice(deals, None), (1, 3))):
            agent[rows, :] = 1
            agent[rows, seats[0]], agent[rows, seats[1]] = first, second
        players = [one, _rules(), other]
        tasks = tasks_of(players, fixtures, only_results=True)
        ended = np.concatenate([part.ended for part in run_tasks(play_task, tasks)])
        lead = ended["score"][:, 0].astype(np.float64) - ended["score"][:, 1]
        margins += (lead[:deals] - lead[deals:]) / 4
    return margins


def main(
    runs: Annotated[list[str], typer.Argument(help="Runs of self-play, or `champion`.")],
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    deals: Annotated[int, typer.Option(help="Deals against the heuristic player.", min=2)] = 100_000,
    other_deals: Annotated[int, typer.Option(help="Deals of every other figure.", min=2)] = 20_000,
    style_deals: Annotated[int, typer.Option(help="Deals by which the way to play is counted.", min=2)] = 5_000,
    workers: Annotated[int, typer.Option(help="Processes that play.", min=1)] = 2,
) -> None:
    """Judges runs of self-play."""
    from tichu_models.rl.evaluation import duel
    from tichu_models.rl.players import player_of
    from tichu_pipeline.storage.workers import Processes

    paths = DataPaths(data)
    folders = {name: files.CHAMPION if name == CHAMPION else paths.runs / name for name in runs}
    players = {name: player_of(folder) for name, folder in folders.items()}
    facts: dict[str, Any] = {"runs": {}, "partners": []}
    with Processes(workers) as processes:
        for name, player in players.items():
            facts["runs"][name] = {
                "against_heuristic": figures_of(duel(player, _rules(), deals, SEED, processes.map)),
                "against_blunderer": figures_of(
                    duel(player, replace(_rules(), blunder=0.1), other_deals, SEED, processes.map)
                ),
                "decisions": worth_of_decisions(folders[name], processes.map, other_deals),
                "style": style_of(name, paths.runs, style_deals),
            }
            typer.echo(f"{name}: {json.dumps(facts['runs'][name]['against_heuristic'])}")
        facts["partners"] = partners(players, processes.map, other_deals)
        facts["duels"] = duels(players, processes.map, other_deals)
    write_whole(paths.root / FILE, json.dumps(facts, indent=1) + "\n")
    typer.echo(f"{paths.root / FILE}: {len(runs)} runs judged")


def style_of(name: str, runs: Path, deals: int) -> dict[str, dict[str, float]]:
    """How a run and the heuristic player play when they meet."""
    from tichu_models.agents.registry import agent_from

    player = f"{CHAMPION}:{FAST}" if name == CHAMPION else f"policy:{name}"
    counted = style((player, "heuristic"), lambda text: agent_from(text, runs), deals, STYLE_SEED)
    return {"self-play": counted[player], "heuristic": counted["heuristic"]}


def duels(players: Mapping[str, PlayerOfTask], run_tasks: RunTasks, deals: int) -> list[dict[str, Any]]:
    """Every two runs against each other."""
    from tichu_models.rl.evaluation import duel

    names: Sequence[str] = list(players)
    return [
        {"runs": [one, other], **figures_of(duel(players[one], players[other], deals, SEED, run_tasks))}
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    ]


if __name__ == "__main__":
    typer.run(main)
