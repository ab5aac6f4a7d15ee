"""Runs with random weights, for tests of agents that play with networks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from tichu_models.agents.neural.self_taught_agent import NETWORK_OF_KIND
from tichu_models.arena import lockstep
from tichu_models.networks.architectures import architecture, build
from tichu_models.networks.configs import CriticConfig
from tichu_models.observation.specs import spec
from tichu_models.players.base import Agent
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.runs.checkpoint import save
from tichu_models.runs.folders import of_critic, of_kind
from tichu_models.runs.manifest import RunManifest, SpecStamp
from tichu_models.search.open_hands import OPEN

SMALL = {
    "DTNet": {"turns": 8, "d_model": 16, "layers": 1, "heads": 2, "feedforward": 16, "policy": [16], "value": [8]},
    "GCPolicyNet": {"body": [32], "policy": [16], "value": [8]},
    "CandidatePolicyNet": {"body": [32], "move": [16], "width": 16},
    "CandidateRLNet": {"body": [32], "move": [16], "width": 16},
    "GCPolicyRLNet": {"body": [32], "move": [16], "width": 16},
    "DTRLNet": {
        "turns": 6,
        "d_model": 16,
        "layers": 2,
        "heads": 2,
        "feedforward": 16,
        "hidden": [32],
        "value": [8],
    },
    "BombRLNet": {"body": [32], "move": [16], "width": 16},
}
SCALING = {
    "trick_points": {"offset": 0.0, "scale": 50.0, "clip": [-25.0, 100.0]},
    "points": {"offset": 0.0, "scale": 50.0, "clip": [-25.0, 125.0]},
    "game_score": {"offset": 0.0, "scale": 400.0, "clip": [-400.0, 400.0]},
}
PLAY_NETS = ("PolicyNet", "CandidatePolicyNet", "GCPolicyNet", "DTNet")
DECISION_NETS = ("GrandNet", "TichuNet", "SmallTichuNet", "SchupfNet", "WishNet", "DragonNet", "BombNet")
OTHER_KINDS = tuple(kind for kind in range(len(KINDS)) if kind != PLAY)


def make_run(runs: Path, network: str, name: str = "", spec_name: str = "", seed: int = 0, **sizes: object) -> str:
    """Makes a run of a small network, or of the given sizes; returns its name, by default the network's."""
    found = architecture(network)
    read = spec(spec_name or found.spec)
    config = found.config.read(sizes or SMALL.get(network, {"hidden": [32, 16]}), network)
    manifest = RunManifest(
        network=network,
        config=config,
        spec=SpecStamp.of(read),
        inputs=read.size - read.rtg,
        scaling=SCALING,
        data={"rounds": "made up"},
        seed=seed,
    )
    torch.manual_seed(seed)
    net = build(network, manifest.inputs, config)
    for weights in net.parameters():
        if weights.ndim > 1:
            weights.data *= 3  # otherwise all answers are much the same
    save(runs / (name or network), net, manifest)
    return name or network


def make_self_taught(
    runs: Path,
    name: str,
    network: str = "CandidateRLNet",
    kinds: Iterable[int] = OTHER_KINDS,
    spec_name: str = "",
    seed: int = 0,
) -> str:
    """Makes a run of self-play with small networks for plays, of which `spec_name` is the vector, and for these other
    kinds of decisions; returns its name. With a GCPolicyRLNet all of them read a goal."""
    make_run(runs, network, name, spec_name, seed)
    goal = "+goal" if network == "GCPolicyRLNet" else ""
    for kind in kinds:
        path, other = of_kind(runs / name, kind), NETWORK_OF_KIND[kind]
        make_run(path.parent, other, path.name, architecture(other).spec + goal, seed + kind)
    return name


def make_critic(run: Path, seed: int = 0) -> None:
    """Makes a small critic for a run of self-play."""
    config = CriticConfig(hidden=(16,))
    stamp = SpecStamp.of(OPEN)
    manifest = RunManifest(
        network="CriticRLNet", config=config, spec=stamp, inputs=OPEN.size, scaling=SCALING, data={}, seed=seed
    )
    torch.manual_seed(seed)
    save(of_critic(run), build("CriticRLNet", OPEN.size, config), manifest)


def make_runs(runs: Path, networks: Iterable[str], seed: int = 0) -> None:
    """Makes a run of each network."""
    for network in networks:
        make_run(runs, network, seed=seed)


class Watched(Agent):
    """An agent that records its questions and answers by kind."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name, self.past = agent, agent.name, agent.past
        self.wants = agent.wants
        self.asked: dict[int, list[tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]]] = {}

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The answers of the agent, which are recorded."""
        choices = self.agent.decide(kind, views, **extras)
        self.asked.setdefault(kind, []).append((views.copy(), extras, choices))
        return choices

    def all_of(self, kind: int) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
        """All views of a kind, their extras, and the answers."""
        views, extras, choices = zip(*self.asked[kind], strict=True)
        together = {name: np.concatenate([each[name] for each in extras]) for name in extras[0]}
        return np.concatenate(views), together, np.concatenate(choices)


def watched_games(agent: Agent, games: int, seed: int = 1, rounds: int = 2) -> Watched:
    """The questions and answers of one agent in all four seats of some games. The arena checks every answer."""
    watched = Watched(agent)
    for _ in lockstep.play_games([watched], np.zeros((games, 4), dtype=np.int64), seed, rounds):
        pass
    return watched
