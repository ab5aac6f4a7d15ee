"""Rollouts as tasks that run anywhere: in this process, in others of this machine, or on a cluster.

A task holds all that its rounds depend on, its players' weights too, so that what comes out does not depend on where it
runs or on how many tasks run at once. A rollout is always cut into the same tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import safetensors.torch
import torch
from torch import Tensor, nn

from tichu_models.algorithms.precision import has_fast_bf16, one_thread
from tichu_models.networks.architectures import build
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import spec
from tichu_models.options import Options
from tichu_models.rl import rollout
from tichu_models.rl.rollout import Experience, Seating

ROUNDS_A_TASK = 1024


@dataclass(frozen=True)
class NetworkOfTask:
    """A network as plain data."""

    name: str
    config: Options
    spec: str
    inputs: int
    weights: bytes  # safetensors, in the type in which it plays


@dataclass(frozen=True)
class PlayerOfTask:
    """A player as plain data: its networks by kind of decision, and how it uses them."""

    networks: Mapping[int, NetworkOfTask]
    scaling: Scaling
    greedy: bool = False
    recorded: bool = True
    blunder: float = 0.0
    seed: int = 0


RULES = PlayerOfTask({}, Scaling("", {}), recorded=False)  # the heuristic player


@dataclass(frozen=True)
class RolloutTask:
    """Rounds to play."""

    players: Sequence[PlayerOfTask]
    fixtures: np.ndarray  # FIXTURE
    forks: np.ndarray  # FORK
    only_results: bool = False  # whether decisions are left out of what comes back


RunTasks = Callable[[Callable[[RolloutTask], Experience], Sequence[RolloutTask]], Iterable[Experience]]


def player_dtype() -> torch.dtype:
    """The type in which networks play on this machine."""
    return torch.bfloat16 if has_fast_bf16() else torch.float32


def frozen(weights: Mapping[str, Tensor], name: str, config: Options, spec_name: str) -> NetworkOfTask:
    """A network with these weights, in the type in which it plays."""
    as_played = {key: tensor.detach().to("cpu", player_dtype()).contiguous() for key, tensor in weights.items()}
    return NetworkOfTask(name, config, spec_name, spec(spec_name).size, safetensors.torch.save(as_played))


@lru_cache(maxsize=64)
def _built(place: int, name: str, inputs: int, config: Options, dtype: torch.dtype) -> nn.Module:
    """A network of this shape, for one place at the tables; its weights are loaded for each task."""
    return build(name, inputs, config).to(dtype).eval()


def play_task(task: RolloutTask) -> Experience:
    """Plays the rounds of a task, with one thread."""
    with one_thread():
        players = [seated(place, player) for place, player in enumerate(task.players)]
        experience = rollout.play(players, task.fixtures, forks=task.forks)
    if not task.only_results:
        return experience
    nothing = np.zeros(0, dtype=np.int64)
    return Experience(experience.decisions[:0].copy(), nothing, nothing, nothing, experience.ended)


def seated(place: int, player: PlayerOfTask) -> Seating:
    """A player as rollouts take it. `place` is that among the players: no two share a network."""
    networks = {}
    for kind, frozen_network in player.networks.items():
        weights = safetensors.torch.load(frozen_network.weights)
        dtype = next(iter(weights.values())).dtype
        key = (place * 64 + kind, frozen_network.name, frozen_network.inputs, frozen_network.config, dtype)
        networks[kind] = _built(*key)
        networks[kind].load_state_dict(weights)
    specs = {kind: spec(each.spec) for kind, each in player.networks.items()}
    return Seating(networks, specs, player.scaling, player.greedy, player.recorded, player.blunder, player.seed)


def tasks_of(
    players: Sequence[PlayerOfTask],
    fixtures: np.ndarray,
    forks: np.ndarray | None = None,
    only_results: bool = False,
) -> list[RolloutTask]:
    """A rollout cut into tasks."""
    forks = rollout.no_forks(len(fixtures)) if forks is None else forks
    parts = (slice(begin, begin + ROUNDS_A_TASK) for begin in range(0, len(fixtures), ROUNDS_A_TASK))
    return [RolloutTask(players, fixtures[part], forks[part], only_results) for part in parts]


def joined(parts: Sequence[Experience]) -> Experience:
    """The experience of several tasks as one, in their order."""
    decisions = [part.decisions.copy() for part in parts]
    rounds = options = 0
    for part, moved in zip(parts, decisions, strict=True):
        moved["round"] += rounds
        moved["first"] += options
        rounds += len(part.ended)
        options += len(part.options)
    return Experience(
        np.concatenate(decisions),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("seen", "opened", "options", "ended")),
    )
