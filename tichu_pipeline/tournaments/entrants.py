"""Who plays in the ladder when nobody is named: the built-in players, and whoever has been trained."""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.agents.registry import OF_NETWORK, AgentError, agent_from
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.training.runs import FINISHED, Run, runs

LADDER = "ladder"
BUILT_IN = ("random", "heuristic:blunder=.1", "heuristic")


@dataclass(frozen=True)
class Entrants:
    """Agents by name; and the runs that should play and cannot, with the reason."""

    agents: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def entrants(paths: DataPaths) -> Entrants:
    """Everybody there is. A run of a network for other decisions than plays is nobody, and not left out either."""
    agents, left_out = list(BUILT_IN), []
    for run in runs(paths):
        if run.manifest is None or run.manifest.network in OF_NETWORK:
            if why := _unfit(paths, run):
                left_out.append((run.name, why))
            else:
                agents.append(_agent(run))
    return Entrants(tuple(agents), tuple(left_out))


def _agent(run: Run) -> str:
    return f"policy:{run.name}"


def _unfit(paths: DataPaths, run: Run) -> str:
    """Why nobody can play with the run; empty if somebody can."""
    if run.state != FINISHED:
        return run.problem or f"it is {run.state}"
    try:
        agent_from(_agent(run), paths.runs)
    except AgentError as error:
        return str(error)
    return ""
