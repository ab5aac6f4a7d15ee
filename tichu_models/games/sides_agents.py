"""Who plays games of two sides by a policy that has learned, many games side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tichu_models.algorithms.lockstep_batch import Sight
from tichu_models.algorithms.masked_policy import legal_shares
from tichu_models.chance import Key
from tichu_models.game import Game, State
from tichu_models.games.agents import Advice


class SidesPolicyAgent:
    """Takes the likeliest action of a policy, which reads so many inputs and has a score for each number."""

    def __init__(self, name: str, game: Game, scores: Callable[[Any], Any], inputs: int) -> None:
        self.name, self._scores, self._sight = name, scores, Sight(game, inputs)

    def choose(self, state: State, key: Key) -> int:
        """Needs no chance."""
        return self.choose_all([state], [key])[0]

    def choose_all(self, states: Sequence[State], keys: Sequence[Key]) -> list[int]:
        """The action in each position."""
        gathered = self._sight.gather(states)
        shares = legal_shares(self._scores, *self._sight.look(gathered))
        return self._sight.meant_by(gathered, shares.argmax(axis=1)).tolist()

    def advice(self, state: State) -> dict[int, Advice]:
        """How likely it is to take each action; of those that do the same, the first."""
        position = self._sight.gather([state])
        seen, legal = self._sight.look(position)
        (shares,), numbers = legal_shares(self._scores, seen, legal), np.flatnonzero(legal[0])
        actions = [int(self._sight.meant_by(position, np.array([number]))[0]) for number in numbers]
        found = zip(actions, shares[numbers].tolist(), strict=True)
        return {action: Advice(share, f"{100 * share:.1f}%") for action, share in found}
