"""Answers compared on the same deals: the gain, how sure it is, and when it is enough."""

from __future__ import annotations

import numpy as np
import pytest

from tichu_models.search.paired import gains, is_settled, surely_best

CHANCE = np.random.default_rng(1)


def test_what_all_answers_share_cancels():
    """An answer that is better by two points on every deal, lost in the spread of the deals."""
    luck = CHANCE.normal(0, 100, 16)
    values = np.stack([luck, luck + 2])
    found = gains(values, np.ones(16), 0)
    np.testing.assert_allclose(found.means, [0, 2])
    np.testing.assert_allclose(found.errors, 0, atol=1e-9)
    assert surely_best(values, np.ones(16), 0, 2) == 1


def test_equal_weights_give_the_usual_standard_error():
    """A certainty that means something else than what its name says."""
    values = np.stack([np.zeros(50), CHANCE.normal(0.1, 1, 50)])
    found = gains(values, np.full(50, 0.3), 0)
    assert found.means[1] == pytest.approx(values[1].mean())
    assert found.errors[1] == pytest.approx(values[1].std(ddof=1) / np.sqrt(50))


def test_deals_without_weight_do_not_count():
    """A deal that was not found, whose values mean nothing."""
    values = np.array([[0.0, 0, 0, 0], [1, 1, -9, 1]])
    weights = np.array([1.0, 1, 0, 1])
    assert gains(values, weights, 0).means[1] == 1
    assert surely_best(values, weights, 0, 2) == 1


@pytest.mark.parametrize("weights", [np.zeros(3), np.array([1.0, 0, 0])])
def test_too_few_deals_prove_nothing(weights):
    """A single deal is as sure as can be of whatever it shows."""
    values = np.array([[0.0, 0, 0], [1, 1, 1]])
    assert surely_best(values, weights, 0, 2) == 0


def test_one_deal_that_is_known_is_enough():
    """Who sees all hands supposes one deal, the true one."""
    values = np.array([[0.0], [1], [2]])
    assert surely_best(values, np.ones(1), 0, 0) == 2
    assert surely_best(-values, np.ones(1), 0, 0) == 0


def test_noise_rarely_replaces_an_answer():
    """A search that prefers whatever was lucky: equal answers are to be kept in all but a few of a hundred."""
    replaced = [surely_best(CHANCE.normal(0, 1, (2, 32)), np.ones(32), 0, 2) for _ in range(2000)]
    assert np.mean(replaced) < 0.04


def test_a_choice_is_settled_when_nothing_else_may_be_better():
    """A search that goes on over what is clear, or stops where an answer may still be worth ten points more."""
    luck = CHANCE.normal(0, 1, 64)
    same, unsure = luck + CHANCE.normal(0, 1e-3, 64), luck + CHANCE.normal(0, 0.8, 64)
    ones = np.ones(64)
    assert is_settled(np.stack([luck, same]), ones, 0, 2)  # as good as the other
    assert is_settled(np.stack([luck, same + 0.5]), ones, 0, 2)  # the other one is surely better
    assert is_settled(np.stack([luck, same - 0.5]), ones, 0, 2)  # and surely worse
    assert not is_settled(np.stack([luck, unsure]), ones, 0, 2)
    assert not is_settled(np.stack([luck, same + 0.5, unsure + 0.5]), ones, 0, 2)  # which of two is better?
    assert not is_settled(np.stack([luck, same]), np.zeros(64), 0, 2)  # no deal was found
