"""The built-in players as agents, by a record that a kernel can dispatch on; batched and fused play call one kernel."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inner, kernel
from tichu_models.players.base import Agent
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.players.random import choose_by_chance
from tichu_models.rules.legal import new_buffer

BY_CHANCE, BY_RULE = 0, 1
PLAYER = np.dtype([("rule", np.int64), ("blunder", np.float64)])


@inner
def choose(player, view, plays):
    """The choice of a built-in player for one view."""
    if player.rule == BY_RULE:
        return choose_by_rule(view, player.blunder, plays)
    return choose_by_chance(view, plays)


@kernel
def choose_all(player, views, choices, plays):
    """The choices of one player for many views."""
    for i in range(len(views)):
        choices[i] = choose(player, views[i], plays)


class BuiltinAgent(Agent):
    """A built-in player as an agent that answers batches."""

    def __init__(self, name: str, rule: int, blunder: float = 0.0) -> None:
        if not 0.0 <= blunder <= 1.0:
            raise ValueError(f"blunder rate {blunder}: expected a number from 0 to 1")
        self.name = name
        self.player = np.array([(rule, blunder)], dtype=PLAYER)
        self._plays = new_buffer()

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One choice for each view."""
        choices = np.empty(len(views), dtype=np.int64)
        choose_all(self.player[0], views, choices, self._plays)
        return choices


class RandomAgent(BuiltinAgent):
    """Uniform over the legal plays."""

    def __init__(self) -> None:
        super().__init__("random", BY_CHANCE)


class HeuristicAgent(BuiltinAgent):
    """Plays by rules of thumb; at the blunder rate, a random legal play instead."""

    def __init__(self, blunder: float = 0.0) -> None:
        super().__init__("heuristic" if blunder == 0 else f"heuristic:blunder={blunder:g}", BY_RULE, blunder)
