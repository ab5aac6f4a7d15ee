"""The positions of the games that were played last, column by column, of which networks learn.

Games are played in slots, a position each at a time. A row of the columns is a slot, and a ring of the last positions
in it, whose games follow each other; position t is at t modulo its length. A position is learned from once its game is
over and its value is known, until it is written over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from tichu_models.algorithms.muzero.losses import Windows
from tichu_models.algorithms.muzero.targets import NONE, value_targets, windows

UNKNOWN = 0  # the end of a game that goes on


@dataclass(frozen=True)
class Targets:
    """What the value of a position is: that of the search so many steps later, or of the next one after it, or the
    outcome of the game."""

    bootstrap: int = 50
    discount: float = 1.0  # of each step to that later position
    fade: float = 0.997  # of each step to the end


class Seen(NamedTuple):
    """A position of each slot, and the action that was made in it."""

    seen: np.ndarray  # uint8 (slots, inputs): 0 and 1
    legal: np.ndarray  # bool (slots, actions)
    sides: np.ndarray
    policies: np.ndarray  # float32 (slots, actions)
    values: np.ndarray  # of the search; NaN where there was none
    actions: np.ndarray
    rewards: np.ndarray
    is_last: np.ndarray  # bool: the action has ended the game
    afters: np.ndarray | None = None  # uint8 (slots, inputs): before chance has acted after it, if it does
    outcomes: np.ndarray | None = None  # what chance has done


class Replay:
    """A ring of `room` positions of each slot. `by_chance`: chance acts between two of them."""

    def __init__(
        self, slots: int, room: int, inputs: int, actions: int, targets: Targets, by_chance: bool = False
    ) -> None:
        shape = (slots, room)
        self.slots, self.room, self.targets, self._inputs, self._actions = slots, room, targets, inputs, actions
        self.seen = np.zeros((*shape, -(-inputs // 8)), dtype=np.uint8)  # bits, as `legal`
        self.legal = np.zeros((*shape, -(-actions // 8)), dtype=np.uint8)
        self.policies = np.zeros((*shape, actions), dtype=np.float16)
        self.values, self.aims = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        self.actions, self.chooses = np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.bool_)
        self.sides, self.rewards = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int8)
        self.afters = np.zeros_like(self.seen) if by_chance else None
        self.outcomes = np.zeros(shape, dtype=np.int8) if by_chance else None
        self.ends = np.zeros(shape, dtype=np.int64)  # position after the last one of its game, or UNKNOWN
        self.begun = np.zeros(slots, dtype=np.int64)  # where the game of each slot has begun
        self.now = 0  # the next position
        self.lengths: list[int] = []  # of the games that have ended since they were asked for

    def arrays(self) -> dict[str, np.ndarray]:
        """All columns by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}

    def load(self, arrays: Mapping[str, np.ndarray], now: int) -> None:
        """Takes back what `arrays` gave after so many positions. ValueError if a column has another shape."""
        for name, column in self.arrays().items():
            if name not in arrays or arrays[name].shape != column.shape:
                raise ValueError(f"'{name}': expected a column of shape {column.shape}")
            column[...] = arrays[name]
        self.now = now

    def add(self, step: Seen) -> np.ndarray:
        """Adds a position to each slot. Returns the positions of the games that have ended by it, those that still
        are in the ring, as places in flat columns."""
        at = self.now % self.room
        self.seen[:, at] = np.packbits(step.seen, axis=1)
        self.legal[:, at] = np.packbits(step.legal, axis=1)
        self.policies[:, at], self.values[:, at] = step.policies, step.values
        self.actions[:, at], self.sides[:, at] = step.actions, step.sides
        self.chooses[:, at], self.rewards[:, at] = step.legal.sum(axis=1) > 1, step.rewards
        self.ends[:, at] = UNKNOWN
        if self.afters is not None and self.outcomes is not None:
            assert step.afters is not None
            assert step.outcomes is not None
            self.afters[:, at], self.outcomes[:, at] = np.packbits(step.afters, axis=1), step.outcomes
        self.now += 1
        ended = [self._end(int(slot)) for slot in np.flatnonzero(step.is_last)]
        return np.concatenate(ended) if ended else np.zeros(0, dtype=np.int64)

    def _end(self, slot: int) -> np.ndarray:
        """Fills in what is known at the end of a slot's game."""
        begin, self.begun[slot] = int(self.begun[slot]), self.now
        self.lengths.append(self.now - begin)
        places = np.arange(max(begin, self.now - self.room), self.now) % self.room
        sides, aims = self.sides[slot, places], np.zeros(len(places))
        outcomes = self.rewards[slot, places[-1]] * np.where(sides == sides[-1], 1.0, -1.0)
        of, ends = self.targets, np.array([len(places)], dtype=np.int64)
        values, whose = self.values[slot, places].astype(np.float64), sides.astype(np.int64)
        value_targets(values, outcomes, whose, ends, of.bootstrap, of.discount, of.fade, aims)
        self.aims[slot, places], self.ends[slot, places] = aims, self.now
        return slot * self.room + places

    def known(self) -> np.ndarray:
        """The places of all positions that can be learned from."""
        return np.flatnonzero(self.ends != UNKNOWN)

    def windows(self, places: np.ndarray, steps: int) -> Windows:
        """The windows that begin at these places, with so many steps each."""
        slots, rings = np.divmod(places, self.room)
        starts = self.now - 1 - (self.now - 1 - rings) % self.room
        positions = np.zeros((len(places), steps + 1), dtype=np.int64)
        relations = np.zeros((len(places), steps), dtype=np.int64)
        windows(slots, starts, self.ends[slots, rings], self.sides, positions, relations)
        exists = positions != NONE
        at = np.where(exists, positions, 0)
        of_steps = at[:, :-1]
        return Windows(
            seen=self._seen_at(self.seen, at),
            actions=torch.from_numpy(self._flat(self.actions)[of_steps].astype(np.int64)),
            exists=torch.from_numpy(exists),
            chooses=torch.from_numpy(exists & self._flat(self.chooses)[at]),
            legal=torch.from_numpy(self._bits(self.legal, at, self._actions).view(np.bool_)),
            policies=torch.from_numpy(self._flat(self.policies)[at].astype(np.float32)),
            values=torch.from_numpy(self._flat(self.aims)[at]),
            rewards=torch.from_numpy(self._flat(self.rewards)[of_steps].astype(np.int64)),
            relations=torch.from_numpy(relations),
            afters=None if self.afters is None else self._seen_at(self.afters, of_steps),
            outcomes=None if self.outcomes is None else torch.from_numpy(self._flat(self.outcomes)[of_steps]).long(),
        )

    def _seen_at(self, column: np.ndarray, places: np.ndarray) -> torch.Tensor:
        """What is seen at some places, for networks."""
        return torch.from_numpy(self._bits(column, places, self._inputs).astype(np.float32))

    def _flat(self, column: np.ndarray) -> np.ndarray:
        return column.reshape(self.slots * self.room, *column.shape[2:])

    def _bits(self, column: np.ndarray, places: np.ndarray, number: int) -> np.ndarray:
        return np.unpackbits(self._flat(column)[places], axis=-1, count=number)
