"""Layers and stacks of layers that the networks are made of, and the number of outputs of a policy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from tichu_models.chance import fill
from tichu_models.networks.interface import FLAT_OUTPUTS, HIERARCHICAL_OUTPUTS

BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}  # the integer type with as many bytes as a float


def policy_outputs(hierarchical: bool) -> int:
    """The number of outputs of a policy: 56 cards and the pass; a hierarchical one has another for the play."""
    return HIERARCHICAL_OUTPUTS if hierarchical else FLAT_OUTPUTS


class Dropout(nn.Module):
    """Dropout at a tenth of the cost of nn.Dropout, whose random numbers take 30% of a small network's time on a CPU.

    Torch's generator draws a key, from which 16 random bits are drawn for each value: the share is exact to 1 / 65536.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.dropped = round(share * 65536)

    def forward(self, x: Tensor) -> Tensor:
        """In training, sets a share of the values to 0 and scales up the others."""
        if not self.training or self.dropped == 0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.share)
        return x * self._factors(x)

    def _factors(self, x: Tensor) -> Tensor:
        """0 or the scale for each value, computed as integers: booleans and bfloat16 take several times as long."""
        numbers = torch.empty(-(-x.numel() // 4), dtype=torch.int64)
        fill(np.uint64(torch.empty((), dtype=torch.int64).random_().item()), numbers.numpy().view(np.uint64))
        last = self.dropped - 32769  # the highest number that drops a value
        kept = numbers.view(torch.int16)[: x.numel()].clamp_(last, last + 1).sub_(last)
        scale = torch.tensor(65536 / (65536 - self.dropped), dtype=x.dtype).view(BITS[x.element_size()])
        return kept.to(scale.dtype).mul_(scale).view(x.dtype).view(x.shape)

    def extra_repr(self) -> str:
        """What torch prints of the layer."""
        return str(self.share)


def hidden_layers(inputs: int, hidden: Sequence[int], dropouts: Sequence[float]) -> list[nn.Module]:
    """Linear layers with ReLU, each followed by dropout if its share is not 0."""
    layers: list[nn.Module] = []
    for (before, after), share in zip(pairwise((inputs, *hidden)), dropouts, strict=True):
        layers += [nn.Linear(before, after), nn.ReLU()]
        if share:
            layers.append(Dropout(share))
    return layers


def stack(inputs: int, hidden: Sequence[int], outputs: int, dropout: float = 0.0) -> nn.Sequential:
    """Hidden layers and a linear output layer; dropout after every hidden layer but the last."""
    dropouts = [dropout] * (len(hidden) - 1) + [0.0] * bool(hidden)
    last = hidden[-1] if hidden else inputs
    return nn.Sequential(*hidden_layers(inputs, hidden, dropouts), nn.Linear(last, outputs))


def body(inputs: int, hidden: Sequence[int], dropout: float) -> nn.Sequential:
    """Hidden layers with dropout after each, for heads to read from."""
    return nn.Sequential(*hidden_layers(inputs, hidden, [dropout] * len(hidden)))
