"""Who plays games of two sides by the numbers of actions, many games side by side: by a policy, or by a search with the
networks of MuZero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tichu_models.algorithms.lockstep_batch import Sight
from tichu_models.algorithms.masked_policy import legal_shares
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.chance import Key
from tichu_models.game import Game, State
from tichu_models.games.agents import Advice

AT_ONCE = 256  # positions that are thought about


class Thought(NamedTuple):
    """What is thought of some positions."""

    chosen: np.ndarray  # the number of an action in each
    shares: np.ndarray  # how likely each number would be chosen


class SidesAgent:
    """Takes the actions of numbers that are chosen by what is seen and which of them are legal."""

    def __init__(self, name: str, game: Game, inputs: int, think: Callable[[np.ndarray, np.ndarray], Thought]) -> None:
        self.name, self._think, self._sight = name, think, Sight(game, inputs)

    def choose(self, state: State, key: Key) -> int:
        """Needs no chance."""
        return self.choose_all([state], [key])[0]

    def choose_all(self, states: Sequence[State], keys: Sequence[Key]) -> list[int]:
        """The action in each position."""
        chosen: list[int] = []
        for begin in range(0, len(states), AT_ONCE):
            part = self._sight.gather(states[begin : begin + AT_ONCE])
            chosen += self._sight.meant_by(part, self._think(*self._sight.look(part)).chosen).tolist()
        return chosen

    def advice(self, state: State) -> dict[int, Advice]:
        """How likely it is to take each action; of those that do the same, the first."""
        position = self._sight.gather([state])
        seen, legal = self._sight.look(position)
        (shares,), numbers = self._think(seen, legal).shares, np.flatnonzero(legal[0])
        actions = [int(self._sight.meant_by(position, np.array([number]))[0]) for number in numbers]
        found = zip(actions, shares[numbers].tolist(), strict=True)
        return {action: Advice(share, f"{100 * share:.1f}%") for action, share in found}


def policy_agent(name: str, game: Game, inputs: int, scores: Callable[[Any], Any]) -> SidesAgent:
    """Takes the likeliest action of a policy, which has a score for each number."""

    def think(seen: np.ndarray, legal: np.ndarray) -> Thought:
        shares = legal_shares(scores, seen, legal)
        return Thought(shares.argmax(axis=1), shares)

    return SidesAgent(name, game, inputs, think)


def muzero_agent(name: str, game: Game, thinker_of: Callable[[int], Thinker]) -> SidesAgent:
    """Takes the action that a search finds, without noise. `thinker_of` makes searches of so many positions."""
    thinker = thinker_of(1)

    def think(seen: np.ndarray, legal: np.ndarray) -> Thought:
        nonlocal thinker
        if len(seen) > thinker.games:
            thinker = thinker_of(min(AT_ONCE, 2 * len(seen)))
        found = thinker.think(seen, legal, np.zeros(legal.shape))
        return Thought(found.actions, found.weights)

    return SidesAgent(name, game, thinker.network.inputs, think)
