"""Who plays in the ladder when nobody is named: the built-in players, the players of the generated corpus if there is
one, whoever has been trained, and a search that the best PolicyNet leads."""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.agents.registry import OF_NETWORK, AgentError, agent_from
from tichu_models.players.crowd import TRUTH_FILE
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.runs import FINISHED, Run, main_figure, runs

LADDER = "ladder"
BUILT_IN = ("random", "heuristic:blunder=.1", "heuristic")
CROWD = "crowd"
# A millisecond for a play: 100 deals against each of ten others take it less than a minute of a core.
SEARCH = "mcts:{},simulations=64,deals=16"
LEADER = "PolicyNet"


@dataclass(frozen=True)
class Entrants:
    """Agents by name; and the runs that should play and cannot, with the reason."""

    agents: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def entrants(paths: DataPaths) -> Entrants:
    """Everybody there is. A run of a network for other decisions than plays is nobody, and not left out either."""
    agents, left_out, leaders = list(BUILT_IN), [], []
    if (paths.root / TRUTH_FILE).exists():
        if why := _refusal(paths, CROWD):
            left_out.append((CROWD, why))
        else:
            agents.append(CROWD)
    for run in runs(paths):
        if run.manifest is None or run.manifest.network in OF_NETWORK:
            if why := _unfit(paths, run):
                left_out.append((run.name, why))
            else:
                agents.append(_agent(run))
                leaders += [run] if run.manifest and run.manifest.network == LEADER else []
    if leaders:
        agents.append(SEARCH.format(max(leaders, key=_figure).name))  # the first by name, of equally good ones
    return Entrants(tuple(agents), tuple(left_out))


def _agent(run: Run) -> str:
    """`policy` plays with whatever network the run has, be it a GCPolicyNet or a DTNet."""
    return f"policy:{run.name}"


def _figure(run: Run) -> float:
    """How good a PolicyNet is by the figure that is looked at first."""
    return next((run.figures[name] for name in main_figure(LEADER) if name in run.figures), 0.0)


def _unfit(paths: DataPaths, run: Run) -> str:
    """Why nobody can play with the run; empty if somebody can."""
    if run.state != FINISHED:
        return run.problem or f"it is {run.state}"
    return _refusal(paths, _agent(run))


def _refusal(paths: DataPaths, agent: str) -> str:
    try:
        agent_from(agent, paths.runs)
    except AgentError as error:
        return str(error)
    return ""
