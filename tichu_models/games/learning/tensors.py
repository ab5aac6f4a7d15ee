"""Between the arrays of a run and the tensors of a network. Torch is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tichu_models.games.learning.trainer import Arrays

if TYPE_CHECKING:
    from torch import Tensor, nn


def arrays_of(tensors: Mapping[str, Tensor]) -> Arrays:
    """Tensors as arrays."""
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def tensors_of(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """Arrays as tensors of their own."""
    import torch

    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def load(network: nn.Module, arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Gives a network the weights whose names begin so. Raises ValueError for those of another one."""
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    try:
        network.load_state_dict(tensors_of(own))
    except RuntimeError as error:
        raise ValueError(str(error)) from None
