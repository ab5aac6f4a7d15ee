"""Sets of answers against plain references: probabilities, choices, scores by products, different numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.makers.positions import PLAYS, RICHEST_HAND
from tests.oracles import learning as plain
from tests.paths import ROOT
from tichu_models.algorithms.answers import _distinct, distinct, log_probabilities, match, pick
from tichu_models.algorithms.matching import MatchByKernels, match_by_torch, match_tensors
from tichu_models.rules.cards import parse_cards
from tichu_models.rules.legal import legal_plays

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=8)
SCORE = st.floats(-60, 60, width=32) | st.sampled_from([0.0, -3e4, 3e4, 1e30, -1e30])


def logs_of(scores, counts, dtype=np.float32):
    """The logarithms of the probabilities by the kernel."""
    scores = np.array(scores, dtype=dtype)
    logs = np.empty(len(scores))
    log_probabilities(scores, np.array(counts), logs)
    return logs


def pick_of(scores, temperature=0.0, unit=0.0, dtype=np.float32):
    """Picks from a set with other answers before and behind it, which score highest."""
    around = np.array([9e9, 9e9, *scores, 9e9], dtype=dtype)
    return pick(around, 2, 2 + len(scores), temperature, unit) - 2


@given(data=st.data(), sizes=SIZES)
def test_logarithms_of_probabilities(data, sizes):
    """A set that borrows from its neighbour, or an overflow: the probabilities that PPO divides by."""
    scores = data.draw(st.lists(SCORE, min_size=sum(sizes), max_size=sum(sizes)))
    expected = plain.log_softmax(np.array(scores, dtype=np.float32), sizes)
    np.testing.assert_allclose(logs_of(scores, sizes), expected, rtol=1e-6, atol=1e-6)


def test_logarithms_of_extreme_sets():
    """One answer is certain, equal answers are equally likely, huge scores are numbers still."""
    assert logs_of([5.0, 2.0, 2.0, 2.0, 2.0], [1, 4]) == pytest.approx([0, *[-np.log(4)] * 4])
    assert logs_of([1e30, 1e30, -1e30], [3]) == pytest.approx([-np.log(2), -np.log(2), -2e30])
    assert logs_of([3e38, -3e38], [2], np.float64) == pytest.approx([0, -6e38])


def test_the_best_answer_is_the_first_of_the_highest():
    """A pick outside of the set, or of another of equals than the agents pick."""
    assert pick_of([1.0, 3.0, 2.0, 3.0]) == 1
    assert pick_of([-5.0]) == 0
    assert pick_of([0.0, 0.0, 0.0]) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_answers_are_drawn_by_their_probability(dtype, temperature):
    """Each answer has its own part of 0 .. 1, as long as its probability: what is drawn is what is recorded."""
    scores = np.array([0.3, -1.2, 2.0, 0.3, -50.0], dtype=dtype)
    bounds = np.cumsum(np.exp(plain.log_softmax(scores / temperature, [5])))
    for answer, (low, high) in enumerate(zip([0, *bounds], bounds, strict=False)):
        for unit in np.linspace(low + 1e-7, high - 1e-7, 5) if high - low > 1e-6 else ():
            assert pick_of(scores, temperature, unit, dtype) == answer


@given(
    scores=st.lists(SCORE, min_size=1, max_size=6),
    temperature=st.sampled_from([0.1, 1.0]),
    unit=st.just(1 - 2**-53) | st.floats(0, 1, exclude_max=True),
)
def test_a_drawn_answer_is_of_the_set_and_possible(scores, temperature, unit):
    """An answer of the next set, or one whose probability is 0."""
    place = pick_of(scores, temperature, unit)
    assert 0 <= place < len(scores)
    assert (scores[place] - max(scores)) / temperature > -746


def test_the_highest_unit_draws_an_answer_of_the_set():
    """Probabilities sum up to less than 1 by rounding in every twelfth of these sets: nothing is left to be drawn."""
    generator = np.random.default_rng(0)
    for size in generator.integers(2, 12, 300):
        assert 0 <= pick_of(2 * generator.standard_normal(size), 1.0, 1 - 2**-53, np.float64) < size


def made_up(seed=0, n=37, width=24, different=11, dtype=torch.float32):
    """Vectors of states and answers, and a set of one to seven answers for each state."""
    generator = torch.Generator().manual_seed(seed)
    counts = torch.randint(1, 8, (n,), generator=generator)
    which = torch.randint(0, different, (int(counts.sum()),), generator=generator)
    states, answers = (torch.randn(size, width, generator=generator).to(dtype) for size in (n, different))
    return states, answers, which, counts, 0.3


def test_scores_are_products():
    """A state with its neighbour's answers, or a vector that is used for another answer."""
    states, answers, which, counts, scale = made_up()
    found = match(states.numpy(), answers.numpy(), which.numpy(), counts.numpy(), scale)
    expected = plain.match(states.double(), answers.double(), which.tolist(), counts.tolist(), scale)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-5)
    assert found.dtype == np.float32


@pytest.mark.parametrize("by", [MatchByKernels.apply, match_by_torch, match_tensors])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_both_ways_to_match_have_the_gradient_of_the_product(by, dtype):
    """A GPU that learns something else than the CPU plays. Vectors in bfloat16 are multiplied in float32."""
    states, answers, which, counts, scale = made_up(dtype=dtype)
    slopes = torch.randn(len(which), generator=torch.Generator().manual_seed(5))
    own = [states.clone().requires_grad_(), answers.clone().requires_grad_()]
    scores = by(*own, which, counts, scale)
    scores.backward(slopes)
    wide = [states.double().requires_grad_(), answers.double().requires_grad_()]
    expected = plain.match(*wide, which.tolist(), counts.tolist(), scale)
    expected.backward(slopes.double())
    assert scores.dtype == torch.float32
    torch.testing.assert_close(scores.double(), expected, rtol=1e-5, atol=1e-5)
    exact = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 2**-8, "atol": 1e-5}
    for found, tensor in zip(own, wide, strict=True):
        assert found.grad.dtype == dtype
        torch.testing.assert_close(found.grad.double(), tensor.grad, **exact)


@pytest.mark.parametrize("by", [MatchByKernels.apply, match_by_torch])
def test_rows_that_fill_up_a_batch_change_nothing(by):
    """Batches are filled up to sizes that torch has met before: a state without answers must not get some."""
    states, answers, which, counts, scale = made_up()
    filled = [torch.cat([each, torch.full((5, each.shape[1]), 7.0)]).requires_grad_() for each in (states, answers)]
    scores = by(*filled, which, counts, scale)
    scores.sum().backward()
    torch.testing.assert_close(scores.detach(), by(states, answers, which, counts, scale))
    for each in filled:
        assert torch.all(each.grad[-5:] == 0)


def test_gradients_of_slices_and_of_one_of_the_two():
    """A slice of a tensor lies in memory with gaps; vectors that are not learned (PolicyRLNet's) get no gradient."""
    states, answers, which, counts, scale = made_up()
    gappy = torch.stack([states, states], dim=2)[:, :, 0].requires_grad_()
    MatchByKernels.apply(gappy, answers, which, counts, scale).sum().backward()
    plain_states = states.clone().requires_grad_()
    match_by_torch(plain_states, answers, which, counts, scale).sum().backward()
    torch.testing.assert_close(gappy.grad, plain_states.grad)
    assert answers.grad is None


@given(keys=st.lists(st.integers(0, 5) | st.integers(-(2**63), 2**63 - 1), max_size=60))
def test_different_numbers(keys):
    """Two moves that share one vector, or a move with another's."""
    found, which = distinct(np.array(keys, dtype=np.int64))
    assert found.tolist() == list(dict.fromkeys(keys))
    assert found[which].tolist() == keys


def _richest():
    n = legal_plays(parse_cards(RICHEST_HAND), 0, 0, PLAYS)
    return PLAYS["move"][:n].copy()


KEYS = {
    "plays of the richest hand": _richest(),
    "pairs of cards": np.array([1 << a | 1 << b for a in range(56) for b in range(a)]),
    "low": np.arange(20_000),
    "high": np.arange(20_000) << 44,
    "shifted onto itself": np.array([i << 29 ^ i for i in range(20_000)]),
}
LONGEST_RUN = 40  # of taken slots


@pytest.mark.parametrize("name", KEYS)
def test_hashes_spread_numbers_evenly(name):
    """Numbers in slots in a row are compared one by one: a hash that drops the bits in which plays differ makes a large
    batch quadratic."""
    keys = KEYS[name]
    slots = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
    scratch, which = np.empty(len(keys), dtype=np.int64), np.empty(len(keys), dtype=np.int64)
    assert _distinct(keys, slots, scratch, which) == len(keys)
    taken = np.flatnonzero(slots >= 0)
    runs = np.diff(np.flatnonzero(np.diff(taken, prepend=-9, append=len(slots) + 9) > 1))
    assert runs.max() <= LONGEST_RUN


WITHOUT_COMPILER = """
import numpy as np
from tichu_models.algorithms.answers import distinct, log_probabilities
keys = np.array([-1, 5, 2**62 + 7, -1, -2**63, 5], dtype=np.int64)
with np.errstate(over="ignore"):
    found, which = distinct(keys)
print(found.tolist(), which.tolist())
"""


def test_plain_python_finds_the_same_numbers():
    """A hash that overflows a signed number means something else to the compiler than to NumPy."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER], env=environment, capture_output=True, text=True, check=True
    )
    keys = np.array([-1, 5, 2**62 + 7, -1, -(2**63), 5], dtype=np.int64)
    found, which = distinct(keys)
    assert run.stdout.strip() == f"{found.tolist()} {which.tolist()}"
