"""What networks and critic learn from a rollout: their own probabilities, returns of the right side, the right rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from tests.makers.rollouts import experience_of, small_run
from tests.oracles import learning as plain
from tichu_models.algorithms.student import generator_of
from tichu_models.networks.interface import PASS_OUTPUT
from tichu_models.observation.specs import spec
from tichu_models.rl import learning, train
from tichu_models.rl.forks import labels_of
from tichu_models.rl.hall import NOT_REACHED
from tichu_models.rl.learning import results_of, returns_of
from tichu_models.rl.readers import Reader
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SCHUPF, SMALL_CALL
from tichu_models.rules.cards import INDEX_OF_LABEL, labels
from tichu_models.rules.combinations import cards_of
from tichu_models.search.open_hands import OPEN


def chosen_of(logs, decisions):
    """Of the logarithms of all probabilities those of the chosen options."""
    return logs[np.cumsum(decisions["options"]) - decisions["options"] + decisions["chosen"]]


@pytest.mark.parametrize("network", ["CandidateRLNet", "PolicyRLNet", "GCPolicyRLNet"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_replayed_probabilities_are_those_that_were_recorded(network, precision, monkeypatch):
    """PPO divides new probabilities by recorded ones: where they differ before any step, it learns something else.

    With the kernels of one CPU they are equal bit by bit. Other CPUs may sum larger batches in another order: rounding
    in float32; a few hundredths in bfloat16, but none on average.
    """
    run = small_run(monkeypatch, precision, network=network, rounds=96)
    experience = run.roll()
    for kind, pupil in run.team.pupils.items():
        rows = np.flatnonzero(experience.decisions["kind"] == pupil.kind)
        made = experience.decisions[rows]
        assert len(rows) > 10, kind
        errors = chosen_of(pupil.log_probabilities(experience, rows), made) - made["log"]
        assert np.abs(errors).max() < (1e-5 if precision == "float32" else 0.05), kind
        assert abs(errors.mean()) < (1e-6 if precision == "float32" else 5e-3), kind
        assert made["log"].min() < -0.5, kind


def test_replayed_probabilities_of_some_rows_are_theirs(monkeypatch):
    """Minibatches are rows in any number: each has to find its own options and what was seen."""
    run = small_run(monkeypatch, rounds=32)
    experience = run.roll()
    for kind in ("play", "schupf"):
        pupil = run.team.pupils[kind]
        rows = np.flatnonzero(experience.decisions["kind"] == pupil.kind)[5:300:7]
        made = experience.decisions[rows]
        found = chosen_of(pupil.log_probabilities(experience, rows), made)
        np.testing.assert_allclose(found, made["log"], atol=1e-5)


def test_a_magnet_is_asked_with_its_own_weights(monkeypatch):
    """A magnet that moves with the network never holds it; one whose weights stay in the network replaces it."""
    run = small_run(monkeypatch, rounds=32)
    experience, pupil = run.roll(), run.team.pupils["play"]
    rows = np.flatnonzero(experience.decisions["kind"] == PLAY)
    before = pupil.log_probabilities(experience, rows)
    run.team.set_magnets()
    with torch.no_grad():
        for weights in pupil.student.network.parameters():
            weights.mul_(1.5)
    assert np.array_equal(pupil.log_probabilities(experience, rows, run.team.magnets["play"]), before)
    assert np.abs(pupil.log_probabilities(experience, rows) - before).max() > 0.1


def test_the_score_of_a_move_is_the_sum_of_its_cards(monkeypatch):
    """PolicyRLNet is the concept's PolicyNet: an output for each card, which counts in every move that has the card."""
    run = small_run(monkeypatch, network="PolicyRLNet", rounds=32)
    experience, pupil = run.roll(), run.team.pupils["play"]
    rows = np.flatnonzero(experience.decisions["kind"] == PLAY)[:400]
    scores = iter(pupil.scores(experience, rows).detach().tolist())
    state = Reader(spec("play-375"), run.team.scaling, torch.float32).read(rows, experience.seen)
    sizes = set()
    for output, made in zip(pupil.student.network.layers(state).tolist(), experience.decisions[rows], strict=True):
        for option in experience.options[made["first"] :][: made["options"]]:
            cards = labels(int(cards_of(option)))
            expected = sum(output[INDEX_OF_LABEL[card]] for card in cards) if cards else output[PASS_OUTPUT]
            assert next(scores) == pytest.approx(expected, abs=1e-4)
            sizes.add(len(cards))
    assert sizes >= {0, 1, 2, 3, 5}
    assert next(scores, None) is None


def test_batches_that_are_filled_up_teach_the_same(monkeypatch):
    """Rows that fill up a batch are old ones: their gradient would pull at the network."""
    run = small_run(monkeypatch, rounds=32)
    experience = run.roll()
    for kind in ("play", "wish", "schupf"):
        pupil = run.team.pupils[kind]
        rows = np.flatnonzero(experience.decisions["kind"] == pupil.kind)[:37]
        gradients = []
        for step in (1, 256):
            monkeypatch.setattr(learning, "STEP", step)
            pupil._reader.read(np.arange(600), experience.seen)  # rows that are left over
            pupil.student.network.zero_grad()
            pupil.scores(experience, rows).square().sum().backward()
            gradients.append([weights.grad.clone() for weights in pupil.student.network.parameters()])
        for one, other in zip(*gradients, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4 * one.abs().max().item())


def test_results_are_those_of_the_own_team():
    """A seat that learns from what the others won."""
    decisions = [{"round": number, "seat": seat} for number, seat in product((0, 1), range(4))]
    found = results_of(experience_of([(150, -50), (20, 80)], decisions))
    np.testing.assert_allclose(found, [2, -2, 2, -2, -0.6, 0.6, -0.6, 0.6], rtol=1e-6)


@pytest.mark.parametrize("weight", [1.0, 0.7, 0.0])
def test_returns_follow_the_decisions_of_a_round(weight):
    """Decisions are recorded as tables reach them, round by round mixed: a return from another round's values."""
    generator = np.random.default_rng(3)
    decisions = [
        {"round": number, "order": order, "seat": int(generator.integers(4))}
        for number, n in ((0, 5), (2, 1), (3, 7))  # round 1 had none
        for order in range(n)
    ]
    decisions = [decisions[i] for i in generator.permutation(len(decisions))]
    experience = experience_of([(100, 0), (0, 0), (-20, 120), (55, 45)], decisions)
    values = generator.standard_normal(len(decisions)).astype(np.float32)
    found = returns_of(experience, values, weight)
    made = experience.decisions
    for number, result in ((0, 1.0), (2, -1.4), (3, 0.1)):
        rows = [i for i in np.argsort(made["order"], kind="stable") if made["round"][i] == number]
        signs = [1 - 2 * (int(made["seat"][i]) & 1) for i in rows]
        expected = plain.lambda_returns(result, values[rows].tolist(), signs, weight)
        np.testing.assert_allclose(found[rows], expected, rtol=1e-5, atol=1e-6)


def test_the_critic_judges_the_rows_it_is_asked_for(monkeypatch):
    """Values that belong to other decisions, where there are more than it judges at once."""
    run = small_run(monkeypatch, rounds=48)
    experience, judge = run.roll(), run.team.judge
    wanted = np.arange(len(experience.decisions)) % 3 > 0
    monkeypatch.setattr(learning, "VALUES_AT_ONCE", 500)
    values = judge.values(experience, wanted)
    reader = Reader(OPEN, run.team.scaling, torch.float32)
    rows = np.arange(len(wanted))
    with torch.no_grad():
        expected = judge.student.network(reader.read(rows, experience.opened)).numpy()
    np.testing.assert_allclose(values[wanted], expected[wanted], atol=1e-5)
    assert np.all(values[~wanted] == 0)
    assert values[wanted].std() > 0.01


def iterated(run, patch):
    """The experience of an iteration, and from what the critic learned: decisions, and which of them as answers."""
    rolled, taught = [], []
    play, examples = run._play, learning.examples_of

    def watched(experience, *others):
        taught.append(examples(experience, *others))
        return taught[-1]

    patch.setattr(run, "_play", lambda *them: rolled.append(play(*them)) or rolled[-1])
    patch.setattr(learning, "examples_of", watched)
    run.iterate()
    rows, opened = taught[0]
    read = Reader(OPEN, run.team.scaling, torch.float32).read(np.arange(len(rows)), opened).numpy()
    asked = read[:, [OPEN.names.index(f"asked.{kind}") for kind in KINDS]].sum(1)
    return rolled[0], rows, asked == 2


def test_the_critic_learns_from_what_the_policy_did(monkeypatch):
    """What a twin shares with its round ends as after an announcement that nobody would have made; what opponents see
    is not recorded, so that the critic learned from numbers that memory happened to hold."""
    run = small_run(monkeypatch, rounds=256, twins=0.25, against=0.5)
    run.team.pool = 20 * [run.team.networks(run.learnt())]  # an opponent is hardly ever the rules of thumb
    experience, rows, answers = iterated(run, monkeypatch)
    made = experience.decisions
    fork = experience.ended["fork"][made["round"]]
    shared = (fork == NOT_REACHED) | (fork >= 0) & (made["order"] <= fork)
    assert shared.sum() > 100
    assert (made["player"] == 1).sum() > 1000
    assert len(rows) > 1000
    assert not shared[rows[~answers]].any()
    assert np.all(made["fork"][rows[answers & shared[rows]]] == 1)
    assert {KINDS[kind] for kind in made["kind"][rows[answers]]} == {"grand", "tichu"}
    assert 0 < made["chosen"][rows[answers]].mean() < 1
    assert np.all(made["player"][rows] == 0)
    assert np.all(made["pick"][rows] == 0)  # the three parts of schupfen are one position


def test_values_of_opponents_are_those_of_their_positions(monkeypatch):
    """Returns with a lambda below 1 lead over the values of opponents' decisions: they need their positions."""
    run = small_run(monkeypatch, rounds=128, twins=0, against=0.5, trace=0.5)
    run.team.pool = 20 * [run.team.networks(run.learnt())]  # an opponent is hardly ever the rules of thumb
    experience, *_ = iterated(run, monkeypatch)
    rows = np.flatnonzero(experience.decisions["player"] == 1)
    assert len(rows) > 1000
    read = Reader(OPEN, run.team.scaling, torch.float32).read(rows, experience.opened).numpy()
    asked = read[:, [OPEN.names.index(f"asked.{kind}") for kind in KINDS]]
    assert np.array_equal(asked.argmax(1), experience.decisions["kind"][rows])
    assert np.all(asked.sum(1) == 1)


def test_the_rates_of_all_networks_fall(monkeypatch):
    """The critic's stayed what it was at the start, although its setting says that it falls."""
    run = small_run(monkeypatch, iterations=4, learning_rate=1e-3, last_learning_rate=1e-5, critic_rate=2e-3)
    run.iteration = 2
    run.iterate()
    rates = {kind: student.optimiser.param_groups[0]["lr"] for kind, student in run.team.students.items()}
    assert rates["play"] == rates["schupf"] == pytest.approx(1e-4)
    assert rates["critic"] == pytest.approx(2e-4)
    assert rates["wish"] == pytest.approx(run.settings.rare_rate / 10)
    assert rates["grand"] == pytest.approx(run.settings.call_rate / 10**0.5)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_announcement_that_gains_becomes_likelier(sign, monkeypatch):
    """The difference of the two answers the wrong way round: what gains would be announced less."""
    run = small_run(monkeypatch, rounds=64)
    experience, pupil = run.roll(), run.team.pupils["grand"]
    rows = np.flatnonzero(experience.decisions["kind"] == GRAND_CALL)
    gains = np.full(len(rows), sign * 3.0, dtype=np.float32)
    errors = [pupil.regress(experience.seen[rows], gains, 64, generator_of(step)) for step in range(60)]
    assert errors[-1] < 0.1 < errors[0]
    logs = pupil.log_probabilities(experience, rows).reshape(-1, 2)
    assert np.mean(logs[:, 1] - logs[:, 0]) == pytest.approx(sign * 3, abs=0.3)
    assert np.mean(pupil.gains(experience.seen[rows])) == pytest.approx(sign * 3, abs=0.3)


@pytest.mark.parametrize("calls_by", ["critic", "twins"])
def test_announcements_learn_what_they_are_worth(calls_by, monkeypatch):
    """Announcements that follow neither the critic nor the twins; a unit of their log-odds that is left out."""
    run = small_run(monkeypatch, rounds=256, twins=0.5, calls_by=calls_by, call_unit=0.5, call_batch=64, iterations=100)
    monkeypatch.setattr(train, "labels_of", lambda experience: (labels_of(experience)[0], twins_say(experience)))
    monkeypatch.setattr(run.team.judge, "gains", lambda opened, kind: np.full(len(opened), -0.4, dtype=np.float32))
    experience = run.roll()
    for step in range(150):
        figures = run._learn_to_call(run.team.pupils["small"], experience, generator_of(step))
    asked = np.flatnonzero(experience.decisions["kind"] == SMALL_CALL)
    learned = -0.4 if calls_by == "critic" else 0.6
    assert np.mean(run.team.pupils["small"].gains(experience.seen[asked]) * 0.5) == pytest.approx(learned, abs=0.1)
    assert figures["spread"] == pytest.approx(0.36, rel=1e-5)
    assert figures["error"] == pytest.approx((0.6 - learned) ** 2, abs=0.1)


def twins_say(experience):
    """Twins in which every announcement was worth 60 points."""
    return np.full(len(labels_of(experience)[0]), 0.6, dtype=np.float32)


def test_schupf_never_gives_a_card_twice(monkeypatch):
    """Three draws from one hand: a card that was given already must not be offered again."""
    run = small_run(monkeypatch, rounds=64)
    experience = run.roll()
    made = experience.decisions
    rows = np.flatnonzero(made["kind"] == SCHUPF)
    rows = rows[np.lexsort((made["pick"][rows], made["seat"][rows], made["round"][rows]))].reshape(-1, 3)
    options = [[experience.options[made["first"][row] :][: made["options"][row]] for row in three] for three in rows]
    for three, offered in zip(rows, options, strict=True):
        given = [offer[made["chosen"][row]] for row, offer in zip(three, offered, strict=True)]
        assert made["pick"][three].tolist() == [0, 1, 2]
        assert len(set(given)) == 3
        assert [len(offer) for offer in offered] == [14, 13, 12]
        assert set(offered[0]) > set(offered[1]) > set(offered[2])
        assert set(offered[0]) - set(offered[2]) == set(given[:2])
