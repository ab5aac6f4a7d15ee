"""Returns and advantages against plain references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import learning as plain
from tichu_models.algorithms.returns import lambda_returns, normalised

number = st.floats(-4, 4, width=32)
SEQUENCES = st.lists(
    st.tuples(number, st.lists(st.tuples(number, st.sampled_from([1, -1])), min_size=1, max_size=9)),
    min_size=1,
    max_size=5,
)


def returns_of(sequences, weight):
    """By the kernel: (result, [(value, sign), ..]) for each sequence."""
    results = np.array([result for result, _ in sequences], dtype=np.float32)
    values = np.array([value for _, steps in sequences for value, _ in steps], dtype=np.float32)
    signs = np.array([sign for _, steps in sequences for _, sign in steps], dtype=np.float32)
    returns = np.empty_like(values)
    lambda_returns(results, values, signs, np.cumsum([len(steps) for _, steps in sequences]), weight, returns)
    return returns


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.95, 1.0])
@given(sequences=SEQUENCES)
def test_returns_are_the_mean_of_the_n_step_returns(weight, sequences):
    """A value of the other side with the wrong sign, a sequence that runs into the next, a weight off by a step."""
    expected = [
        worth
        for result, steps in sequences
        for worth in plain.lambda_returns(result, [v for v, _ in steps], [sign for _, sign in steps], weight)
    ]
    np.testing.assert_allclose(returns_of(sequences, weight), expected, atol=2e-6)


def test_returns_by_hand():
    """Two sides in turn, lambda a half: the last decision is worth the result, the others half what comes next."""
    returns = returns_of([(1.0, [(0.2, 1), (-0.4, -1), (0.6, 1)]), (-2.0, [(0.5, -1)])], 0.5)
    last, second = 1.0, -(0.5 * 1.0 + 0.5 * 0.6)
    first = 0.5 * 0.4 + 0.5 * -second
    np.testing.assert_allclose(returns, [first, second, last, 2.0], rtol=1e-6)


def test_lambda_one_needs_no_critic_and_zero_no_result_but_the_last():
    """The two ends, which the settings offer: a critic's error would leak into one, chance into the other."""
    steps = [(0.25, 1), (-0.5, -1), (0.75, -1), (1.0, 1)]
    assert returns_of([(2.0, steps)], 1.0).tolist() == [2, -2, -2, 2]
    assert returns_of([(2.0, steps)], 0.0).tolist() == [0.5, 0.75, -1.0, 2]


def test_advantages_are_normalised_in_their_group_and_cut():
    """The large swings of one kind of decision would drown those of the others."""
    generator = np.random.default_rng(1)
    groups = generator.integers(0, 3, 600)
    advantages = (10.0**groups * (generator.standard_normal(600) + groups)).astype(np.float32)
    advantages[7] = 1e6
    found = normalised(advantages, groups, 4.0)
    for group in range(3):
        part = advantages[groups == group].astype(np.float64)
        expected = np.clip((part - part.mean()) / part.std(), -4, 4)
        np.testing.assert_allclose(found[groups == group], expected, rtol=1e-5, atol=1e-6)
    assert found[7] == 4
    assert found.dtype == np.float32


def test_a_group_without_spread_has_no_advantage():
    """A division by 0 in a kind that occurred once, or always with the same result."""
    assert normalised(np.array([3.0, 2.0, 2.0]), np.array([0, 1, 1]), 4.0).tolist() == [0, 0, 0]
    assert len(normalised(np.zeros(0), np.zeros(0), 4.0)) == 0
