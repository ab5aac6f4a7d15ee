"""A run's network as players ask it: views in, numbers out, each view's whatever else is asked beside it.

The product of two matrices may sum in another order when it has more rows. Therefore every call has exactly TILE rows,
filled up with whatever was in the buffer: then a row's numbers hang on that row only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tichu_models.networks.configs import DTConfig
from tichu_models.networks.precision import has_fast_bf16
from tichu_models.observation.encode import ROW, encode_views, plan_of
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import SpecError, spec
from tichu_models.observation.unpack import BFLOAT16, FLOAT32, Unpacker
from tichu_models.runs import checkpoint
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import MANIFEST
from tichu_models.runs.manifest import CheckpointError, SpecStamp

TILE = 128
SEQUENCES_AT_ONCE = 8  # of DTNet: its tile is all their turns
WORDS_BEHIND = 1  # of a packed vector, which unpacking reads


class Network:
    """The network of a run, in the type that this machine is fast in. Not to be shared by threads: it keeps buffers."""

    def __init__(self, folder: Path, network: str | None = None) -> None:
        self.name = folder.name
        manifest = manifests.read(folder / MANIFEST)
        try:
            found = spec(manifest.spec.name)
        except SpecError as error:
            raise CheckpointError(f"{folder / MANIFEST}: {error}") from None
        run = checkpoint.load(folder, network=network, spec=SpecStamp.of(found))
        kind, self.dtype = (BFLOAT16, torch.bfloat16) if has_fast_bf16() else (FLOAT32, torch.float32)
        self.manifest, self.module = run.manifest, run.network.to(self.dtype)
        self.spec = replace(found, rtg=False)  # players say themselves what is to be reached
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

    @property
    def lookup(self) -> np.ndarray:
        """Eight bits at a time as numbers of the network's type."""
        return self._unpacker.lookup

    def states(self, views: np.ndarray) -> Iterator[tuple[slice, Tensor]]:
        """Which views, and what the network reads of them: (tile, inputs), of which the first rows are theirs. The
        next tile is written over it."""
        for begin in range(0, len(views), self.tile):
            part = views[begin : begin + self.tile]
            encode_views(part, self._no_goal, self._plan, self._row, self._packed)
            yield slice(begin, begin + len(part)), self._tensor(self._unpacker.features(self._packed, self._features))

    def answers(self, views: np.ndarray, ask: Callable[[Tensor], Tensor] | None = None) -> np.ndarray:
        """What the network, or `ask`, says of each view: float32 (n, outputs)."""
        ask = ask or self.module
        with torch.inference_mode():
            parts = [ask(state)[: which.stop - which.start].float() for which, state in self.states(views)]
        return torch.cat(parts).numpy()

    def in_tiles(self, rows: np.ndarray, ask: Callable[[Tensor], Tensor]) -> np.ndarray:
        """What `ask` says of rows of numbers in the network's type; as many as fill whole tiles."""
        with torch.inference_mode():
            return torch.cat([ask(tile).float() for tile in self._tensor(rows).split(TILE)]).numpy()

    def _tensor(self, array: np.ndarray) -> Tensor:
        tensor = torch.from_numpy(array)
        return tensor.view(self.dtype) if array.dtype == np.int16 else tensor
