"""The network of a run as agents ask it: batches of views in, outputs out.

A view's outputs do not depend on the other views of its batch. A matrix product may sum in another order when it has
more rows; therefore the network is always called with exactly TILE rows, the last tile filled up with old rows.

Kept between two calls: the network, and buffers for one tile of packed vectors and of features. Asked: `answers` for
the network or a part of it, `states` for those who run the network themselves, `move_scores` for one that reads moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tichu_models.agents.choosing import Moves
from tichu_models.agents.neural.move_scores import move_scores
from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.networks.configs import DTConfig
from tichu_models.observation.encode import ROW, encode_views, plan_of
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import SpecError, spec
from tichu_models.observation.unpack import BFLOAT16, FLOAT32, Unpacker
from tichu_models.runs import checkpoint
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import MANIFEST
from tichu_models.runs.manifest import CheckpointError, SpecStamp

TILE = 128
SEQUENCES_AT_ONCE = 8  # in a tile of a DTNet
WORDS_BEHIND = 1  # after a packed vector, which unpacking may read


class Network:
    """The network of a run, in bfloat16 where this machine is fast in it. Threads must not share it: it has buffers."""

    def __init__(self, folder: Path, network: str | None = None, name: str = "") -> None:
        """Raises CheckpointError unless the folder holds a whole run, of `network` if that is given."""
        self.name = name or folder.name
        manifest = manifests.read(folder / MANIFEST)
        try:
            read = spec(manifest.spec.name)
        except SpecError as error:
            raise CheckpointError(f"{folder / MANIFEST}: {error}") from None
        run = checkpoint.load(folder, network=network, spec=SpecStamp.of(read))
        kind, self.dtype = (BFLOAT16, torch.bfloat16) if has_fast_bf16() else (FLOAT32, torch.float32)
        self.manifest, self.module = run.manifest, run.network.to(self.dtype)
        self.spec = replace(read, rtg=False)  # agents pass the return to go by themselves
        if self.spec.size != manifest.inputs:
            raise CheckpointError(
                f"{folder / MANIFEST}: {manifest.inputs} inputs; {self.spec.name} has {self.spec.size}"
            )
        scaling = Scaling.of(manifest.scaling) if manifest.scaling else None
        self._unpacker = Unpacker(self.spec, scaling, kind)
        self._plan = plan_of(self.spec)
        self.tile = TILE if not isinstance(manifest.config, DTConfig) else SEQUENCES_AT_ONCE * manifest.config.turns
        self._packed = np.zeros((self.tile, self.spec.width + WORDS_BEHIND), dtype=np.int64)
        self._features = self._unpacker.buffer(self.tile, self.spec.size)
        self._row, self._no_goal = np.zeros(1, dtype=ROW)[0], np.zeros(self.tile, dtype=np.int64)

    def states(self, views: np.ndarray) -> Iterator[tuple[slice, Tensor]]:
        """Tile by tile, a slice of the views and the network's inputs (tile, inputs), of which the first rows belong to
        these views. Each tile overwrites the one before."""
        for begin in range(0, len(views), self.tile):
            part = views[begin : begin + self.tile]
            encode_views(part, self._no_goal, self._plan, self._row, self._packed)
            yield slice(begin, begin + len(part)), self._tensor(self._unpacker.features(self._packed, self._features))

    def answers(self, views: np.ndarray, ask: Callable[[Tensor], Tensor] | None = None) -> np.ndarray:
        """The outputs of the network, or of `ask`, for each view: float32 (n, outputs)."""
        ask = ask or self.module
        with torch.inference_mode():
            parts = [ask(state)[: which.stop - which.start].float() for which, state in self.states(views)]
        return torch.cat(parts).numpy()

    def move_scores(self, views: np.ndarray, moves: Moves) -> np.ndarray:
        """The score of every move by a network that reads moves: float64 (m,)."""
        network: Any = self.module
        return self.match_moves(self.answers(views, network.states), moves)

    def match_moves(self, states: np.ndarray, moves: Moves) -> np.ndarray:
        """The score of every move by a network that reads moves, from the vectors of the states: float64 (m,)."""
        network: Any = self.module
        return move_scores(network, states, moves, self.lookup, TILE).astype(np.float64)

    @property
    def lookup(self) -> np.ndarray:
        """The table by which bits become numbers."""
        return self._unpacker.lookup

    def _tensor(self, array: np.ndarray) -> Tensor:
        """The array as a tensor of the network's type, without a copy."""
        tensor = torch.from_numpy(array)
        return tensor.view(self.dtype) if array.dtype == np.int16 else tensor
