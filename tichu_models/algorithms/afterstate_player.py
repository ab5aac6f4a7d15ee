"""Plays games for one player by a network that says how many points are still to come: the kernels of `afterstates`
with a network between them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.chance import draw
from tichu_models.game import Game, State

UNIT = 50.0  # points for which the network says 1
ONE_IN_BF16 = 0x3F80
AT_ONCE = 2048  # games
TILE = 2048  # rows that the network reads at once: torch prepares itself anew for every other number


def in_parts(keys: np.ndarray) -> list[np.ndarray]:
    """Keys of games that are played side by side."""
    return np.array_split(keys, range(AT_ONCE, len(keys), AT_ONCE))


class PointsNet(nn.Module):
    """The points that are still to come, in UNIT: some hidden layers of ReLU over inputs that are 0 or 1."""

    def __init__(self, inputs: int, hidden: Sequence[int]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in pairwise((inputs, *hidden)):
            layers += [nn.Linear(before, after), nn.ReLU()]
        self.hidden = nn.Sequential(*layers)
        self.last = nn.Linear(hidden[-1], 1)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.last(self.hidden(inputs)).squeeze(1)


class Choices(NamedTuple):
    """What was chosen in games that were played to their ends: a row for each choice, a column for each game."""

    inputs: list[np.ndarray]  # of the afterstates of each row, of the games that had not ended
    best: np.ndarray  # the highest total that was seen
    so_far: np.ndarray  # points in the afterstate
    explored: np.ndarray  # whether the action was random
    lengths: np.ndarray  # choices of each game
    made: np.ndarray  # actions of each game, those without a choice too
    scores: np.ndarray


class AfterstatePlayer:
    """A network that chooses actions. Threads must not share it: it has buffers."""

    def __init__(self, game: Game, network: PointsNet) -> None:
        self.game, self.is_fast = game, has_fast_bf16()
        self._number = 0
        self._key = np.zeros(1, dtype=np.uint64)
        self._actions = np.zeros(game.most_actions, dtype=np.int16)
        self._active = np.zeros(game.most_active, dtype=np.int16)
        self._after = np.zeros(1, dtype=game.state).view(np.recarray)
        self.take(network)

    def take(self, network: PointsNet) -> None:
        """Plays by this network as it is now."""
        taken = copy.deepcopy(network).eval().requires_grad_(False)
        self._hidden = taken.hidden.to(torch.bfloat16) if self.is_fast else taken.hidden
        self._weights, self._bias = taken.last.weight[0], taken.last.bias.item()

    def _room(self, number: int) -> None:
        """Buffers for so many games."""
        if number <= self._number:
            return
        rows = number * self.game.most_actions
        self._number, self._tile = number, min(rows, TILE)
        rows = -(-rows // self._tile) * self._tile
        self.counts, self.codes = np.zeros(number, dtype=np.int64), np.zeros(rows, dtype=np.int16)
        self.so_far, self.final = np.zeros(rows, dtype=np.float32), np.zeros(rows, dtype=np.bool_)
        self.inputs = np.zeros((rows, self.game.inputs), dtype=np.int16 if self.is_fast else np.float32)

    def totals(self, states: np.ndarray) -> np.ndarray:
        """The totals of all afterstates of these games, as `expand` orders them: float32."""
        self._room(len(states))
        rows = self.game.algorithms["expand"](
            *(states, self._after, self._actions, self._active, ONE_IN_BF16 if self.is_fast else 1),
            *(self.counts[: len(states)], self.codes, self.so_far, self.final, self.inputs),
        )
        return self.so_far[:rows] + np.where(self.final[:rows], np.float32(0.0), self._to_come(rows))

    def _to_come(self, rows: int) -> np.ndarray:
        """The points that are still to come, of the first rows of inputs."""
        read, parts = torch.from_numpy(self.inputs), []
        read = read.view(torch.bfloat16) if self.is_fast else read
        with torch.inference_mode():
            for begin in range(0, rows, self._tile):
                hidden = self._hidden(read[begin : begin + self._tile]).float()
                parts.append((hidden @ self._weights + self._bias) * UNIT)
        return torch.cat(parts)[:rows].numpy() if parts else np.zeros(0, dtype=np.float32)

    def batch_of(self, state: State) -> np.ndarray:
        """A game as a batch of one."""
        states = np.zeros(1, dtype=self.game.state)
        states[0] = state
        return states.view(np.recarray)

    def choose(self, state: State) -> int:
        """The action with the highest total."""
        best = int(self.totals(self.batch_of(state)).argmax())
        return int(self.codes[best])

    def play(self, options: np.ndarray, keys: np.ndarray, epsilon: float = 0.0, keep: bool = False) -> Choices:
        """Plays a game for each key to its end. Without `keep` inputs are not kept."""
        number, algorithms = len(keys), self.game.algorithms
        states = np.zeros(number, dtype=self.game.state).view(np.recarray)
        made = np.zeros(number, dtype=np.int64)
        algorithms["begin_choices"](states, options, keys, self._actions, made)
        lengths, chosen = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
        inputs: list[np.ndarray] = []
        best: list[np.ndarray] = []
        so_far: list[np.ndarray] = []
        explored: list[np.ndarray] = []
        while True:
            totals = self.totals(states)
            seen, random = np.zeros(number, dtype=np.float32), np.zeros(number, dtype=np.bool_)
            played = algorithms["advance"](
                *(states, self._actions, self.counts[:number], self.codes, totals, epsilon),
                *(np.uint64(draw(keys[0], -2 - len(best))), chosen, seen, random, made),
            )
            if not played:
                break
            lengths += chosen >= 0
            rows = chosen[chosen >= 0]
            best.append(seen)
            explored.append(random)
            so_far.append(np.where(chosen >= 0, self.so_far[chosen], np.float32(0.0)))
            if keep:
                inputs.append(self.inputs[rows])
        scores = np.array([self.game.returns(state)[0] for state in states])
        return Choices(inputs, np.array(best), np.array(so_far), np.array(explored), lengths, made, scores)

    def scores(self, options: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of a game for each key, and how many actions it had."""
        played = [self.play(options, part) for part in in_parts(keys)]
        return np.concatenate([each.scores for each in played]), np.concatenate([each.made for each in played])
