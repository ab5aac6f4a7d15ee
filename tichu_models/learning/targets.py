"""From the label that a sample is stored with to what a loss compares with.

A label is a choice as `arena.table` describes it, but that cards stand by card index, and a pass is bit 56.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tichu_models.networks.layers import FLAT_OUTPUTS
from tichu_models.rules.cards import ACE, COLOURS, NUM_CARDS, VALUE_OF_INDEX
from tichu_models.rules.state import LEFT, RIGHT

POINTS_A_UNIT = 100  # values and returns are learned in hundreds of points
NUM_VALUES = int(VALUE_OF_INDEX.max()) + 1
NUM_COLOURS = len(COLOURS) + 1  # the last is that of the special cards: none
LOWEST_WISH = 2
NO_WISH = ACE - LOWEST_WISH + 1  # behind the ranks


def cards_target(label: Tensor) -> Tensor:
    """(..) -> (.., 57), as floats."""
    return (label[..., None] >> torch.arange(FLAT_OUTPUTS, device=label.device)).bitwise_and_(1).float()


def call_target(label: Tensor, first_out: Tensor) -> Tensor:
    """(n, 2): whether it was called, and whether the player went out first."""
    return torch.stack([label != 0, first_out != 0], dim=1).float()


def schupf_target(label: Tensor) -> tuple[Tensor, Tensor]:
    """(n, 3) values and (n, 3) colours of the cards given to right, partner and left."""
    index = label[:, None] >> torch.tensor([0, 8, 16], device=label.device) & 255
    values = torch.as_tensor(VALUE_OF_INDEX, dtype=torch.int64, device=label.device)[index]
    has_colour = (index >= 2) & (index < NUM_CARDS - 2)
    return values, torch.where(has_colour, (index - 2) % len(COLOURS), NUM_COLOURS - 1)


def wish_target(label: Tensor) -> Tensor:
    """(n,) 0..12 for the ranks 2..14, 13 for no wish."""
    return torch.where(label == 0, NO_WISH, label - LOWEST_WISH)


def dragon_target(label: Tensor) -> Tensor:
    """(n,) 0 for the right opponent, 1 for the left one."""
    if not bool(((label == RIGHT) | (label == LEFT)).all()):
        raise ValueError("a Dragon's label that is neither right nor left: expected decisions of who won it")
    return (label == LEFT).long()


def bomb_target(label: Tensor) -> Tensor:
    """(n, 1): whether a bomb was thrown."""
    return (label != 0).float()[:, None]
