"""Losses by cross-fitting: what they make of noise, and of answers that really are worse."""

from __future__ import annotations

import numpy as np

from tichu_models.review.losses import behind_best, loss_of, may_cost, value_intervals

DEALS, DECISIONS = 64, 2000


def test_noise_is_no_loss():
    """The maximum of noisy means: every decision would seem to have cost something."""
    chance = np.random.default_rng(1)
    values, weights = chance.normal(0, 100, (DECISIONS, 5, DEALS)), np.ones(DEALS)
    naive = np.mean([(each.mean(1) - each[0].mean()).max() for each in values])
    losses = [loss_of(each, weights) for each in values]
    means = np.array([loss.mean for loss in losses])
    assert naive > 14
    assert abs(means.mean()) < 3 * means.std() / DECISIONS**0.5
    assert np.mean([loss.seen > 0 for loss in losses]) < 0.05
    assert np.mean([loss.sure for loss in losses]) < 0.01
    assert all(loss.seen >= 0 for loss in losses)


def test_a_worse_answer_costs_what_it_is_worse_by():
    """Intervals that are too narrow to hold the truth, or losses that are halved by the halves."""
    chance = np.random.default_rng(2)
    deals = chance.normal(0, 150, (DECISIONS, 1, DEALS))  # the same for both answers
    values = deals + chance.normal(0, 40, (DECISIONS, 2, DEALS)) + np.array([0.0, 30.0])[:, None]
    losses = [loss_of(each, np.ones(DEALS)) for each in values]
    held = np.mean([loss.interval[0] <= 30 <= loss.interval[1] for loss in losses])
    assert abs(np.mean([loss.mean for loss in losses]) - 30) < 1
    assert 0.93 < held < 0.97
    assert np.mean([loss.best == 1 for loss in losses]) > 0.99
    assert np.mean([may_cost(each, np.ones(DEALS), 15, 1) for each in values]) > 0.99


def test_what_surely_costs_little_needs_no_closer_look():
    """Hours spent on equal answers; an error that few deals could not show, dropped for good."""
    chance = np.random.default_rng(5)
    equal = chance.normal(0, 20, (DECISIONS, 2, DEALS))
    assert np.mean([may_cost(each, np.ones(DEALS), 15, 1) for each in equal]) < 0.01
    noisy = chance.normal(0, 100, (DECISIONS, 2, 32)) + np.array([0.0, 30.0])[:, None]
    assert np.mean([may_cost(each, np.ones(32), 15, 1.5) for each in noisy]) > 0.95
    assert may_cost(np.zeros((2, 8)), np.eye(8)[0], 15, 1)  # one deal says nothing


def test_deals_without_weight_do_not_count():
    """Values of deals that were never found, taken for results."""
    chance = np.random.default_rng(3)
    values, weights = chance.normal(0, 100, (3, DEALS)), np.ones(DEALS)
    weights[40:] = 0
    changed = values.copy()
    changed[:, 40:] = 1e6
    assert loss_of(values, weights) == loss_of(changed, weights)
    for one, other in zip(value_intervals(values, weights), value_intervals(changed, weights), strict=True):
        np.testing.assert_array_equal(one, other)


def test_values_have_intervals_that_hold_them():
    """Whiskers on the page that mean nothing."""
    chance = np.random.default_rng(4)
    values = chance.normal(20, 100, (DECISIONS, 1, DEALS))
    ends = [value_intervals(each, np.ones(DEALS)) for each in values]
    assert 0.93 < np.mean([low[0] <= 20 <= high[0] for _, low, high in ends]) < 0.97


def test_answers_that_are_as_good_are_not_surely_behind():
    """A solver that is told to be wrong for an equal answer, or right for a worse one."""
    chance = np.random.default_rng(5)
    deals = chance.normal(0, 150, (DECISIONS, 1, DEALS))
    values = deals + chance.normal(0, 20, (DECISIONS, 3, DEALS)) + np.array([0.0, 0.0, -40.0])[:, None]
    found = np.array([behind_best(each, np.ones(DEALS)) for each in values])
    means, lows = found[:, 0], found[:, 1]
    assert (means.min(1) == 0).all()
    assert 0.93 < (lows[:, :2] <= 0).all(1).mean() < 0.97
    assert (lows[:, 2] > 0).mean() > 0.99
    assert abs(means[:, 2].mean() - 40) < 3
