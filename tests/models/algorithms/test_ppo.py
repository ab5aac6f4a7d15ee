"""The loss of PPO and its gradient against plain references, branch by branch."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from lightning.fabric import Fabric

from tests.oracles import learning as plain
from tichu_models.algorithms.ppo import STATISTICS, Chosen, Weights, improve, policy_loss
from tichu_models.algorithms.student import LossError, Student, generator_of

CLIP = 0.2
LITTLE_ENTROPY = Weights(CLIP, 0.01)


def decisions_of(counts, chosen, logs, advantages):
    """Decisions from plain lists."""
    numbers = (np.array(each, dtype=np.float32) for each in (logs, advantages))
    return Chosen(np.array(counts, dtype=np.int64), np.array(chosen, dtype=np.int64), *numbers)


def loss_and_gradient(scores, decisions, weights, magnet=None):
    """By the kernel: loss, statistics, gradient."""
    scores = torch.tensor(scores, dtype=torch.float32, requires_grad=True)
    loss, sums = policy_loss(scores, decisions, weights, magnet)
    loss.backward()
    return loss.item(), dict(zip(STATISTICS, sums / len(decisions.counts), strict=True)), scores.grad.numpy()


def plain_loss_and_gradient(scores, decisions, weights, magnet=None):
    """By the reference, in float64."""
    scores = torch.tensor(np.float32(scores), dtype=torch.float64, requires_grad=True)
    pull = None if magnet is None else torch.from_numpy(magnet).double()
    columns = [each.tolist() for each in decisions]
    pulled = 0.0 if magnet is None else weights.magnet
    loss, statistics = plain.policy_loss(scores, *columns, weights.clip, weights.entropy, pulled, pull)
    loss.backward()
    return loss.item(), statistics | {"loss": loss.item()}, scores.grad.numpy()


def check(scores, decisions, weights, magnet=None):
    """Holds the two together; returns the statistics and the gradient."""
    loss, statistics, gradient = loss_and_gradient(scores, decisions, weights, magnet)
    plain_loss, plain_statistics, plain_gradient = plain_loss_and_gradient(scores, decisions, weights, magnet)
    assert loss == pytest.approx(plain_loss, rel=1e-5, abs=1e-6)
    assert statistics == pytest.approx(plain_statistics, rel=1e-5, abs=1e-6)
    np.testing.assert_allclose(gradient, plain_gradient, rtol=1e-5, atol=1e-7)
    return statistics, gradient


def with_ratio(ratio, scores=(0.4, -0.3, 0.1), chosen=0):
    """The logarithm of the probability of the answer when it was chosen, so that the ratio is this one now."""
    return plain.log_softmax(np.float32(scores), [len(scores)])[chosen] - math.log(ratio)


@pytest.mark.parametrize("weights", [Weights(CLIP, 0.0), Weights(CLIP, 0.05), Weights(CLIP, 0.05, 0.3)])
@given(data=st.data(), counts=st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_loss_and_gradient_are_those_of_the_reference(weights, data, counts):
    """A gradient by hand that is not that of the loss: training would follow something else than it reports."""
    n, m = len(counts), sum(counts)
    scores = data.draw(st.lists(st.floats(-8, 8, width=32), min_size=m, max_size=m))
    chosen = [data.draw(st.integers(0, count - 1)) for count in counts]
    ratios = data.draw(st.lists(st.sampled_from([0.25, 0.7, 0.85, 1.0, 1.15, 1.3, 4.0]), min_size=n, max_size=n))
    advantages = data.draw(st.lists(st.floats(-4, 4, width=32), min_size=n, max_size=n))
    now = plain.log_softmax(np.float32(scores), counts)[np.cumsum(counts) - counts + chosen]
    magnet = plain.log_softmax(data.draw(st.lists(st.floats(-5, 5), min_size=m, max_size=m)), counts)
    pull = magnet.astype(np.float32) if weights.magnet else None
    check(scores, decisions_of(counts, chosen, now - np.log(ratios), advantages), weights, pull)


@pytest.mark.parametrize(
    ("ratio", "advantage", "stops"),
    [(1.5, 1, True), (0.5, 1, False), (1.5, -1, False), (0.5, -1, True), (1.1, 1, False), (0.9, -1, False)],
)
def test_the_clip_stops_only_what_has_gone_far_enough(ratio, advantage, stops):
    """A clip on the wrong side: an answer that became too unlikely by chance would never come back."""
    decisions = decisions_of([3], [0], [with_ratio(ratio)], [advantage])
    statistics, gradient = check([0.4, -0.3, 0.1], decisions, Weights(CLIP, 0.0))
    assert statistics["clipped"] == stops
    assert np.all(gradient == 0) == stops
    if not stops:
        assert np.sign(gradient[0]) == -advantage


def test_at_ratio_one_the_gradient_is_the_policy_gradient():
    """The first minibatch of an iteration: its step is advantage * (chosen - probability), whatever the clip."""
    scores = [0.4, -0.3, 0.1]
    p = np.exp(plain.log_softmax(np.float32(scores), [3]))
    decisions = decisions_of([3], [1], [math.log(p[1])], [2.0])
    statistics, gradient = check(scores, decisions, Weights(CLIP, 0.0))
    np.testing.assert_allclose(-gradient, 2.0 * (np.array([0, 1, 0]) - p), rtol=1e-5)
    assert statistics["kl"] == pytest.approx(0, abs=1e-9)
    assert statistics["clipped"] == 0


def test_finite_differences():
    """The reference itself, should its gradient be wrong in the same way."""
    generator = np.random.default_rng(0)
    counts = [1, 4, 2, 6]
    scores, magnet = generator.standard_normal((2, sum(counts))).astype(np.float32)
    magnet = plain.log_softmax(magnet, counts).astype(np.float32)
    decisions = decisions_of(counts, [0, 2, 1, 5], [-0.1, -1.0, -0.9, -2.0], [1.0, -2.0, 0.5, 1.5])
    weights = Weights(CLIP, 0.05, 0.3)
    _, gradient = check(scores, decisions, weights, magnet)
    step = 1e-5
    for k in range(len(scores)):
        sides = []
        for sign in (1, -1):
            moved = torch.from_numpy(scores).double()
            moved[k] += sign * step
            pull = torch.from_numpy(magnet).double()
            columns = [each.tolist() for each in decisions]
            sides.append(plain.policy_loss(moved, *columns, CLIP, 0.05, 0.3, pull)[0].item())
        assert (sides[0] - sides[1]) / (2 * step) == pytest.approx(gradient[k], rel=1e-4, abs=1e-6)


def test_a_decision_with_one_answer_teaches_nothing():
    """Forced answers that were recorded would pull at the scores, or make the entropy infinite."""
    decisions = decisions_of([1, 1], [0, 0], [0.0, 0.0], [3.0, -3.0])
    statistics, gradient = check([7.0, -1e4], decisions, Weights(CLIP, 0.1, 0.3), np.zeros(2, dtype=np.float32))
    assert np.all(gradient == 0)
    assert (statistics["entropy"], statistics["magnet"]) == (0, 0)


def test_entropy_evens_out_and_the_magnet_pulls():
    """A bonus with the wrong sign makes players certain at once; a magnet with the wrong sign drives them away."""
    nothing = decisions_of([3], [0], [with_ratio(1.0, (2.0, 0.0, -1.0))], [0.0])
    _, gradient = check([2.0, 0.0, -1.0], nothing, Weights(CLIP, 0.1))
    assert gradient[0] > 0 > gradient[2]
    goal = plain.log_softmax(np.array([-3.0, 0.0, 3.0]), [3]).astype(np.float32)
    statistics, gradient = check([2.0, 0.0, -1.0], nothing, Weights(CLIP, 0.0, 0.5), goal)
    assert gradient[0] > 0 > gradient[2]
    assert statistics["magnet"] > 0
    own = plain.log_softmax(np.float32([2.0, 0.0, -1.0]), [3]).astype(np.float32)
    statistics, gradient = check([2.0, 0.0, -1.0], nothing, Weights(CLIP, 0.0, 0.5), own)
    assert statistics["magnet"] == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(gradient, 0, atol=1e-7)


def test_huge_scores_are_numbers():
    """An exponential that overflows makes the loss of a whole minibatch none."""
    scores = [3e4, -3e4, 0.0, 1e30, 1e30]
    statistics, gradient = check(scores, decisions_of([3, 2], [0, 1], [0.0, -0.7], [1.0, 1.0]), Weights(CLIP, 0.1))
    assert np.isfinite(gradient).all()
    assert all(map(math.isfinite, statistics.values()))


def test_the_gradient_of_a_minibatch_is_a_mean():
    """Steps that grow with the size of a minibatch."""
    one = decisions_of([3], [1], [-1.0], [2.0])
    two = decisions_of([3, 3], [1, 1], [-1.0, -1.0], [2.0, 2.0])
    _, gradient = check([0.4, -0.3, 0.1], one, Weights(CLIP, 0.05))
    _, halves = check([0.4, -0.3, 0.1] * 2, two, Weights(CLIP, 0.05))
    np.testing.assert_allclose(halves, np.tile(gradient / 2, 2), rtol=1e-6)
    scores = torch.tensor([0.4, -0.3, 0.1], requires_grad=True)
    (3 * policy_loss(scores, one, Weights(CLIP, 0.05))[0]).backward()
    np.testing.assert_allclose(scores.grad.numpy(), 3 * gradient, rtol=1e-6)


def test_lengths_that_do_not_fit_are_an_error():
    """The kernel would read behind its arrays: another network's scores, or the end of the process."""
    decisions = decisions_of([3], [1], [-1.0], [2.0])
    with pytest.raises(ValueError, match="2 scores, 3 of the magnet; the decisions have 3 answers"):
        policy_loss(torch.zeros(2), decisions, Weights(CLIP, 0.0))
    with pytest.raises(ValueError, match="3 scores, 4 of the magnet; the decisions have 3 answers"):
        policy_loss(torch.zeros(3), decisions, Weights(CLIP, 0.0, 0.1), np.zeros(4, dtype=np.float32))


class Scores(torch.nn.Module):
    """Four states with six outputs, of which a state's legal answers are taken."""

    LEGAL = ((0, 2, 5), (1,), (0, 1, 2, 3), (3, 4))
    COUNTS = np.array([3, 1, 4, 2])

    def __init__(self) -> None:
        super().__init__()
        self.outputs = torch.nn.Parameter(torch.zeros(4, 6))

    def forward(self, rows: np.ndarray) -> torch.Tensor:
        return torch.cat([self.outputs[row, list(self.LEGAL[row])] for row in rows])


def learn(advantages, epochs=40, weights=LITTLE_ENTROPY, magnet=None, batch=3):
    """A network after some epochs over one decision in each of four states, and its statistics."""
    network = Scores()
    student = Student(Fabric(accelerator="cpu", devices=1), network, 0.05)
    logs = -np.log(Scores.COUNTS)
    decisions = decisions_of(Scores.COUNTS, [1, 0, 3, 0], logs, advantages)
    statistics = improve(student, decisions, network, weights, batch, epochs, generator_of(3), magnet)
    return network.outputs.detach().numpy(), statistics


def test_answers_that_are_not_legal_are_never_touched():
    """An output that learns from decisions in which it was not legal: what it says when it is legal means nothing."""
    outputs, _ = learn([1.0, 1.0, -1.0, -1.0])
    for row, legal in enumerate(Scores.LEGAL):
        illegal = sorted(set(range(6)) - set(legal))
        assert np.all(outputs[row, illegal] == 0), row
    assert outputs[1, 1] == 0  # the only answer of its set
    assert outputs[0, 2] > outputs[0, 0]
    assert outputs[2, 3] < outputs[2, 0]
    assert outputs[3, 3] < outputs[3, 4]


def test_improve_reports_means_over_all_decisions():
    """Statistics of the last minibatch only, or weighted by minibatch: uneven ones count too much."""
    _, statistics = learn([0.0] * 4, epochs=1, weights=Weights(CLIP, 0.0), batch=3)
    expected = np.log(Scores.COUNTS).mean()
    assert statistics["entropy"] == pytest.approx(expected, rel=1e-5)
    assert statistics["loss"] == pytest.approx(0, abs=1e-7)


def test_improve_asks_the_magnet_for_its_rows():
    """A magnet whose probabilities belong to other decisions."""
    goal = np.zeros((4, 6), dtype=np.float32)
    goal[0, 5] = goal[2, 0] = goal[3, 4] = 2.0

    def magnet(rows):
        scores = np.concatenate([goal[row, list(Scores.LEGAL[row])] for row in rows])
        return plain.log_softmax(scores, Scores.COUNTS[rows]).astype(np.float32)

    outputs, statistics = learn([0.0] * 4, epochs=300, weights=Weights(CLIP, 0.0, 1.0), magnet=magnet)
    for row, legal in enumerate(Scores.LEGAL):
        found, expected = (np.exp(plain.log_softmax(each[row, list(legal)], [len(legal)])) for each in (outputs, goal))
        np.testing.assert_allclose(found, expected, atol=0.02)
    assert statistics["magnet"] > 0


@pytest.mark.parametrize("advantage", [float("nan"), float("inf"), float("-inf")])
def test_a_result_that_is_no_number_stops_the_training(advantage):
    """Weights that are lost, and hours of training with them, because of one broken result."""
    with pytest.raises(LossError, match=r"the loss of Scores is .*; expected a number"):
        learn([1.0, 1.0, advantage, 1.0], batch=4)
