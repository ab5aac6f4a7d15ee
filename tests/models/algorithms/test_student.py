"""A network that learns: its steps, its errors, its state, minibatches, rates and random numbers."""

from __future__ import annotations

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from lightning.fabric import Fabric
from torch import nn

from tichu_models.algorithms.student import (
    GRADIENT_NORM,
    LossError,
    Student,
    between,
    fit,
    generator_of,
    minibatches,
)

N, INPUTS = 300, 5


def student_of(precision="32-true", seed=0, rate=0.01):
    """A small network that learns one number."""
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(INPUTS, 16), nn.ReLU(), nn.Linear(16, 1), nn.Flatten(0))
    return Student(Fabric(accelerator="cpu", devices=1, precision=precision), network, rate)


def made_up():
    """States, and a number for each that follows from it."""
    generator = np.random.default_rng(7)
    states = generator.standard_normal((N, INPUTS)).astype(np.float32)
    return torch.from_numpy(states), (states[:, 0] - 2 * states[:, 3]).astype(np.float32)


def epoch(student, number, states, targets):
    """One epoch of regression whose minibatches depend on its number."""
    rows = np.arange(N)
    return fit(student, targets, lambda part: student.ask(states[part]), rows, 64, generator_of(number))


def weights_of(student):
    """A copy of the weights."""
    return {name: tensor.clone() for name, tensor in student.network.state_dict().items()}


def assert_equal(one, other):
    """Holds tensors equal bit for bit."""
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def test_regression_learns():
    """A critic whose values come from other rows than its targets learns the mean, and nothing warns of it."""
    student, (states, targets) = student_of(), made_up()
    errors = [epoch(student, number, states, targets) for number in range(60)]
    assert errors[0] > 3
    assert errors[-1] < 0.05


def test_fit_learns_from_the_rows_it_is_given():
    """A share of the decisions that is drawn for the critic, but not the one it learns from."""
    student, (states, targets) = student_of(), made_up()
    asked = []

    def values(part):
        asked.append(part)
        return student.ask(states[part])

    rows = np.flatnonzero(np.arange(N) % 3 == 0)
    fit(student, targets, values, rows, 30, generator_of(0))
    assert sorted(np.concatenate(asked)) == rows.tolist()
    assert fit(student, targets, values, rows[:0], 30, generator_of(0)) == 0


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_training_goes_on_where_it_was_saved(precision):
    """A moment of Adam that is lost, or one that the saved state shares with the student: a run that was killed would
    end elsewhere than one that was not."""
    states, targets = made_up()
    through, saved = student_of(precision), student_of(precision)
    for number in range(3):
        epoch(through, number, states, targets)
        epoch(saved, number, states, targets)
    file = safetensors.torch.save(saved.tensors())
    state = saved.tensors()
    for number in range(3, 6):
        saved.set_rate(0.003)
        epoch(saved, number, states, targets)  # changes nothing of what was saved
    for tensors in (state, safetensors.torch.load(file), state):
        resumed = student_of(precision, seed=1, rate=0.5)
        resumed.load(tensors)
        resumed.set_rate(0.003)
        for number in range(3, 6):
            epoch(resumed, number, states, targets)
        assert_equal(weights_of(resumed), weights_of(saved))
        assert_equal(resumed.tensors(), saved.tensors())
    through.set_rate(0.003)
    for number in range(3, 6):
        epoch(through, number, states, targets)
    assert_equal(weights_of(through), weights_of(saved))


def test_a_new_student_can_be_saved():
    """A run that is killed before its first step: Adam has no moments yet."""
    one, other = student_of(), student_of(seed=1)
    other.load(one.tensors())
    assert_equal(weights_of(one), weights_of(other))


def test_the_rate_is_that_of_the_optimiser():
    """Fabric wraps the optimiser: a rate that is set on the wrapper alone changes nothing."""
    states, targets = made_up()
    student = student_of()
    student.load(student_of(seed=1).tensors())
    epoch(student, 0, states, targets)
    before = weights_of(student)
    student.set_rate(0.0)
    epoch(student, 1, states, targets)
    assert_equal(weights_of(student), before)


def test_weights_stay_float32_in_mixed_precision():
    """Steps of Adam are lost in bfloat16 weights: they are smaller than its rounding."""
    states, targets = made_up()
    student = student_of("bf16-mixed")
    with torch.no_grad():
        assert student.ask(states[:3]).dtype == torch.bfloat16
    epoch(student, 0, states, targets)
    assert {tensor.dtype for tensor in student.tensors().values()} == {torch.float32}


def test_long_gradients_are_shortened():
    """One round of thousands of points would undo what all others taught."""
    student = student_of()
    states, _ = made_up()
    student.step(1e6 * student.ask(states).sum())
    norm = torch.sqrt(sum((p.grad**2).sum() for p in student.network.parameters()))
    assert norm.item() == pytest.approx(GRADIENT_NORM, rel=1e-4)


@pytest.mark.parametrize("broken", ["result", "weight", "gradient"])
def test_what_is_no_number_stops_and_changes_nothing(broken):
    """One broken result would make every weight none at the next step, and the saved state with them."""
    student, (states, targets) = student_of(), made_up()
    epoch(student, 0, states, targets)
    if broken == "result":
        targets[17] = np.nan
    if broken == "weight":
        with torch.no_grad():
            student.network[0].bias[3] = np.nan
    before = student.tensors()

    def values(rows):
        found = student.ask(states[rows])
        return found + (found * 0).abs().sqrt() if broken == "gradient" else found  # 0, with a slope of 0 / 0

    word = "gradient" if broken == "gradient" else "loss"
    with pytest.raises(LossError, match=f"the {word} of Sequential is nan; expected a number"):
        fit(student, targets, values, np.arange(N), N, generator_of(0))
    after = student.tensors()
    assert before.keys() == after.keys()
    for name, tensor in before.items():
        assert torch.equal(tensor.nan_to_num(77), after[name].nan_to_num(77)), name


@given(n=st.integers(0, 300), size=st.integers(1, 70), seed=st.integers(0, 9))
def test_minibatches_are_all_rows_once(n, size, seed):
    """Rows that are left out at the end of an epoch, a last minibatch of one noisy row, an order that never changes."""
    parts = list(minibatches(n, size, generator_of(seed)))
    assert sorted(row for part in parts for row in part) == list(range(n))
    assert all(len(part) <= size for part in parts)
    assert len(parts) == -(-n // size)
    if parts:
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(np.all(np.diff(part) > 0) for part in parts)


def test_minibatches_differ_from_epoch_to_epoch():
    """The same minibatches in every epoch."""
    generator = generator_of(1)
    one, other = (np.concatenate(list(minibatches(100, 10, generator))).tolist() for _ in range(2))
    assert one != other


def test_random_numbers_depend_on_seed_and_iteration_alone():
    """A resumed run that draws other numbers, or iterations that all draw the same."""
    first = [generator_of(*numbers).random() for numbers in ((3, 5), (3, 5), (3, 6), (4, 5), (5, 3))]
    assert first[0] == first[1]
    assert len(set(first)) == 4
    assert generator_of(3, 5).random() == pytest.approx(0.24541119652384558)  # also in another process


def test_rates_fall_geometrically():
    """A rate that is off at the ends, or that rises after its end when a run is made longer."""
    assert between(1e-2, 1e-4, 0) == 1e-2
    assert between(1e-2, 1e-4, 1) == pytest.approx(1e-4)
    assert between(1e-2, 1e-4, 0.5) == pytest.approx(1e-3)
    assert between(1e-4, 1e-2, 0.25) == pytest.approx(10**-3.5)
    assert between(0.1, 0.0, 0.25) == pytest.approx(0.075)
    assert between(0.0, 0.0, 0.5) == 0
    assert [between(0.1, end, 2.0) for end in (0.2, 0.0)] == [pytest.approx(0.2), 0]
    assert between(0.1, 0.2, -1.0) == pytest.approx(0.1)
