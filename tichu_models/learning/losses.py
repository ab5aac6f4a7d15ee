"""Losses: one number for each sample, which the caller weights and averages.

All losses are computed in float32, whatever number type the network runs in.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from tichu_models.networks.candidates import Candidates, log_softmax
from tichu_models.networks.interface import FLAT_OUTPUTS, HIERARCHICAL_OUTPUTS, PASS_OUTPUT
from tichu_models.rules.cards import NUM_CARDS, NUM_COLOURS, NUM_VALUES

Error = Literal["mse", "mae", "huber"]
ERRORS = {"mse": F.mse_loss, "mae": F.l1_loss, "huber": F.smooth_l1_loss}


def cards_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Binary cross-entropy of cards and pass (.., 57), averaged over the outputs: (..).

    Of a hierarchical policy (.., 58): the cross-entropy of pass and play, and that of the cards where any were played.
    """
    outputs, target = outputs.float(), target.float()
    if outputs.shape[-1] != HIERARCHICAL_OUTPUTS:
        return F.binary_cross_entropy_with_logits(outputs, target, reduction="none").mean(-1)
    passed = target[..., PASS_OUTPUT]
    gate = outputs[..., PASS_OUTPUT:].log_softmax(-1)
    cards = F.binary_cross_entropy_with_logits(outputs[..., :NUM_CARDS], target[..., :NUM_CARDS], reduction="none")
    return ((1 - passed) * (cards.sum(-1) - gate[..., 1]) - passed * gate[..., 0]) / FLAT_OUTPUTS


def move_loss(scores: Tensor, candidates: Candidates, chosen: Tensor) -> Tensor:
    """Negative log-likelihood of the chosen move among the legal ones: (n,); 0 where none of them was chosen (-1)."""
    likelihood = log_softmax(scores, candidates)[chosen.clamp(min=0)]
    return torch.where(chosen >= 0, -likelihood, 0.0)


def value_loss(value: Tensor, target: Tensor, error: Error = "mse") -> Tensor:
    """Error of a prediction, in its unit or the square of it."""
    return ERRORS[error](value.float(), target.float(), reduction="none")


def yes_no_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Binary cross-entropy of k yes-no questions (n, k), averaged over them: (n,)."""
    return F.binary_cross_entropy_with_logits(outputs.float(), target.float(), reduction="none").mean(-1)


def choice_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Negative log-likelihood of the answer that was given, where the target (.., answers) is 1: (..)."""
    return -(outputs.float().log_softmax(-1) * target).sum(-1)


def schupf_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Negative log-likelihood of value and colour of the cards given to right, partner and left (n, 66): (n,)."""
    pairs = zip(split_schupf(outputs), split_schupf(target), strict=True)
    return torch.stack([choice_loss(*pair).sum(-1) for pair in pairs]).sum(0)


def split_schupf(outputs: Tensor) -> tuple[Tensor, Tensor]:
    """The outputs for values and for colours: (n, 66) -> (n, 3, 17), (n, 3, 5)."""
    values, colours = outputs.split([3 * NUM_VALUES, 3 * NUM_COLOURS], dim=1)
    return values.unflatten(1, (3, NUM_VALUES)), colours.unflatten(1, (3, NUM_COLOURS))
