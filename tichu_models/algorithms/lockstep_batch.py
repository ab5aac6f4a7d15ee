"""Games of two sides that `lockstep` steps together, and the arrays that its kernels write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tichu_models.algorithms.arrays import fill
from tichu_models.algorithms.lockstep import LockstepKernels
from tichu_models.game import MOST_SEATS, Game, State
from tichu_models.options import OptionError

NOBODY = -1  # the side of a seat that does not play


class Sight:
    """What the movers of many games see, and what their networks mean by the number of an action. Threads must not
    share it: it has buffers."""

    def __init__(self, of: Game, inputs: int) -> None:
        self.of, self.inputs, self.kernels = of, inputs, kernels_of(of)
        self.actions = np.zeros(of.most_actions, dtype=np.int16)
        self.active = np.zeros(self.kernels.most_active, dtype=np.int16)

    def look(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and legal actions of each game."""
        seen = np.zeros((len(states), self.inputs), dtype=np.uint8)
        masks = np.zeros((len(states), self.of.actions), dtype=np.bool_)
        self.kernels.look_at_games(states, self.actions, self.active, seen, masks)
        return seen, masks

    def meant_by(self, states: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The actions that the numbers mean."""
        chosen = np.zeros(len(states), dtype=np.int64)
        self.kernels.mean_by_numbers(states, numbers, self.actions, chosen)
        return chosen

    def gather(self, states: Sequence[State]) -> np.ndarray:
        """Single games as an array of them."""
        gathered = np.zeros(len(states), dtype=self.of.state)
        for i, state in enumerate(states):
            gathered[i] = state
        return gathered.view(np.recarray)


class LockstepBatch:
    """Games of one kind, always going on: where one has ended, the next one begins. `opening` is how many random
    actions they begin with at most."""

    def __init__(self, of: Game, options: np.ndarray, number: int, opening: int) -> None:
        self.of, self.options, self.opening = of, options, opening
        self.side_of = sides_of_seats(of, options)
        self.inputs, self.outcomes = kernels_of(of).inputs_of(options), kernels_of(of).outcomes_of(options)
        self._sight, self._vector = Sight(of, self.inputs), np.zeros(MOST_SEATS)
        self.states = np.zeros(number, dtype=of.state).view(np.recarray)
        self.keys = np.zeros(number, dtype=np.uint64)
        self.seen = np.zeros((number, self.inputs), dtype=np.uint8)
        self.masks = np.zeros((number, of.actions), dtype=np.bool_)
        self.sides = np.zeros(number, dtype=np.int64)  # who moves
        self.rewards, self.relations = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
        # What was seen before chance acted, and what it has done; zeros where the game has ended. Without outcomes they
        # mean nothing.
        self.afters, self.outcome = np.zeros_like(self.seen), np.zeros(number, dtype=np.int64)

    def _buffers(self) -> tuple[np.ndarray, np.ndarray]:
        return self._sight.actions, self._sight.active

    def begin(self, keys: np.ndarray) -> None:
        """Begins all games with new keys."""
        self.keys[:] = keys
        given = (self.states, self.options, self.keys, self.opening, self.side_of)
        self._sight.kernels.open_games(*given, *self._buffers(), self.seen, self.masks, self.sides)

    def guided(self) -> np.ndarray:
        """The numbers of what rules of thumb would do."""
        numbers, room = np.zeros(len(self.states), dtype=np.int64), np.zeros(2, dtype=self.of.state).view(np.recarray)
        self._sight.kernels.guide_games(self.states, room, self._sight.actions, numbers)
        return numbers

    def step(self, numbers: np.ndarray) -> None:
        """Makes an action in each game."""
        given = (self.states, self.options, self.keys, self.opening, self.side_of, numbers)
        found = (self._vector, self.seen, self.masks, self.sides, self.rewards, self.relations)
        self._sight.kernels.step_games(*given, *self._buffers(), *found, self.afters, self.outcome)

    def arrays(self) -> dict[str, np.ndarray]:
        """The games as they are, by name; `load` takes them back."""
        return {
            "states": self.states.view(np.uint8).reshape(len(self.states), -1),
            "keys": self.keys.view(np.int64),
            "seen": self.seen,
            "masks": self.masks,
            "sides": self.sides,
        }

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Goes on with these games. ValueError if they are of another shape."""
        fill(self.arrays(), arrays)


def kernels_of(of: Game) -> LockstepKernels:
    """The kernels that play many games of a kind together."""
    return of.algorithms["lockstep"]


def sides_of_seats(of: Game, options: np.ndarray) -> np.ndarray:
    """The side of each seat that there can be; OptionError if there are not two."""
    sides = of.sides(options)
    if len(sides) != 2:
        raise OptionError(f"{of.name}: {len(sides)} sides play by these rules; expected two, as two players or teams")
    found = np.full(MOST_SEATS, NOBODY, dtype=np.int64)
    for number, seats in enumerate(sides):
        found[list(seats)] = number
    return found
