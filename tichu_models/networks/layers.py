"""Stacks of layers, of which all networks are made, and how many outputs a policy has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import nn

from tichu_models.rules.cards import NUM_CARDS

PASS_OUTPUT, PLAY_OUTPUT = NUM_CARDS, NUM_CARDS + 1  # behind the cards; the latter only in a hierarchical policy
FLAT_OUTPUTS, HIERARCHICAL_OUTPUTS = NUM_CARDS + 1, NUM_CARDS + 2


def policy_outputs(hierarchical: bool) -> int:
    """Cards in the order of card indices, pass and, if hierarchical, play: the two sides of the gate."""
    return HIERARCHICAL_OUTPUTS if hierarchical else FLAT_OUTPUTS


def hidden_layers(inputs: int, hidden: Sequence[int], dropouts: Sequence[float]) -> list[nn.Module]:
    """Linear layers with ReLU, and dropout behind those that have one."""
    layers: list[nn.Module] = []
    for (before, after), dropout in zip(pairwise((inputs, *hidden)), dropouts, strict=True):
        layers += [nn.Linear(before, after), nn.ReLU()]
        if dropout:
            layers.append(nn.Dropout(dropout))
    return layers


def stack(inputs: int, hidden: Sequence[int], outputs: int, dropout: float = 0.0) -> nn.Sequential:
    """Hidden layers and a linear one; dropout after every hidden layer but the last."""
    dropouts = [dropout] * (len(hidden) - 1) + [0.0] * bool(hidden)
    last = hidden[-1] if hidden else inputs
    return nn.Sequential(*hidden_layers(inputs, hidden, dropouts), nn.Linear(last, outputs))


def body(inputs: int, hidden: Sequence[int], dropout: float) -> nn.Sequential:
    """Hidden layers with dropout after each, for heads to stand on."""
    return nn.Sequential(*hidden_layers(inputs, hidden, [dropout] * len(hidden)))
