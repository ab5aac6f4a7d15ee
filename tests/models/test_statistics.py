"""Intervals against SciPy, the sequential test against its promise, ratings against common sense."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tichu_models.arena.referee import BINS, LenientReferee, quantile_of_times
from tichu_models.ratings import ratings
from tichu_models.statistics import SequentialTest, bootstrap, controlled, wilson

RNG = np.random.default_rng(5)


@pytest.mark.parametrize(("won", "games"), [(0, 7), (7, 7), (3, 10), (1983, 2000), (41, 100)])
def test_wilson_equals_scipy(won, games):
    """A slip in the formula that nobody would see in the middle of the scale."""
    interval = stats.binomtest(won, games).proportion_ci(method="wilson")
    assert wilson(won, games) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_bootstrap_equals_scipy():
    """Intervals that are too narrow: every comparison would look decided."""
    points, rounds = RNG.integers(-40, 45, 300) * 5.0, np.full(300, 2)
    theirs = stats.bootstrap((points / 2,), np.mean, n_resamples=20_000, method="percentile", rng=RNG)
    interval, width = theirs.confidence_interval, theirs.confidence_interval.high - theirs.confidence_interval.low
    assert bootstrap(points, rounds) == pytest.approx((interval.low, interval.high), abs=0.05 * width)
    assert bootstrap(points, rounds, seed=1) == bootstrap(points, rounds, seed=1)


def test_bootstrap_of_a_ratio_equals_scipy():
    """Games of different length, weighed as if they had the same."""
    rounds = RNG.integers(5, 30, 200)
    points = RNG.normal(3, 40, 200) * np.sqrt(rounds)
    theirs = stats.bootstrap(
        (points, rounds),
        lambda p, r, axis: p.sum(axis=axis) / r.sum(axis=axis),
        n_resamples=20_000,
        method="percentile",
        paired=True,
        rng=RNG,
    ).confidence_interval
    expected = (theirs.low, theirs.high)
    assert bootstrap(points, rounds) == pytest.approx(expected, abs=0.05 * (theirs.high - theirs.low))


def test_a_control_variate_removes_what_it_explains():
    """A correction with the wrong sign or size adds noise."""
    luck = RNG.normal(0, 10, 5000)
    noise = RNG.normal(2, 5, 5000)
    assert np.std(controlled(noise + 3 * luck, luck)) == pytest.approx(5, rel=0.05)
    assert np.array_equal(controlled(noise, np.zeros(5000)), noise)


@pytest.mark.proof
@pytest.mark.parametrize("true_margin", [-2.0, 2.0])
def test_the_sequential_test_keeps_its_promise(true_margin):
    """Errors beyond 5 % where the margin is as large as the test asks for; in steps and with a spread as in play."""
    test = SequentialTest(2.0)
    runs, wrong, deals = 2000, 0, 0
    for _ in range(runs):
        verdict = test.look(np.round(RNG.normal(true_margin, 90, 60_000) / 2.5) * 2.5)
        assert verdict.better is not None
        wrong += verdict.better != ("a" if true_margin > 0 else "b")
        deals += verdict.deals
    print(f"margin {true_margin}: {wrong / runs:.3f} wrong, {deals / runs:,.0f} deals on average")
    assert wrong / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_the_sequential_test_stops_early_and_not_on_nothing():
    """A test that never ends between clearly different agents, or ends between equal ones that never differ."""
    clear = SequentialTest(5).look(RNG.normal(40, 60, 5000))
    assert (clear.better, clear.deals <= 500) == ("a", True)
    assert SequentialTest(5).look(-RNG.normal(40, 60, 5000)).better == "b"
    same = SequentialTest(5).look(np.zeros(5000))
    assert (same.better, same.deals, same.log_likelihood_ratio) == (None, 5000, 0.0)
    assert SequentialTest(5).look(np.ones(50)).better is None


def test_ratings_follow_the_results():
    """An agent that loses every match and leads the ladder; a certainty that does not grow."""
    better = np.where(RNG.random(400) < 0.8, 10.0, -10.0)
    rated = ratings(("a", "b", "c"), [(0, 1), (0, 2), (1, 2)], [-better, np.zeros(400), better])
    assert [rating.name for rating in rated] == ["b", "a", "c"] or rated[0].name == "b"
    assert rated[0].matches == 800
    few = ratings(("a", "b"), [(0, 1)], [better[:5]])
    many = ratings(("a", "b"), [(0, 1)], [better])
    assert many[0].sigma < few[0].sigma


def test_times_are_those_of_decisions():
    """A median over batches would call an agent slow that answers a thousand questions at once."""
    referee = LenientReferee()
    referee.add_time("x", 1.0, 1000)
    referee.add_time("x", 0.5, 10)
    assert quantile_of_times(referee.times["x"], 0.5) == pytest.approx(1e-3, rel=0.05)
    assert quantile_of_times(referee.times["x"], 0.995) == pytest.approx(5e-2, rel=0.05)
    assert quantile_of_times(np.zeros(BINS), 0.5) is None
