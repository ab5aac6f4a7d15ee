"""Twin rounds: equal up to the fork, another answer there, and labels that say what an announcement was worth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.rollouts import experience_of, small_run
from tichu_models.rl.forks import CALLS, labels_of, own_part, twins_of
from tichu_models.rl.hall import NO_TWIN, NOT_REACHED
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SMALL_CALL

ROUNDS = 400


@pytest.fixture(scope="module")
def experience():
    """Rounds half of which are twins."""
    with pytest.MonkeyPatch.context() as patch:
        return small_run(patch, rounds=ROUNDS, twins=0.5).roll()


def decisions_of(experience, number):
    """The decisions of a round in order: what was seen and offered, and what was chosen."""
    made = experience.decisions
    rows = np.flatnonzero(made["round"] == number)
    rows = rows[np.argsort(made["order"][rows])]
    facts = [
        (
            *(int(made[name][row]) for name in ("order", "turn", "seat", "kind", "pick")),
            experience.options[made["first"][row] :][: made["options"][row]].tolist(),
            experience.opened[row].tolist(),
            float(made["log"][row]) if not made["fork"][row] else None,
        )
        for row in rows
    ]
    return facts, made["chosen"][rows].tolist(), made["fork"][rows].tolist()


def test_twins_are_equal_up_to_the_fork_and_differ_there(experience):
    """Luck that differs between twins would be learned as the worth of an announcement."""
    forked = 0
    for number in range(1, ROUNDS, 2):
        facts, chosen, _ = decisions_of(experience, number - 1)
        twin_facts, twin_chosen, forks = decisions_of(experience, number)
        place = experience.ended["fork"][number]
        assert experience.ended["fork"][number - 1] == NO_TWIN
        if place == NOT_REACHED:
            assert (facts, chosen) == (twin_facts, twin_chosen)
            assert experience.ended[number]["score"].tolist() == experience.ended[number - 1]["score"].tolist()
            continue
        forked += 1
        assert np.flatnonzero(forks).tolist() == [place]
        assert facts[:place] == twin_facts[:place]
        assert chosen[:place] == twin_chosen[:place]
        assert facts[place][:-1] == twin_facts[place][:-1]  # the same question; all but the probability
        assert {chosen[place], twin_chosen[place]} == {0, 1}
        assert facts[place][3] in CALLS
    assert forked > 60


def test_every_kind_of_announcement_is_a_fork(experience):
    """A kind that never forks has no labels and keeps its random weights."""
    made = experience.decisions[experience.decisions["fork"] == 1]
    assert set(made["kind"].tolist()) == set(CALLS)
    assert set(made["seat"].tolist()) == {0, 1, 2, 3}
    assert set(made["chosen"].tolist()) == {0, 1}


def test_labels_of_a_rollout_are_the_differences_of_twins(experience):
    """A label of another pair of rounds, after tasks are joined."""
    rows, gains = labels_of(experience)
    made = experience.decisions[rows]
    lead = experience.ended["score"].astype(float) @ [1, -1] / 100
    for (number, seat, chosen), gain in zip(made[["round", "seat", "chosen"]].tolist(), gains, strict=True):
        with_call, without = (number, number - 1) if chosen else (number - 1, number)
        assert gain == pytest.approx((lead[with_call] - lead[without]) * (1 if seat % 2 == 0 else -1), abs=1e-5)
    assert len(rows) > 60
    assert np.abs(gains).max() > 1


@pytest.mark.parametrize(
    ("seat", "chosen", "scores", "gain"),
    [
        (0, 1, [(50, 50), (150, 50)], 1.0),  # the twin announced and made it
        (0, 0, [(50, 50), (150, 50)], -1.0),  # the twin did not, and won more for it
        (3, 1, [(50, 50), (50, -50)], -1.0),  # the other team's twin announced and failed
        (3, 0, [(60, 140), (70, 30)], 1.2),  # the other team announced, and its twin won less without
    ],
)
def test_labels_by_hand(seat, chosen, scores, gain):
    """A sign that is wrong for one team or one answer teaches to announce what loses."""
    fork = {"round": 1, "order": 4, "seat": seat, "kind": SMALL_CALL, "chosen": chosen, "fork": 1}
    rows, gains = labels_of(experience_of(scores, [{"round": 0}, {"round": 1}, fork], (NO_TWIN, 4)))
    assert rows.tolist() == [2]
    assert gains.tolist() == pytest.approx([gain], rel=1e-6)


def test_own_part_by_hand():
    """What twins share is learned twice otherwise, and the fork as if the policy had chosen it."""
    numbers = [0, 0, 1, 1, 1, 2, 2, 3]
    orders = [0, 1, 0, 1, 2, 0, 1, 0]
    decisions = [{"round": number, "order": order} for number, order in zip(numbers, orders, strict=True)]
    experience = experience_of([(0, 0)] * 4, decisions, (NO_TWIN, 1, NOT_REACHED, 0))
    assert own_part(experience).tolist() == [True, True, False, False, True, False, False, False]


def test_pairs_are_as_many_as_asked_for():
    """Twins of another seating or deal, or so many that hardly a round is new."""
    seating = np.arange(400).reshape(100, 4) % 3
    fixtures, forks = twins_of(seating, 5, 1000, 0.3, np.random.default_rng(0))
    pairs = 30
    twins = forks["kind"] >= 0
    assert np.flatnonzero(twins).tolist() == list(range(1, 2 * pairs, 2))
    assert np.array_equal(fixtures[1 : 2 * pairs : 2], fixtures[0 : 2 * pairs : 2])
    assert len(np.unique(fixtures["key"])) == 100 - pairs
    assert np.array_equal(fixtures["agent"][2 * pairs :], seating[2 * pairs :])
    assert np.all(forks["nth"][twins] >= 1)
    assert np.all(forks["nth"][twins & (forks["kind"] != SMALL_CALL)] == 1)
    assert (twins_of(seating, 5, 0, 1.0, np.random.default_rng(0))[1]["kind"] >= 0).sum() == 50
    assert np.all(twins_of(seating, 5, 0, 0.0, np.random.default_rng(0))[1]["kind"] == -1)


def test_forks_of_networks_that_are_not_there_change_nothing(monkeypatch):
    """Without a network for grand Tichu its forks cannot be: the twins are equal, and nothing is learned from them."""
    run = small_run(monkeypatch, rounds=64, twins=0.5, kinds=["play", "small"])
    experience = run.roll()
    forked = experience.decisions[experience.decisions["fork"] == 1]
    assert set(forked["kind"].tolist()) == {SMALL_CALL}
    asked = experience.ended["fork"] >= 0
    equal = experience.ended["score"][1::2] == experience.ended["score"][::2]
    assert equal[~asked[1::2]].all()
    assert KINDS[GRAND_CALL] not in run.learnt()
    assert set(experience.decisions["kind"].tolist()) == {SMALL_CALL, PLAY}
