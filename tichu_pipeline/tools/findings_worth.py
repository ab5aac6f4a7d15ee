"""What a habit is worth: a player against itself on the same deals, with the answers to one kind of question by rule.

Both players of the changed team answer the questions of one habit by the heuristic player's rules of thumb, and all
others as before; of schupfen they follow the rules in the habit's recipient or card alone. Each deal is played twice,
with the teams' seats swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent
from tichu_pipeline.tools.findings_habits import HABITS, Habit
from tichu_pipeline.tools.selfplay_figures import SEED

WORTH_SEED = SEED + 4
DEALS_A_TASK = 512


class ByRule(Agent):
    """A player with one habit of the rules of thumb."""

    def __init__(self, agent: Agent, habit: Habit) -> None:
        self.agent, self.habit, self.rules = agent, habit, HeuristicAgent()
        self.name, self.past, self.wants, self.timed = f"{agent.name} by rule", agent.past, agent.wants, agent.timed

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view."""
        answers = self.agent.decide(kind, views, **extras)
        if kind == self.habit.kind:
            here = self.habit.where(views)
            answers[here] = self.habit.mixed(answers[here], self.rules.decide(kind, views[here]))
        return answers


@dataclass(frozen=True)
class Task:
    """Deals of one habit."""

    player: str
    runs: Path
    habit: str
    first: int
    deals: int


RunTasks = Callable[[Callable[[Task], np.ndarray], Sequence[Task]], Iterable[np.ndarray]]


@lru_cache(maxsize=2)
def _agent(player: str, runs: Path) -> Agent:
    """The agent of this name; it is built once in a process."""
    return agent_from(player, runs)


def play_task(task: Task) -> np.ndarray:
    """The margins a deal by which the player beats itself with rules for the habit."""
    from tichu_models.rl.evaluation import deals_of

    (habit,) = (habit for habit in HABITS if habit.name == task.habit)
    fixtures = deals_of(task.deals, WORTH_SEED, task.first)
    fixtures["game"] = np.arange(len(fixtures))  # both tables of a deal have its number
    agent = _agent(task.player, task.runs)
    rows = lockstep.play([agent, ByRule(agent, habit)], fixtures, max_rounds=1).rows
    lead = rows["score"][:, 0].astype(np.float64) - rows["score"][:, 1]
    return (lead[: task.deals] - lead[task.deals :]) / 2


def worth_of(
    player: str, runs: Path, habits: Sequence[str], deals: int, run_tasks: RunTasks = map
) -> dict[str, dict[str, Any]]:
    """Points a round that the player's own answers to the questions of each habit are worth to it."""
    firsts = range(0, deals, DEALS_A_TASK)
    tasks = [Task(player, runs, habit, first, min(DEALS_A_TASK, deals - first)) for habit in habits for first in firsts]
    parts = list(run_tasks(play_task, tasks))
    result = {}
    for place, habit in enumerate(habits):
        margins = np.concatenate(parts[place * len(firsts) : (place + 1) * len(firsts)])
        error = 1.96 * margins.std(ddof=1) / np.sqrt(len(margins))
        result[habit] = {"points": round(float(margins.mean()), 2), "error": round(float(error), 2), "deals": deals}
    return result
