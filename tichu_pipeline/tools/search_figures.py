"""`python -m tichu_pipeline.tools.search_figures [ARM...]`: what a search adds to the champion, on deals of their own.

An arm is a match over duplicate deals: one searching player or a pair of them against a pair of `champion:fast`, which
is also the partner of a single one. Writes DATA/search_figures.json after every arm; `selfplay_page` makes a table of
it. No choice is made by these deals.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.agents.mctsrl import MCTSRLAgent
from tichu_models.agents.names import CHAMPION, FAST
from tichu_models.players.base import Agent
from tichu_models.rules.asking import PLAY
from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths

FILE = "search_figures.json"
SEED, ALONE_SEED = 100_000_011, 100_000_012
DEALS_A_TASK = 125
BARE = f"{CHAMPION}:{FAST}"
ROUNDS_ALONE = 4  # in which the time of a decision is taken


@dataclass(frozen=True)
class Arm:
    """A match."""

    agent: str
    searchers: int  # in its pair: the partner of a single one is the bare policy
    deals: int
    other: str = BARE


ARMS = {
    "one": Arm(CHAMPION, 1, 2_000),
    "both": Arm(CHAMPION, 2, 2_000),
    "one, half a second": Arm(f"{CHAMPION}:deals=2048", 1, 2_000),
    "both, half a second": Arm(f"{CHAMPION}:deals=2048", 2, 2_000),
    "both, all deals": Arm(f"{CHAMPION}:early=false", 2, 2_000),
    "open": Arm(f"{CHAMPION}:open=true", 2, 2_000),
    "open against hidden": Arm(f"{CHAMPION}:open=true", 2, 1_000, CHAMPION),
}


@dataclass(frozen=True)
class Task:
    """Some deals of an arm."""

    arm: Arm
    first: int
    deals: int
    runs: Path


def play_task(task: Task) -> np.ndarray:
    """The margin of each deal: points a round by which the searching pair won, over both tables."""
    import torch

    from tichu_models.agents.registry import agent_from
    from tichu_models.arena.lockstep import play
    from tichu_models.rl.evaluation import deals_of

    torch.set_num_threads(1)
    agents = [agent_from(text, task.runs) for text in (task.arm.agent, task.arm.other, BARE)]
    fixtures, tables = deals_of(task.deals, SEED, task.first), np.arange(2 * task.deals)
    fixtures["game"] = tables  # names the rounds; what is dealt hangs on the key
    second = tables >= task.deals
    if task.arm.searchers == 1:
        fixtures["agent"][tables, 2 * (tables % 2) + second] = 2
    rows = play(agents, fixtures, max_rounds=1, tables_at_once=len(fixtures)).rows
    score = rows["score"][np.argsort(rows["game_id"])].astype(np.float64)
    lead = (score[:, 0] - score[:, 1]) * np.where(second, -1, 1)
    return (lead[: task.deals] + lead[task.deals :]) / 2


class Timed(Agent):
    """A player whose searches are timed, each on its own."""

    def __init__(self, agent: MCTSRLAgent) -> None:
        self.name, self.wants, self.past = agent.name, agent.wants, agent.past
        self.agent, self.seconds = agent, list[float]()

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The player's answers."""
        began = time.process_time()
        answers = self.agent.decide(kind, views, **extras)
        spent = time.process_time() - began
        if kind == PLAY and (self.agent.consider(views, **extras).counts > 1).any():
            self.seconds.append(spent)
        return answers


def seconds_alone(text: str, runs: Path) -> tuple[float, float]:
    """The median time of a search and its 90 % quantile, CPU time of one core, when a player is asked for one play at a
    time."""
    import torch

    from tichu_models.agents.registry import agent_from
    from tichu_models.arena.lockstep import play
    from tichu_models.arena.table import fixtures_of

    torch.set_num_threads(1)
    agent: Any = agent_from(text, runs)
    timed = Timed(agent)
    play([timed], fixtures_of(np.zeros((ROUNDS_ALONE, 4), dtype=np.int32), ALONE_SEED), max_rounds=1, tables_at_once=1)
    usual, long = np.quantile(timed.seconds, (0.5, 0.9))
    return round(float(usual), 4), round(float(long), 4)


def figures_of(arm: Arm, margins: np.ndarray, seconds: tuple[float, float]) -> dict[str, Any]:
    """An arm with its result."""
    error = 1.96 * margins.std(ddof=1) / np.sqrt(len(margins))
    result = {"points": round(float(margins.mean()), 2), "error": round(float(error), 2), "deals": len(margins)}
    named = {"agent": arm.agent, "searchers": arm.searchers, "other": arm.other, "seed": SEED}
    return named | {"alone": seconds[0], "alone_90": seconds[1]} | result


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Arms; by default all.", show_default=False)] = None,
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    deals: Annotated[int | None, typer.Option(help="Deals instead of each arm's own.", min=2)] = None,
    workers: Annotated[int, typer.Option(help="Processes that play.", min=1)] = 2,
) -> None:
    """Plays the arms."""
    from tichu_pipeline.storage.workers import Processes

    chosen: Sequence[str] = names or list(ARMS)
    if unknown := sorted(set(chosen) - set(ARMS)):
        raise typer.BadParameter(f"no arm {', '.join(unknown)}; expected some of {', '.join(ARMS)}")
    paths = DataPaths(data)
    path = paths.root / FILE
    with Processes(workers) as processes:
        for name in chosen:
            arm, total = ARMS[name], deals or ARMS[name].deals
            tasks = [
                Task(arm, first, min(DEALS_A_TASK, total - first), paths.runs)
                for first in range(0, total, DEALS_A_TASK)
            ]
            margins = np.concatenate(list(processes.map(play_task, tasks)))
            facts = figures_of(arm, margins, seconds_alone(arm.agent, paths.runs))
            known = json.loads(path.read_text()) if path.exists() else {}
            write_whole(path, json.dumps({**known, name: facts}, indent=1) + "\n")
            typer.echo(f"{name}: {facts['points']:+.1f} +- {facts['error']:.1f}, {1000 * facts['alone']:.0f} ms alone")


if __name__ == "__main__":
    typer.run(main)
