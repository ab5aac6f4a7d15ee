"""Agents by name: `random`, `heuristic:blunder=.1`, `policy:RUN,temperature=.5,top_k=3`, `gc:RUN,margin=40`, `crowd`.

A colon follows the name, then the run, for players with a network, and options as `key=value`, separated by commas. RUN
is a folder in the folder of runs. `policy:RUN` takes a run with any network for plays; `candidate`, `gc` and `dt` take
only their own kind. `crowd:FILE` takes the blunder rates of a corpus from FILE, a path in the data folder, which is the
parent of the folder of runs. `champion` is a search led by the run that ships with the package, and `champion:fast`
that run's policy alone. As RUN, `champion` is the run of this name, or the one that ships where there is none. Torch is
imported only for players with a network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from tichu_models.agents.names import CHAMPION, FAST, NAMES, WITH_RUN
from tichu_models.agents.options import (
    GainOptions,
    GoalOfGameOptions,
    GoalOptions,
    HeuristicOptions,
    ImitatorOptions,
    LedSearchOptions,
    NNetOptions,
    PolicyOptions,
    RandomOptions,
    SearchOptions,
)
from tichu_models.networks.architectures import SELF_TAUGHT
from tichu_models.options import OptionError, Options, expected
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.players.crowd import TRUTH_FILE, CrowdAgent, rates_in
from tichu_models.runs import files
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import MANIFEST, WEIGHTS
from tichu_models.runs.folders import of_kind
from tichu_models.runs.manifest import CheckpointError, RunManifest

if TYPE_CHECKING:
    from tichu_models.agents.neural.network import Network


AnyOptions = TypeVar("AnyOptions", bound=Options)


class AgentError(ValueError):
    """A text that does not name an agent."""


@dataclass(frozen=True)
class AgentClass:
    """The agent that plays with a kind of network: its options, its module in `agents.neural` and its class there."""

    options: type[NNetOptions]
    module: str
    class_name: str


OF_NETWORK = {
    "PolicyNet": AgentClass(PolicyOptions, "policy_agent", "PolicyAgent"),
    "CandidatePolicyNet": AgentClass(ImitatorOptions, "candidate_agent", "CandidatePolicyAgent"),
    "GCPolicyNet": AgentClass(GoalOptions, "gc_agent", "GCPolicyAgent"),
    "DTNet": AgentClass(GoalOptions, "dt_agent", "DTAgent"),
    "CandidateRLNet": AgentClass(NNetOptions, "self_taught_agent", "SelfTaughtAgent"),
    "PolicyRLNet": AgentClass(NNetOptions, "self_taught_agent", "SelfTaughtAgent"),
    "GCPolicyRLNet": AgentClass(GoalOfGameOptions, "gc_rl_agent", "GCPolicyRLAgent"),
    "DTRLNet": AgentClass(GainOptions, "dtrl_agent", "DTRLAgent"),
}


def agent_from(text: str, runs: Path | None = None) -> Agent:
    """The agent that a text names. `runs` is the folder of runs."""
    name, _, rest = text.strip().partition(":")
    try:
        if name not in NAMES:
            raise OptionError(f"unknown name '{name}'; {expected(name, list(NAMES))}")
        if name == "random":
            _options(RandomOptions, rest)
            return RandomAgent()
        if name == "heuristic":
            return HeuristicAgent(_options(HeuristicOptions, rest).blunder)
        if name == "crowd":
            return CrowdAgent(text.strip(), rates_in((runs.parent if runs else Path()) / (rest.strip() or TRUTH_FILE)))
        if name == CHAMPION:
            first, _, others = rest.partition(",")
            if first.strip() == FAST:
                return _with_network(text.strip(), champion_folder(), ("CandidateRLNet", "PolicyRLNet"), others)
            return _led(text.strip(), champion_folder(), _options(LedSearchOptions, rest))
        if name == "mcts":
            run, _, rest = rest.partition(",")
            return _searching(text.strip(), _folder(run, runs), _options(SearchOptions, rest))
        if name == "mctsrl":
            run, _, rest = rest.partition(",")
            return _led(text.strip(), _folder(run, runs), _options(LedSearchOptions, rest))
        if name in WITH_RUN:
            run, _, rest = rest.partition(",")
            return _with_network(text.strip(), _folder(run, runs), WITH_RUN[name], rest)
        raise NotImplementedError(f"{name}: agents.names has this name, but the registry makes no agent of it")
    except (OptionError, CheckpointError) as error:
        raise AgentError(f"agent '{text}': {error}") from None


def _options(kind: type[AnyOptions], text: str) -> AnyOptions:
    """Reads options from `key=value,key=value`."""
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise OptionError(f"'{part}': expected key=value")
        given[key.strip()] = _value(value.strip(), hints.get(key.strip(), str))
    return kind(**kind.fitted(given))


def _value(text: str, kind: Any) -> Any:
    """The value of an option as its type: a number or a truth value; other text stays a string, for the message."""
    kinds = (kind, *get_args(kind))
    if bool in kinds and text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        if int in kinds or float in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _folder(run: str, runs: Path | None) -> Path:
    """The folder of a run, which must exist."""
    if not run or "=" in run:
        raise OptionError("no run; expected its name behind the colon, as in policy:RUN")
    folder = Path(run) if runs is None else runs / run
    if run == CHAMPION and not folder.exists():
        return champion_folder()
    if not (folder / MANIFEST).exists():
        known = sorted(path.parent.name for path in runs.glob(f"*/{MANIFEST}")) if runs else []
        raise OptionError(f"no run '{run}'" + (f" in {runs}; {expected(run, known)}" if known else f": {folder}"))
    return folder


def champion_folder() -> Path:
    """The folder of the run that ships with the package."""
    if not (files.CHAMPION / MANIFEST).exists():
        raise AgentError(f"this installation has no champion ({files.CHAMPION}); `make champion` trains one")
    return files.CHAMPION


def _with_network(name: str, folder: Path, networks: Sequence[str], rest: str) -> Agent:
    """A player with the network of a run, and with the networks that belong to it for other decisions."""
    import importlib

    from tichu_models.agents.neural.network import Network

    manifest = manifests.read(folder / MANIFEST)
    if manifest.network not in networks:
        raise OptionError(f"run {folder.name} is a {manifest.network}; expected a {' or '.join(networks)}")
    kind = OF_NETWORK[manifest.network]
    options = _options(kind.options, rest)
    make = getattr(importlib.import_module(f"tichu_models.agents.neural.{kind.module}"), kind.class_name)
    find_others = _own_others if manifest.network in SELF_TAUGHT else _others_beside
    agent = make(name, Network(folder), options, find_others(folder, manifest) if options.decisions else {})
    if isinstance(options, GoalOptions) and options.value is not None:
        agent.value_net = Network(_folder(options.value, folder.parent), "ValueNet")
    return agent


def _searching(name: str, folder: Path, options: SearchOptions) -> Agent:
    """A searching player. The run's network gives the priors; rollouts, its value head or a ValueNet give values."""
    from tichu_models.agents.mcts import MCTSAgent
    from tichu_models.agents.neural.gc_agent import GCPolicyAgent, expected_by
    from tichu_models.agents.neural.network import Network

    policy: Any = _with_network(name, folder, tuple(OF_NETWORK), "" if options.decisions else "decisions=false")
    if policy.wants:
        raise OptionError(f"run {folder.name} is a {policy.network.manifest.network}, which cannot lead a search")
    if options.leaf == "rollout":
        return MCTSAgent(name, policy, None, options)
    if options.value is None and isinstance(policy, GCPolicyAgent):
        return MCTSAgent(name, policy, policy.expected_difference, options)
    if options.value is None:
        beside = _beside(folder, policy.network.manifest).get("ValueNet")
        if beside is None:
            raise OptionError("no ValueNet beside the run; expected value=RUN, or leaf=rollout")
    else:
        beside = _folder(options.value, folder.parent)
    value_net = Network(beside, "ValueNet")
    return MCTSAgent(name, policy, lambda views: expected_by(value_net, views), options)


def _led(name: str, folder: Path, options: LedSearchOptions) -> Agent:
    """A player who searches by playouts of a run of self-play; its critic values them where that is asked."""
    from tichu_models.agents.mctsrl import MCTSRLAgent
    from tichu_models.agents.neural.leaf_critic import LeafCritic

    policy: Any = _with_network(name, folder, WITH_RUN["mctsrl"], "")
    if policy.past:
        raise OptionError(f"run {folder.name} reads the latest turns, which a search does not tell it")
    return MCTSRLAgent(name, policy, options, LeafCritic(folder) if options.leaf == "critic" else None)


def _own_others(folder: Path, own: RunManifest) -> Mapping[int, Network]:
    """The networks in a self-play run's subfolders, by kind of decision."""
    from tichu_models.agents.neural.network import Network
    from tichu_models.agents.neural.self_taught_agent import NETWORK_OF_KIND

    folders = {kind: of_kind(folder, kind) for kind in NETWORK_OF_KIND}
    return {
        kind: Network(path, NETWORK_OF_KIND[kind], f"{folder.name}/{path.name}")
        for kind, path in folders.items()
        if (path / MANIFEST).exists()
    }


def _others_beside(folder: Path, own: RunManifest) -> Mapping[int, Network]:
    """The networks beside a run that imitate answers to decisions other than plays, by kind of decision."""
    from tichu_models.agents.neural.imitating_agent import NETWORK_OF_KIND
    from tichu_models.agents.neural.network import Network

    folders = _beside(folder, own)
    return {kind: Network(folders[name], name) for kind, name in NETWORK_OF_KIND.items() if name in folders}


def _beside(folder: Path, own: RunManifest) -> dict[str, Path]:
    """For each kind of network, a run in the same folder of runs. If there are several, it is one that was trained on
    the same data, else the first by name. Runs with a damaged manifest are skipped."""
    chosen: dict[str, tuple[bool, Path]] = {}
    for path in sorted(folder.parent.glob(f"*/{MANIFEST}"), reverse=True):
        if (path.parent / WEIGHTS).exists():
            try:
                manifest = manifests.read(path)
            except CheckpointError:
                continue
            is_kin = manifest.data == own.data
            if is_kin or not chosen.get(manifest.network, (False,))[0]:
                chosen[manifest.network] = (is_kin, path.parent)
    return {network: path for network, (_, path) in chosen.items()}
