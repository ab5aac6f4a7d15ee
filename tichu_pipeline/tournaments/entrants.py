"""Who plays in the ladder when nobody is named: the built-in players, and whoever has been trained."""

from __future__ import annotations

from tichu_models.agents.registry import AgentError, agent_from
from tichu_pipeline.folders import DataPaths

LADDER = "ladder"
BUILT_IN = ("random", "heuristic:blunder=.1", "heuristic")


def entrants(paths: DataPaths) -> list[str]:
    """Agents by name. A run that nobody plays with, being no network for plays or unfinished, is none."""
    runs = sorted(path.parent.name for path in paths.runs.glob("*/model.safetensors"))
    return [*BUILT_IN, *(name for name in (f"policy:{run}" for run in runs) if _plays(paths, name))]


def _plays(paths: DataPaths, name: str) -> bool:
    try:
        agent_from(name, paths.runs)
    except AgentError:
        return False
    return True
