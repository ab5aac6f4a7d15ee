"""LeafCritic: what supposed deals are worth, by the critic of a run of self-play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from tichu_models.agents.neural.network import TILE, WORDS_BEHIND
from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.kernels import kernel
from tichu_models.observation.encode import ROW
from tichu_models.observation.fields import Row
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.unpack import BFLOAT16, FLOAT32, Unpacker
from tichu_models.runs import checkpoint
from tichu_models.runs.folders import of_critic
from tichu_models.runs.manifest import SpecStamp
from tichu_models.search.open_hands import OPEN, encode_open

_WIDTH = OPEN.width


@kernel
def _encode_positions(positions: np.ndarray, row: Row, packed: np.ndarray) -> None:
    """What the critic reads of positions with a pending question."""
    for i in range(len(positions)):
        position = positions[i]
        encode_open(position.state, np.int64(position.seat), np.int64(position.kind), row)
        for word in range(_WIDTH):
            packed[i, word] = row.word[word]


class LeafCritic:
    """The critic of a run. Threads must not share it: it has buffers."""

    def __init__(self, run: Path) -> None:
        """Raises CheckpointError unless the run has a critic."""
        loaded = checkpoint.load(of_critic(run), network="CriticRLNet", spec=SpecStamp.of(OPEN))
        kind, self.dtype = (BFLOAT16, torch.bfloat16) if has_fast_bf16() else (FLOAT32, torch.float32)
        self.module = loaded.network.to(self.dtype)
        scaling = Scaling.of(loaded.manifest.scaling) if loaded.manifest.scaling else None
        self._unpacker = Unpacker(OPEN, scaling, kind)
        self._packed = np.zeros((TILE, OPEN.width + WORDS_BEHIND), dtype=np.int64)
        self._features = self._unpacker.buffer(TILE, OPEN.size)
        self._row = np.zeros(1, dtype=ROW)[0]

    def __call__(self, positions: np.ndarray) -> np.ndarray:
        """Values of positions for the team of the seat that is asked, in points / 100: float64 (n,)."""
        values = np.empty(len(positions))
        with torch.inference_mode():
            for begin in range(0, len(positions), TILE):
                part = positions[begin : begin + TILE]
                _encode_positions(part, self._row, self._packed)
                read = torch.from_numpy(self._unpacker.features(self._packed, self._features))
                outputs = self.module(read.view(self.dtype) if self.dtype == torch.bfloat16 else read)
                values[begin : begin + len(part)] = outputs[: len(part)].float().numpy()
        return values
