"""Figures against those by hand, whatever batches they are gathered from."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.makers.learners import plays_of, random_candidates
from tichu_models.learning.metrics.choices import ChoiceMetric
from tichu_models.learning.metrics.moves import MoveMetric
from tichu_models.learning.metrics.tally import Tally
from tichu_models.learning.metrics.values import ValueMetric
from tichu_models.learning.metrics.yes_no import YesNoMetric
from tichu_models.networks.candidates import Candidates


def _moves():
    """Four decisions: a forced pass, a pass taken for a play, a pair hit, a single missed."""
    plays = plays_of(["", "S9", "", "S9 B9", "S9", "B9", "Dr", "Ma"])
    candidates = Candidates.of_counts(plays, torch.tensor([1, 2, 3, 2]))
    scores = torch.tensor([1.0, 3.0, 2.0, 9.0, 8.0, 8.0, 4.0, 5.0])
    return scores, candidates, torch.tensor([0, 2, 3, 6])


def test_moves_by_hand():
    """A forced move that counts, or a tie that always hits, flatters a policy."""
    scores, candidates, chosen = _moves()
    metric = MoveMetric()
    metric.update(scores, scores, candidates, chosen)
    found = metric.figures()
    assert found["decisions"] == 4
    assert found["top1"] == 2 / 4
    assert found["top1_not_forced"] == pytest.approx(1 / 3)
    assert found["decisions_not_pass"] == 2
    assert found["top1_not_pass"] == 1 / 2
    assert (found["top1_pair"], found["top1_single"], found["top1_pass"]) == (1, 0, 0)
    assert found["top5"] == 1
    assert "top1_bomb" not in found
    pair = -math.log(1 / (1 + 2 * math.exp(-1)))
    nll = [0, math.log(1 + math.e), pair, math.log(1 + math.e)]
    assert found["nll"] == pytest.approx(sum(nll) / 4)
    assert found["nll_pair"] == pytest.approx(pair)
    assert found["uniform_top1_not_forced"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert found["uniform_nll"] == pytest.approx((math.log(2) + math.log(3) + math.log(2)) / 4)
    assert found["pass_recall"] == 0
    assert "pass_precision" not in found  # it never chose to pass where it might
    assert found["not_legal"] == 0


def test_passes_by_hand():
    """Forced passes, and leads, where none is legal, say nothing of when a policy passes."""
    plays = plays_of(["S9", ""] * 5 + ["S9", "B9"])
    candidates = Candidates.of_counts(plays, torch.tensor([2] * 6))
    first_is_better = torch.tensor([1, 0, 0, 0, 1, 1], dtype=torch.bool)
    scores = torch.stack([first_is_better, ~first_is_better], dim=1).flatten().float()
    chosen = torch.arange(0, 12, 2) + torch.tensor([0, 1, 1, 0, 1, 0])  # plays, passes, passes, plays, passes, plays
    metric = MoveMetric()
    metric.update(scores, scores, candidates, chosen)
    assert metric.figures()["pass_precision"] == pytest.approx(2 / 3)
    assert metric.figures()["pass_recall"] == pytest.approx(2 / 3)


def test_equal_scores_share_their_places():
    """A policy without any opinion would be right every time."""
    plays = plays_of([f"{colour}{rank}" for rank in (2, 3, 4, 5) for colour in "SB"])
    candidates = Candidates.of_counts(plays, torch.tensor([8]))
    metric = MoveMetric()
    metric.update(torch.zeros(8), torch.zeros(8), candidates, torch.tensor([6]))
    assert metric.figures()["top1"] == 1 / 8
    assert metric.figures()["top5"] == 5 / 8
    assert metric.figures()["nll"] == pytest.approx(metric.figures()["uniform_nll"])


def test_a_move_that_is_not_legal_is_counted_apart():
    """It would be a miss of the policy, or, at place -1 of the tensor, a hit of another decision."""
    scores, candidates, chosen = _moves()
    metric = MoveMetric()
    metric.update(scores, scores, candidates, torch.where(torch.arange(4) == 3, -1, chosen))
    found = metric.figures()
    assert found["decisions"] == 3
    assert found["not_legal"] == 1 / 4
    assert "top1_single" not in found


def _auc(odds, target):
    """By all pairs."""
    yes, no = odds[target == 1], odds[target == 0]
    pairs = (yes[:, None] > no).astype(float) + (yes[:, None] == no) / 2
    return pairs.mean()


def test_yes_no_by_hand():
    """A probability that is off by as much as it says, and parts nothing."""
    p = torch.tensor([0.9, 0.9, 0.1, 0.1, 0.5])
    target = torch.tensor([1.0, 0.0, 0.0, 0.0, 1.0])
    metric = YesNoMetric()
    metric.update(torch.logit(p), target)
    found = metric.figures()
    brier = (0.01 + 0.81 + 0.01 + 0.01 + 0.25) / 5
    assert found["brier"] == pytest.approx(brier)
    assert found["base_rate"] == pytest.approx(0.4)
    assert found["brier_skill"] == pytest.approx(1 - brier / 0.24)
    assert found["auc"] == pytest.approx((2.5 + 2) / 6)
    assert found["ece"] == pytest.approx((abs(1.8 - 1) + abs(0.2 - 0) + abs(0.5 - 1)) / 5)
    assert found["nll"] == pytest.approx(-(2 * math.log(0.9) + math.log(0.1) + math.log(0.9) + math.log(0.5)) / 5)
    assert found["base_nll"] == pytest.approx(-0.4 * math.log(0.4) - 0.6 * math.log(0.6))
    bins = metric.reliability()
    assert bins.predicted.tolist() == pytest.approx([0.1, 0.5, 0.9])
    assert bins.observed.tolist() == [0, 1, 0.5]
    assert bins.samples.tolist() == [2, 1, 2]


def test_auc_is_that_of_all_pairs():
    """A histogram that is too coarse makes pairs equal that are not."""
    rng = np.random.default_rng(5)
    target = (rng.random(2000) < 0.05).astype(float)
    odds = rng.normal(size=2000) * 3 + 2 * target - 6
    odds[:200] = np.round(odds[:200])  # and some that are equal
    odds[:3] = (-1000, 1000, 40)
    metric = YesNoMetric()
    metric.update(torch.tensor(odds), torch.tensor(target))
    assert metric.figures()["auc"] == pytest.approx(_auc(np.clip(odds, -16, 15.999), target), abs=1e-4)


def test_one_sided_answers_have_no_auc():
    """Where nobody ever called, the skill would be a division by zero."""
    metric = YesNoMetric()
    metric.update(torch.zeros(4), torch.zeros(4))
    assert {"auc", "brier_skill"}.isdisjoint(metric.figures())
    assert metric.figures()["brier"] == 0.25


def test_choices_by_hand():
    """The base must be what a constant answer gets, on the same samples."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    metric = ChoiceMetric()
    metric.update(scores, torch.tensor([0, 1, 1, 1]))
    found = metric.figures()
    assert found["top1"] == pytest.approx((1 + 0 + 1 / 3 + 1 / 2) / 4)
    z, w = math.exp(2) + math.e + 1, 2 * math.e + 1
    assert found["nll"] == pytest.approx((math.log(z) - 2 + math.log(z) - 1 + math.log(3) + math.log(w) - 1) / 4)
    assert found["base_top1"] == 0.75
    assert found["base_nll"] == pytest.approx(-0.25 * math.log(0.25) - 0.75 * math.log(0.75))


def test_values_by_hand():
    """R2 over the whole round hides that a value is worth little early and much late."""
    value, target = torch.tensor([1.0, 0.0, 2.0, 2.0]), torch.tensor([1.0, -1.0, 2.0, 4.0])
    metric = ValueMetric()
    metric.update(value, target, torch.tensor([0, 6, 28, 34]))
    found = metric.figures()
    assert found["mse"] == pytest.approx(5 / 4)
    assert found["mae"] == pytest.approx(3 / 4)
    assert found["base_mse"] == pytest.approx(np.var([1, -1, 2, 4]))
    assert found["r2"] == pytest.approx(1 - 1.25 / np.var([1, -1, 2, 4]))
    assert found["r2_from_0"] == pytest.approx(1 - 0.5 / 1)
    assert found["r2_from_28"] == pytest.approx(1 - 2 / 1)
    assert found["samples_from_28"] == 2
    assert "r2_from_7" not in found


def _update(metric, part):
    torch.manual_seed(4)
    n = 60
    if isinstance(metric, MoveMetric):
        candidates = random_candidates(n)
        scores = torch.randn(len(candidates.plays))
        first = candidates.counts.cumsum(0) - candidates.counts
        keep = torch.isin(candidates.row, torch.arange(n)[part])
        kept = Candidates.of_counts(candidates.plays[keep], candidates.counts[part])
        starts = kept.counts.cumsum(0) - kept.counts
        chosen = first + (torch.rand(n) * candidates.counts).long()
        metric.update(scores[keep], scores[keep], kept, (chosen - first)[part] + starts)
    elif isinstance(metric, YesNoMetric):
        metric.update(torch.randn(n)[part], (torch.rand(n) < 0.3).float()[part])
    elif isinstance(metric, ChoiceMetric):
        metric.update(torch.randn(n, 5)[part], torch.randint(0, 5, (n,))[part])
    else:
        metric.update(torch.randn(n)[part], torch.randn(n)[part], torch.randint(0, 57, (n,))[part])


@pytest.mark.parametrize("kind", [MoveMetric, YesNoMetric, ChoiceMetric, ValueMetric])
def test_parts_add_up(kind):
    """Figures that hang on the batch size, or on the number of processes, cannot be compared between runs."""
    whole, by_batches, left, right = kind(), kind(), kind(), kind()
    assert whole.figures() == {}
    _update(whole, slice(0, 60))
    for part in (slice(0, 7), slice(7, 50), slice(50, 60)):
        _update(by_batches, part)
    _update(left, slice(0, 20))
    _update(right, slice(20, 60))
    left.tally.merge(right.tally)
    assert by_batches.figures() == pytest.approx(whole.figures())
    assert left.figures() == pytest.approx(whole.figures())


def test_a_tally_does_not_share_what_it_was_given():
    """An array that is reused for the next batch would change the sums of the last one."""
    array = np.ones(2)
    tally = Tally()
    tally.add("a", array)
    array += 5
    tally.add("a", array)
    assert tally["a"].tolist() == [7, 7]
