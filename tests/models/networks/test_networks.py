"""Every network has the shape and size it says, can learn, and lets no token see what it must not."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce

import tichu_models.networks
from tests.makers.learners import fit, random_candidates
from tichu_models.networks.architectures import ARCHITECTURES, build
from tichu_models.networks.candidates import Candidates, log_softmax
from tichu_models.networks.configs import (
    CandidateConfig,
    DecisionConfig,
    DTConfig,
    GCPolicyConfig,
    PolicyConfig,
    ValueConfig,
)
from tichu_models.networks.dt_net import EncoderLayer
from tichu_models.networks.layers import Dropout

STATE, N = 375, 64
INPUTS = {name: int(each.spec.split("-")[-1]) if "-" in each.spec else STATE for name, each in ARCHITECTURES.items()}
INPUTS["GCPolicyNet"] = STATE
SMALL_DT = DTConfig(turns=6, d_model=32, layers=2, heads=2, feedforward=64, policy=(32,), value=(32,))


@pytest.fixture(autouse=True)
def _alike():
    """The same numbers in every run; threads cost such small networks more than they bring."""
    torch.set_num_threads(1)
    torch.manual_seed(1)


def _call(name, network, n=N, inputs=None):
    """The outputs for n made-up samples, as a tuple of tensors."""
    state = (torch.rand(n, inputs or INPUTS[name]) < 0.2).float()
    if name == "GCPolicyNet":
        return tuple(network(state, torch.randn(n)))
    if name == "CandidatePolicyNet":
        return (network(state, random_candidates(n)),)
    if name == "DTNet":
        turns = network.of_position.num_embeddings
        states = (torch.rand(n, turns, STATE) < 0.2).float()
        actions = (torch.rand(n, turns, 57) < 0.05).float()
        return tuple(network(torch.randn(n, turns), states, actions, torch.arange(n) % 2 == 0))
    return (network(state),)


def _linear(*sizes):
    return sum(before * after + after for before, after in pairwise(sizes))


def _transformer(width, layers, forward, turns):
    layer = _linear(width, 3 * width) + _linear(width, width) + _linear(width, forward, width) + 4 * width
    return (
        layers * layer
        + 2 * width
        + _linear(1, width)
        + width
        + _linear(375, width)
        + _linear(57, width)
        + turns * width
    )


PARAMETERS = {
    "PolicyNet": _linear(375, 512, 512, 256, 57),
    "GCPolicyNet": _linear(375, 1024, 1024) + _linear(1025, 512, 57) + _linear(1024, 256, 1),
    "ValueNet": _linear(375, 512, 512, 256, 1),
    "DTNet": _transformer(512, 4, 2048, 20) + _linear(512, 256, 57) + _linear(512, 256, 1),
    "CandidatePolicyNet": _linear(375, 512, 512, 128) + _linear(102, 128, 128),
    "GrandNet": _linear(65, 256, 128, 2),
    "TichuNet": _linear(65, 256, 128, 2),
    "SmallTichuNet": _linear(240, 256, 128, 2),
    "SchupfNet": _linear(65, 256, 128, 66),
    "WishNet": _linear(233, 256, 128, 14),
    "DragonNet": _linear(204, 256, 128, 2),
    "BombNet": _linear(375, 256, 128, 1),
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_size_of_the_default(name):
    """A layer that is missing, doubled or of another width would make it another network under the same name."""
    with torch.device("meta"):
        network = build(name, INPUTS[name])
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS[name]


def test_dropout_stands_where_the_concept_has_it():
    """Dropout before the outputs would blur the policy; without any, the network would learn by heart."""

    def dropouts(layers):
        return [type(layer).__name__ + str(getattr(layer, "share", "")) for layer in layers]

    with torch.device("meta"):
        policy, goal = build("PolicyNet", 375).layers, build("GCPolicyNet", 375)
    block = ["Linear", "ReLU", "Dropout0.2"]
    assert dropouts(policy) == [*block, *block, "Linear", "ReLU", "Linear"]
    assert dropouts(goal.body) == [*block, *block]
    assert dropouts(goal.policy_head) == dropouts(goal.value_head) == ["Linear", "ReLU", "Linear"]


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(share):
    """Another share, or another scale than in evaluation, trains a network that is not the one that plays."""
    dropout, x = Dropout(share), torch.ones(1001, 203, requires_grad=True)
    out = dropout(x)
    assert out.unique().tolist() == pytest.approx([0, 1 / (1 - share)], rel=1e-4)
    assert (out == 0).double().mean().item() == pytest.approx(share, abs=0.005)
    for column in (0, 1, 2, 3, 202):
        assert (out[:, column] == 0).double().mean().item() == pytest.approx(share, abs=0.06)
    out.sum().backward()
    assert torch.equal(x.grad, out)
    assert torch.equal(dropout.eval()(x), x)
    assert not torch.equal(dropout.train()(x), out)


def test_neurons_are_dropped_one_by_one():
    """Values that share a random number would fall together: the network would learn to do without pairs only."""
    n, share = 1 << 21, 0.2
    torch.manual_seed(3)
    dropped = (Dropout(share)(torch.ones(n)) == 0).view(n // 8, 8).double()
    together = dropped.T @ dropped / len(dropped)
    expected = torch.full((8, 8), share**2).fill_diagonal_(share).double()
    torch.testing.assert_close(together, expected, atol=0.002, rtol=0)  # not 0.2, of two that fall together


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (7, 11, 13)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_the_same_neurons_are_dropped_in_every_type(shape, dtype):
    """A run in float32 and one in bfloat16 would differ by more than rounding, and odd batches would fail."""
    dropout = Dropout(0.25)
    torch.manual_seed(4)
    expected = dropout(torch.ones(shape))
    torch.manual_seed(4)
    found = dropout(torch.ones(shape, dtype=dtype))
    assert found.dtype == dtype
    torch.testing.assert_close(found, expected.to(dtype))


def test_a_share_too_small_for_the_draw_drops_nothing():
    """A config that the command line accepts would stop the run at its first batch."""
    assert Dropout(1e-6)(torch.ones(9)).tolist() == [1.0] * 9
    assert Dropout(1e-5)(torch.ones(9)).shape == (9,)


def test_attention_is_that_of_torch():
    """A head that reads another one's keys still learns something, only worse."""
    config = DTConfig(d_model=12, heads=3, feedforward=8)
    layer, x = EncoderLayer(config).eval(), torch.randn(2, 7, 12)
    qkv, joined = layer.query_key_value, layer.joined
    mask = torch.full((7, 7), -torch.inf).triu(1)
    expected, _ = torch.nn.functional.multi_head_attention_forward(
        *(x.transpose(0, 1),) * 3,
        *(12, 3, qkv.weight, qkv.bias, None, None, False, 0.0, joined.weight, joined.bias),
        attn_mask=mask,
        need_weights=False,
    )
    torch.testing.assert_close(layer.joined(layer._attend(x)), expected.transpose(0, 1))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_shapes_and_gradients(name):
    """A parameter without a gradient never learns."""
    network = build(name, INPUTS[name], SMALL_DT if name == "DTNet" else None)
    network.eval()
    outputs = _call(name, network)
    shapes = [tuple(output.shape) for output in outputs]
    if name == "DTNet":
        assert shapes == [(N, 6, 57), (N, 6)]
    elif name == "CandidatePolicyNet":
        assert shapes == [tuple(random_candidates(N).plays.shape)]
    elif name == "GCPolicyNet":
        assert shapes == [(N, 57), (N,)]
    else:
        assert shapes == [{"PolicyNet": (N, 57), "ValueNet": (N,)}.get(name, (N, ARCHITECTURES[name].outputs))]
    sum(output.square().sum() for output in outputs).backward()
    for parameter_name, parameter in network.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.abs().sum() > 0, parameter_name


def test_hierarchical_policies_have_a_gate():
    """Without an output of its own, playing could not be weighed against passing."""
    for name, config in (
        ("PolicyNet", PolicyConfig(hierarchical=True)),
        ("GCPolicyNet", GCPolicyConfig(hierarchical=True)),
        ("DTNet", DTConfig(hierarchical=True, d_model=16, layers=1, heads=2)),
    ):
        assert _call(name, build(name, STATE, config), 2)[0].shape[-1] == 58


@pytest.mark.parametrize("hierarchical", [False, True])
def test_policy_net_learns_64_samples_by_heart(hierarchical):
    """A network that cannot do that is wired wrongly."""
    network = build("PolicyNet", STATE, PolicyConfig(hidden=(128, 64), hierarchical=hierarchical)).eval()
    state, label = torch.randn(N, STATE), (torch.rand(N, 57 + hierarchical) < 0.1).float()
    assert fit(list(network.parameters()), lambda: bce(network(state), label), 80) < 0.01


def test_value_net_learns_64_samples_by_heart():
    """As above, for a number."""
    network = build("ValueNet", STATE, ValueConfig(hidden=(128, 64))).eval()
    state, value = torch.randn(N, STATE), torch.randn(N)
    assert fit(list(network.parameters()), lambda: (network(state) - value).square().mean(), 80) < 0.01


def test_gc_policy_net_learns_64_samples_by_heart():
    """States come twice with another goal and another play: only who reads the goal can tell them apart."""
    network = build("GCPolicyNet", STATE, GCPolicyConfig(body=(128, 128), policy=(128,), value=(32,))).eval()
    state = torch.randn(N // 2, STATE).repeat(2, 1)
    rtg = torch.tensor([1.0, -1.0]).repeat_interleave(N // 2)
    label, value = (torch.rand(N, 57) < 0.1).float(), torch.randn(N // 2).repeat(2)

    def loss():
        outputs = network(state, rtg)
        return bce(outputs.policy, label) + (outputs.value - value).square().mean()

    assert fit(list(network.parameters()), loss, 250) < 0.02


def test_value_head_does_not_see_the_goal():
    """The goal is what the value head shall predict: it would learn to copy it."""
    network = build("GCPolicyNet", STATE).eval()
    state = torch.randn(4, STATE)
    low, high = network(state, torch.full((4,), -2.0)), network(state, torch.full((4,), 2.0))
    assert torch.equal(low.value, high.value)
    assert not torch.equal(low.policy, high.policy)
    embedding = network.embed(state)
    assert torch.equal(network.value(embedding), low.value)
    assert torch.equal(network.policy(embedding, torch.full((4,), 2.0)), high.policy)


def test_decision_net_learns_64_samples_by_heart():
    """As above, for a choice of one."""
    network = build("WishNet", 233, DecisionConfig(hidden=(64,))).eval()
    state, wish = torch.randn(N, 233), torch.randint(0, 14, (N,))
    loss = torch.nn.functional.cross_entropy
    assert fit(list(network.parameters()), lambda: loss(network(state), wish), 60) < 0.01


def test_candidate_policy_net_learns_64_samples_by_heart():
    """As above, for a choice among the legal moves."""
    network = build("CandidatePolicyNet", STATE, CandidateConfig(body=(64,), move=(32,), width=32)).eval()
    state, candidates = torch.randn(N, STATE), random_candidates(N)
    first = torch.cat([torch.zeros(1, dtype=torch.int64), candidates.counts.cumsum(0)[:-1]])
    chosen = first + (torch.rand(N) * candidates.counts).long()

    def loss():
        return -log_softmax(network(state, candidates), candidates)[chosen].mean()

    assert fit(list(network.parameters()), loss, 80) < 0.01


@pytest.mark.parametrize("merged", [False, True])
def test_dt_net_learns_64_turns_by_heart(merged):
    """As above, for sequences."""
    config = DTConfig(
        turns=4, d_model=32, layers=2, heads=2, feedforward=64, dropout=0, merged=merged, policy=(64,), value=(32,)
    )
    network = build("DTNet", STATE, config)
    rtg, state, known = torch.randn(16, 4), torch.randn(16, 4, STATE), torch.arange(16) % 2 == 0
    action = (torch.rand(16, 4, 57) < 0.1).float()

    def loss():
        outputs = network(rtg, state, action, known)
        return bce(outputs.policy, action) + (outputs.value - rtg).square().mean()

    assert fit(list(network.parameters()), loss, 220) < 0.03


@pytest.mark.parametrize(("merged", "direct"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("training", [False, True])
def test_dt_net_sees_nothing_later(merged, direct, training):
    """A network that sees the action it shall predict, or what fills a batch up, is worthless in play."""
    config = DTConfig(**{**SMALL_DT.plain(), "merged": merged, "direct": direct, "dropout": 0.0})
    network = build("DTNet", STATE, config).train(training)
    rtg, state, action, known = torch.randn(3, 6), torch.randn(3, 6, STATE), torch.rand(3, 6, 57), torch.ones(3).bool()
    before = network(rtg, state, action, known)
    rtg[:, 4:], state[:, 4:], action[:, 3:] = 7.0, -3.0, 9.0
    after = network(rtg, state, action, known)
    torch.testing.assert_close(before.policy[:, :4], after.policy[:, :4])
    torch.testing.assert_close(before.value[:, :4], after.value[:, :4])
    assert not torch.allclose(before.policy[:, 4:], after.policy[:, 4:])
    assert not torch.allclose(before.value[:, 4:], after.value[:, 4:])
    shorter = network(rtg[:, :4], state[:, :4], action[:, :4], known)
    torch.testing.assert_close(shorter.policy, before.policy[:, :4])


def test_dt_net_knows_what_came_before():
    """An attention that looks at one turn only would pass for causal."""
    network = build("DTNet", STATE, SMALL_DT).eval()
    rtg, state, action, known = torch.randn(1, 6), torch.randn(1, 6, STATE), torch.rand(1, 6, 57), torch.ones(1).bool()
    before = network(rtg, state, action, known).policy[:, 5]
    for changed in (rtg, state, action):
        old = changed[:, 0].clone()
        changed[:, 0] = 5.0
        assert not torch.allclose(before, network(rtg, state, action, known).policy[:, 5])
        changed[:, 0] = old


def test_dt_net_is_blind_to_an_unknown_return():
    """The value would be read off the return that it shall predict."""
    network = build("DTNet", STATE, SMALL_DT).eval()
    state, action = torch.randn(2, 6, STATE), torch.rand(2, 6, 57)
    known = torch.tensor([True, False])
    one, other = (network(torch.full((2, 6), rtg), state, action, known) for rtg in (-1.0, 2.0))
    assert torch.equal(one.value[1], other.value[1])
    assert not torch.allclose(one.value[0], other.value[0])


def test_other_moves_leave_a_score_alone():
    """The score of a move would hang on what else stands in the batch."""
    network = build("CandidatePolicyNet", STATE).eval()
    state, candidates = torch.randn(5, STATE), random_candidates(5)
    alone = candidates.row == 3
    torch.testing.assert_close(
        network(state, candidates)[alone],
        network(state[3:4], Candidates.of_counts(candidates.plays[alone], candidates.counts[3:4])),
    )


def test_bf16_autocast_is_close():
    """A network that cannot be run in bfloat16 trains four times slower."""
    for name in ("PolicyNet", "GCPolicyNet", "CandidatePolicyNet", "DTNet"):
        network = build(name, INPUTS[name], SMALL_DT if name == "DTNet" else None).eval()
        torch.manual_seed(2)
        exact = _call(name, network, 8)
        torch.manual_seed(2)
        with torch.autocast("cpu", torch.bfloat16):
            rough = _call(name, network, 8)
        for one, other in zip(exact, rough, strict=True):
            torch.testing.assert_close(one, other.float(), atol=0.1, rtol=0.1)


def test_the_names_need_no_torch():
    """The orchestrator lists the networks in every process it starts: torch would cost each of them seconds."""
    code = "import sys, tichu_models.networks.architectures; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_networks_hold_no_kernels():
    """Their sources are left out of the digest that kernels are cached by: a kernel there would stay as it was."""
    folder = Path(tichu_models.networks.__file__).parent
    for path in folder.glob("*.py"):
        assert "tichu_models.kernels" not in path.read_text(), path
