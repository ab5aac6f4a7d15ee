"""Who plays games by a search with the networks of MuZero."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tichu_models.algorithms.lockstep_batch import Sight
from tichu_models.algorithms.muzero.search import Found
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.chance import Key
from tichu_models.game import Game, State
from tichu_models.games.agents import Advice

AT_ONCE = 256  # positions


class MuZeroAgent:
    """Takes the action that the search finds, without noise. `thinker_of` makes searches of so many positions."""

    def __init__(self, name: str, game: Game, thinker_of: Callable[[int], Thinker]) -> None:
        self.name, self._thinker_of, self._thinker = name, thinker_of, thinker_of(1)
        self._sight = Sight(game, self._thinker.network.inputs)

    def choose(self, state: State, key: Key) -> int:
        """Needs no chance."""
        return self.choose_all([state], [key])[0]

    def choose_all(self, states: Sequence[State], keys: Sequence[Key]) -> list[int]:
        """The action in each position."""
        chosen: list[int] = []
        for begin in range(0, len(states), AT_ONCE):
            part = self._sight.gather(states[begin : begin + AT_ONCE])
            chosen += self._sight.meant_by(part, self._think(part)[0].actions).tolist()
        return chosen

    def advice(self, state: State) -> dict[int, Advice]:
        """How likely the search would take each action that it looks at; of those that do the same, the first."""
        position = self._sight.gather([state])
        found, legal = self._think(position)
        numbers = np.flatnonzero(legal[0])
        actions = [int(self._sight.meant_by(position, np.array([number]))[0]) for number in numbers]
        shares = found.weights[0, numbers].tolist()
        return {action: Advice(share, f"{100 * share:.1f}%") for action, share in zip(actions, shares, strict=True)}

    def _think(self, states: np.ndarray) -> tuple[Found, np.ndarray]:
        if len(states) > self._thinker.games:
            self._thinker = self._thinker_of(min(AT_ONCE, 2 * len(states)))
        seen, legal = self._sight.look(states)
        return self._thinker.think(seen, legal, np.zeros(legal.shape)), legal
