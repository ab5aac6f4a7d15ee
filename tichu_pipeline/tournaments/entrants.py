"""Who plays in the ladder when nobody is named: the built-in players, and whoever has been trained."""

from __future__ import annotations

from tichu_models.agents.registry import AgentError, agent_from
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.training.runs import FINISHED, runs

LADDER = "ladder"
BUILT_IN = ("random", "heuristic:blunder=.1", "heuristic")


def entrants(paths: DataPaths) -> list[str]:
    """Agents by name. A run whose network is none for plays, or that is unfinished, is nobody."""
    finished = [run for run in runs(paths) if run.state == FINISHED]
    return [*BUILT_IN, *(name for name in (f"policy:{run.name}" for run in finished) if _plays(paths, name))]


def _plays(paths: DataPaths, name: str) -> bool:
    try:
        agent_from(name, paths.runs)
    except AgentError:
        return False
    return True
