"""Layers that networks are made of, stacks of them, and how many outputs a policy has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from tichu_models.rules.cards import NUM_CARDS

PASS_OUTPUT, PLAY_OUTPUT = NUM_CARDS, NUM_CARDS + 1  # behind the cards; the latter only in a hierarchical policy
FLAT_OUTPUTS, HIERARCHICAL_OUTPUTS = NUM_CARDS + 1, NUM_CARDS + 2


def policy_outputs(hierarchical: bool) -> int:
    """Cards in the order of card indices, pass and, if hierarchical, play: the two sides of the gate."""
    return HIERARCHICAL_OUTPUTS if hierarchical else FLAT_OUTPUTS


class Dropout(nn.Module):
    """Dropout at a third of nn.Dropout's cost on a CPU, where its random numbers are 30% of a small network's time.

    Four values share one 64-bit number: the share is kept to 1 / 65536.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Drops a share of the values in training, and scales up the others."""
        if not self.training or self.share == 0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.share)
        dropped = round(self.share * 65536)
        numbers = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(1 << 63), None).view(torch.int16)
        kept = numbers[: x.numel()].view(x.shape) >= dropped - 32768
        return x * kept.to(x.dtype).mul_(65536 / (65536 - dropped))

    def extra_repr(self) -> str:
        """For printing a network."""
        return str(self.share)


def hidden_layers(inputs: int, hidden: Sequence[int], dropouts: Sequence[float]) -> list[nn.Module]:
    """Linear layers with ReLU, and dropout behind those that have one."""
    layers: list[nn.Module] = []
    for (before, after), share in zip(pairwise((inputs, *hidden)), dropouts, strict=True):
        layers += [nn.Linear(before, after), nn.ReLU()]
        if share:
            layers.append(Dropout(share))
    return layers


def stack(inputs: int, hidden: Sequence[int], outputs: int, dropout: float = 0.0) -> nn.Sequential:
    """Hidden layers and a linear one; dropout after every hidden layer but the last."""
    dropouts = [dropout] * (len(hidden) - 1) + [0.0] * bool(hidden)
    last = hidden[-1] if hidden else inputs
    return nn.Sequential(*hidden_layers(inputs, hidden, dropouts), nn.Linear(last, outputs))


def body(inputs: int, hidden: Sequence[int], dropout: float) -> nn.Sequential:
    """Hidden layers with dropout after each, for heads to stand on."""
    return nn.Sequential(*hidden_layers(inputs, hidden, [dropout] * len(hidden)))
