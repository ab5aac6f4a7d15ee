"""An opponent: a player who never learns, against whom another one trains."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import safetensors.torch

from tichu_models.rl.tasks import RULES, PlayerOfTask
from tichu_models.rules.asking import KINDS


@dataclass(frozen=True)
class Opponent:
    """A player who never learns, and for how long another one trains against it."""

    name: str  # as the registry of agents reads it
    player: PlayerOfTask
    searches: bool = False  # the agent of this name searches; `player` leads its search
    minutes: float | None = None  # after which the training is done, with fewer iterations if need be

    @cached_property
    def digest(self) -> str:
        """A digest of all that its answers depend on, the same on machines of either precision."""
        player = self.player
        digest = hashlib.sha256(f"{player.greedy} {player.blunder} {player.seed} {player.scaling.variables}".encode())
        for kind, network in sorted(player.networks.items()):
            digest.update(f"{KINDS[kind]} {network.name} {network.spec} {network.config}".encode())
            for name, weights in sorted(safetensors.torch.load(network.weights).items()):
                digest.update(name.encode() + weights.bfloat16().float().numpy().tobytes())
        return digest.hexdigest()


HEURISTIC = Opponent("heuristic", RULES)
