"""The players `random` and `heuristic` as agents. A player is a record that kernels dispatch on.

Batches (`choose_all`) and the fused loop of `arena.selfplay` call the same kernel `choose`, so that both play the same.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.observation.view import View
from tichu_models.players.base import Agent
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.players.random import choose_by_chance
from tichu_models.rules.legal import Plays, new_buffer

BY_CHANCE, BY_RULE = 0, 1
PLAYER = np.dtype([("rule", np.int64), ("blunder", np.float64)])
Player: TypeAlias = Any  # a record of PLAYER


@inner
def choose(player: Player, view: View, plays: Plays) -> int:
    """The answer of a built-in player to one view."""
    if player.rule == BY_RULE:
        return choose_by_rule(view, player.blunder, plays)
    return choose_by_chance(view, plays)


@kernel
def choose_all(player: Player, views: np.ndarray, choices: np.ndarray, plays: Plays) -> None:
    """The answers of one player to many views."""
    for i in range(len(views)):
        choices[i] = choose(player, views[i], plays)


class BuiltinAgent(Agent):
    """A built-in player as an agent."""

    def __init__(self, name: str, rule: int, blunder: float = 0.0) -> None:
        if not 0.0 <= blunder <= 1.0:
            raise ValueError(f"blunder rate {blunder}: expected a number from 0 to 1")
        self.name = name
        self.player = np.array([(rule, blunder)], dtype=PLAYER)
        self._plays = new_buffer()

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view."""
        choices = np.empty(len(views), dtype=np.int64)
        choose_all(self.player[0], views, choices, self._plays)
        return choices


class RandomAgent(BuiltinAgent):
    """Chooses each legal answer with the same probability; never announces."""

    def __init__(self) -> None:
        super().__init__("random", BY_CHANCE)


class HeuristicAgent(BuiltinAgent):
    """Plays by rules of thumb; a share `blunder` of its plays is a random legal one instead."""

    def __init__(self, blunder: float = 0.0) -> None:
        super().__init__("heuristic" if blunder == 0 else f"heuristic:blunder={blunder:g}", BY_RULE, blunder)
