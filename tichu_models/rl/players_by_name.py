"""Players of rollouts by the names of agents.

Rollouts give the answers of an agent that imitates by the network for plays of self-play with the same layers. An agent
that searches is too slow for them: the player who leads its search stands in for it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tichu_models.agents.mcts import MCTSAgent
from tichu_models.agents.mctsrl import MCTSRLAgent
from tichu_models.agents.neural.gc_rl_agent import GCPolicyRLAgent
from tichu_models.agents.neural.network import Network
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.neural.policy_agent import PolicyAgent
from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.networks.architectures import build
from tichu_models.networks.configs import CandidateConfig, CandidateRLConfig, PolicyConfig, PolicyRLConfig
from tichu_models.observation.scaling import Scaling
from tichu_models.options import Options
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.rl.opponents import Opponent
from tichu_models.rl.tasks import RULES, NetworkOfTask, PlayerOfTask, frozen
from tichu_models.rl.team import IMITATIONS, copy_layers
from tichu_models.rules.asking import PLAY


def opponent_from(text: str, runs: Path | None = None, minutes: float | None = None) -> Opponent:
    """The opponent that a text names, against whom others train for so long. Raises AgentError for an agent whose
    answers rollouts cannot give."""
    agent, searches = agent_from(text, runs), False
    if isinstance(agent, MCTSAgent | MCTSRLAgent):
        agent, searches = agent.policy, True
    return Opponent(text.strip(), _player(agent, f"agent '{text}'"), searches, minutes)


def _player(agent: Agent, who: str) -> PlayerOfTask:
    """An agent as a player of rollouts, which gives the same answers."""
    if isinstance(agent, HeuristicAgent):
        return replace(RULES, blunder=float(agent.player["blunder"][0]))
    if not isinstance(agent, NNetAgent):
        raise AgentError(
            f"{who}: rollouts cannot play it; expected heuristic, champion:fast, or a player with networks"
        )
    options = agent.options
    if options.temperature not in (0, 1) or options.top_k:
        raise AgentError(f"{who}: rollouts draw with temperature 1 or not at all; expected this, and no top_k")
    if isinstance(agent, GCPolicyRLAgent) and agent.options.goal is not None:
        raise AgentError(f"{who}: rollouts ask for no goal; leave it out")
    if type(agent) in (SelfTaughtAgent, GCPolicyRLAgent):
        networks = {kind: _network(each) for kind, each in ((PLAY, agent.network), *agent.others.items())}
    else:
        networks = {PLAY: _twin(agent, who)}
    draws = options.temperature > 0
    scaling = Scaling.of(agent.network.manifest.scaling)
    return PlayerOfTask(networks, scaling, greedy=not draws, recorded=False, seed=options.seed if draws else 0)


def _network(network: Network) -> NetworkOfTask:
    manifest = network.manifest
    return frozen(network.module.state_dict(), manifest.network, manifest.config, manifest.spec.name)


def _twin(agent: NNetAgent, who: str) -> NetworkOfTask:
    """The network for plays of an agent that imitates, as one of self-play with the same layers."""
    manifest, module = agent.network.manifest, agent.network.module
    name, sizes = IMITATIONS.get(manifest.network, ""), _sizes(manifest.config)
    if not name or sizes is None:
        raise AgentError(f"{who}: rollouts cannot ask a {manifest.network} of this kind; choose another player")
    if isinstance(agent, PolicyAgent) and agent.options.rule != "likelihood":
        raise AgentError(f"{who}: rollouts know the decision rule of likelihoods only; add rule=likelihood")
    if agent.others:
        raise AgentError(f"{who}: rollouts cannot ask its networks for other decisions; add decisions=false")
    twin = build(name, manifest.inputs, sizes).to(agent.network.dtype)
    copy_layers(module, twin, who)
    return frozen(twin.state_dict(), name, sizes, manifest.spec.name)


def _sizes(config: Options) -> Options | None:
    """The size of the network of self-play that has the same layers; None if there is none."""
    if isinstance(config, CandidateConfig):
        return CandidateRLConfig(body=config.body, move=config.move, width=config.width)
    if isinstance(config, PolicyConfig) and not config.hierarchical:
        return PolicyRLConfig(hidden=config.hidden)
    return None
