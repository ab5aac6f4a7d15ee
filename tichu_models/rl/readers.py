"""What the networks of rollouts read: packed rows become the states of decisions, for DTRLNet whole sequences of turns.

Players of rollouts and those that learn from them read by the same functions.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.agents.neural.turn_sequences import lay_sequences
from tichu_models.networks.dtrl_net import DTRLNet
from tichu_models.networks.interface import TURN_FEATURES
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.unpack import BFLOAT16, FLOAT32, Unpacker
from tichu_models.rl.hall import gather
from tichu_models.rl.latest_turns import turns_of


class Reader:
    """Turns packed rows of a spec into what a network reads, in tiles."""

    def __init__(self, spec: Spec, scaling: Scaling, dtype: torch.dtype) -> None:
        self.spec, self.dtype = spec, dtype
        self._unpacker = Unpacker(spec, scaling, BFLOAT16 if dtype == torch.bfloat16 else FLOAT32)
        self._packed = np.zeros((0, spec.width + 1), dtype=np.int64)
        self._features = self._unpacker.buffer(0, spec.size)

    @property
    def lookup(self) -> np.ndarray:
        """The table by which bits become numbers."""
        return self._unpacker.lookup

    def states(
        self, rows: np.ndarray, decisions: np.ndarray, seen: np.ndarray, options: np.ndarray, tile: int = 1
    ) -> Tensor:
        """What a network reads at these decisions of a rollout, filled up to whole tiles. The next call overwrites
        it."""
        return self.read(rows, seen, tile)

    def read(self, rows: np.ndarray, packed: np.ndarray, tile: int = 1) -> Tensor:
        """The vectors of these rows, filled up to whole tiles. The next call overwrites them."""
        return self._tensor(self._vectors(rows, packed, -(-len(rows) // tile) * tile))

    def _vectors(self, rows: np.ndarray, packed: np.ndarray, n: int) -> np.ndarray:
        """n vectors, of which the first are those of the rows."""
        if n > len(self._packed):
            self._packed = np.zeros((n, self.spec.width + 1), dtype=np.int64)
            self._features = self._unpacker.buffer(n, self.spec.size)
        gather(rows, packed, self.spec.width, self._packed)
        return self._unpacker.features(self._packed[:n], self._features)

    def _tensor(self, array: np.ndarray) -> Tensor:
        tensor = torch.from_numpy(array)
        return tensor.view(self.dtype) if self.dtype == torch.bfloat16 else tensor


class TurnReader(Reader):
    """A reader for DTRLNet: each decision's sequence has the latest open plays of its seat in its round."""

    def __init__(self, spec: Spec, scaling: Scaling, dtype: torch.dtype, turns: int) -> None:
        super().__init__(spec, scaling, dtype)
        self._turns, self._size = turns, turns * (spec.size + TURN_FEATURES)
        self._sequences = self._unpacker.buffer(0, self._size)

    def states(
        self, rows: np.ndarray, decisions: np.ndarray, seen: np.ndarray, options: np.ndarray, tile: int = 1
    ) -> Tensor:
        """The sequences that end with these plays, filled up to whole tiles. The next call overwrites them."""
        n = -(-len(rows) // tile) * tile
        if n * self._size > len(self._sequences):
            self._sequences = self._unpacker.buffer(n, self._size)
        places, played = turns_of(rows, decisions, options, self._turns)
        there = places >= 0
        vectors = self._vectors(places[there], seen, int(there.sum()))
        lay_sequences(vectors, there, played, self.lookup, self._sequences)
        return self._tensor(self._sequences[: n * self._size].reshape(n, self._turns, -1))


def reader_of(network: nn.Module, spec: Spec, scaling: Scaling, dtype: torch.dtype) -> Reader:
    """The reader of a network."""
    if isinstance(network, DTRLNet):
        return TurnReader(spec, scaling, dtype, network.turns)
    return Reader(spec, scaling, dtype)
