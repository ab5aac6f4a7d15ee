"""Default agents of the ladder: the built-in players, the crowd if the corpus is generated, all trained players, those
that learned from self-play among them, and a search led by the best PolicyNet."""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.agents.registry import OF_NETWORK, AgentError, agent_from
from tichu_models.players.crowd import TRUTH_FILE
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.runs import FINISHED, Run, main_figure, runs

LADDER = "ladder"
BUILT_IN = ("random", "heuristic:blunder=.1", "heuristic")
CROWD = "crowd"
# It takes a millisecond for a play, less than a minute of a core for 100 deals against each of ten others.
SEARCH = "mcts:{},simulations=64,deals=16"
LEADER = "PolicyNet"


@dataclass(frozen=True)
class Entrants:
    """The agents that can play, and the runs that should play but cannot, with the reason."""

    agents: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def entrants(paths: DataPaths) -> Entrants:
    """All agents of a data folder. Runs of networks for other decisions than plays, and those that trained to beat one
    player only, neither play nor count as left out."""
    agents, left_out, leaders = list(BUILT_IN), [], []
    if (paths.root / TRUTH_FILE).exists():
        if why := _refusal(paths, CROWD):
            left_out.append((CROWD, why))
        else:
            agents.append(CROWD)
    for run in runs(paths):
        if run.manifest is None or (run.manifest.network in OF_NETWORK and not run.opponent):
            if why := _unfit(paths, run):
                left_out.append((run.name, why))
            else:
                agents.append(_agent(run))
                leaders += [run] if run.manifest and run.manifest.network == LEADER else []
    if leaders:
        agents.append(SEARCH.format(max(leaders, key=_figure).name))  # of equally good runs, the first by name
    return Entrants(tuple(agents), tuple(left_out))


def _agent(run: Run) -> str:
    """The agent of a run. `policy` takes any network for plays; one that learned from self-play goes by the name of its
    kind."""
    network = run.manifest.network if run.manifest else ""
    return f"candidate:{run.name}" if network == "CandidateRLNet" else f"policy:{run.name}"


def _figure(run: Run) -> float:
    """The main figure of a PolicyNet."""
    return next((run.figures[name] for name in main_figure(LEADER) if name in run.figures), 0.0)


def _unfit(paths: DataPaths, run: Run) -> str:
    """Why no agent can play with the run; empty if one can."""
    if run.state != FINISHED:
        return run.problem or f"it is {run.state}"
    return _refusal(paths, _agent(run))


def _refusal(paths: DataPaths, agent: str) -> str:
    """Why the agent cannot be made; empty if it can."""
    try:
        agent_from(agent, paths.runs)
    except AgentError as error:
        return str(error)
    return ""
