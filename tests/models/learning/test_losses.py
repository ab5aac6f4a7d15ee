"""Losses against sums by hand, and targets against the choices they come from."""

from __future__ import annotations

import math

import pytest
import torch

from tests.makers.learners import plays_of
from tichu_models.learning.losses import (
    cards_loss,
    choice_loss,
    move_loss,
    schupf_loss,
    split_schupf,
    value_loss,
    yes_no_loss,
)
from tichu_models.networks.candidates import Candidates


def _odds(p):
    return math.log(p / (1 - p))


def test_cards_loss_by_hand():
    """A loss over the wrong outputs trains another policy."""
    outputs = torch.zeros(2, 57)
    outputs[0, 3], outputs[1, 56] = _odds(0.9), _odds(0.2)
    target = torch.eye(57)[[3, 56]]
    expected = [(-56 * math.log(0.5) - math.log(0.9)) / 57, (-56 * math.log(0.5) - math.log(0.2)) / 57]
    assert cards_loss(outputs, target).tolist() == pytest.approx(expected, rel=1e-5)


def test_hierarchical_cards_loss_by_hand():
    """Where a player passed, no card says anything of which cards he would have played."""
    outputs = torch.zeros(2, 58)
    outputs[:, 56:] = torch.tensor([math.log(3.0), 0.0])  # passes at 3/4
    outputs[:, 3] = _odds(0.9)
    loss = cards_loss(outputs, torch.eye(57)[[3, 56]])
    expected = [(-math.log(0.25) - math.log(0.9) - 55 * math.log(0.5)) / 57, -math.log(0.75) / 57]
    assert loss.tolist() == pytest.approx(expected, rel=1e-5)


def test_cards_loss_of_sequences():
    """Turns of a sequence would be averaged away before those that are none are left out."""
    outputs, target = torch.randn(3, 4, 57), (torch.rand(3, 4, 57) < 0.1).float()
    assert cards_loss(outputs, target).shape == (3, 4)
    torch.testing.assert_close(cards_loss(outputs, target)[1], cards_loss(outputs[1], target[1]))


def test_move_loss_by_hand():
    """A move that is not legal has no probability: it must not become an infinite loss, nor that of another move."""
    candidates = Candidates.of_counts(plays_of(["S9", "", "Dr", "", "Ma"]), torch.tensor([2, 3]))
    scores = torch.tensor([math.log(3.0), 0.0, 5.0, 5.0, 5.0], requires_grad=True)
    loss = move_loss(scores, candidates, torch.tensor([0, 4]))
    assert loss.tolist() == pytest.approx([-math.log(0.75), math.log(3)], rel=1e-5)
    loss = move_loss(scores, candidates, torch.tensor([1, -1]))
    assert loss.tolist() == pytest.approx([-math.log(0.25), 0], rel=1e-5)
    loss.sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == pytest.approx([0.75, -0.75, 0, 0, 0])


def test_value_loss_by_hand():
    """An error in another unit than is reported."""
    value, target = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 1.0])
    assert value_loss(value, target).tolist() == [0.25, 9]
    assert value_loss(value, target, "mae").tolist() == [0.5, 3]
    assert value_loss(value, target, "huber").tolist() == [0.125, 2.5]


def test_losses_are_reckoned_in_float32():
    """In bfloat16 a loss has three digits: it would stop to fall long before the network has learned."""
    for loss in (
        cards_loss(torch.zeros(2, 57).bfloat16(), torch.zeros(2, 57)),
        yes_no_loss(torch.zeros(2, 1).bfloat16(), torch.zeros(2, 1)),
        choice_loss(torch.zeros(2, 14).bfloat16(), torch.eye(14)[:2]),
        value_loss(torch.zeros(2).bfloat16(), torch.zeros(2)),
    ):
        assert loss.dtype == torch.float32


def test_schupf_by_hand():
    """Cards to the right opponent would be learned as those to the partner."""
    target = torch.zeros(1, 66)
    target[0, [9, 17 + 0, 34 + 16, 51 + 2, 56 + 4, 61 + 4]] = 1  # G9 to the right, Hu to the partner, Ph to the left
    assert schupf_loss(1e4 * target, target).tolist() == [0]
    assert schupf_loss(torch.zeros(1, 66), target).item() == pytest.approx(3 * math.log(17) + 3 * math.log(5))
    values, colours = split_schupf(target)
    assert values.argmax(-1).tolist() == [[9, 0, 16]]
    assert colours.argmax(-1).tolist() == [[2, 4, 4]]


def test_choice_loss_is_the_cross_entropy():
    """A softmax over the wrong dimension still falls."""
    outputs, answer = torch.randn(6, 14), torch.randint(0, 14, (6,))
    expected = torch.nn.functional.cross_entropy(outputs, answer, reduction="none")
    torch.testing.assert_close(choice_loss(outputs, torch.eye(14)[answer]), expected)
