"""Decisions of a log with what their seats knew: as the log's other readers find them, and nothing more."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.positions import played
from tests.makers.reviewed import logged
from tests.makers.vectors import decisions
from tichu_models.observation.view import VIEW
from tichu_models.review.repeated import missed_once, taken_later
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY, SMALL_CALL, TICHU_CALL


@pytest.fixture(scope="module")
def rounds():
    """Calm rounds and wild ones."""
    return played(6, 3, "HBRB", 4).rounds


def test_they_are_the_decisions_that_networks_learn_from(rounds):
    """A judge that asks other questions than were asked, or shows other views."""
    found, expected = logged(rounds), decisions(rounds)
    expected = expected[(expected["forced"] == 0) & (expected["out_of_turn"] == 0)]
    assert len(found) == len(expected)
    assert set(found["seen"]["kind"]) == set(range(len(KINDS)))
    for name in VIEW.names:
        assert name == "key" or np.array_equal(found["seen"][name], expected["seen"][name]), name
    for name in ("turn", "place"):
        assert np.array_equal(found[name], expected[name]), name
    thrown = found["seen"]["kind"] == BOMB_THROW
    assert np.array_equal(np.where(thrown, found["answer"] != 0, found["answer"]), expected["label"])
    assert (found["answer"][thrown & (found["answer"] != 0)] > 1).all()  # the cards


def test_every_decision_has_random_numbers_of_its_own(rounds):
    """The same deals at all decisions of a round: one unlucky deal would blame them all."""
    found = logged(rounds)
    assert len(set(found["seen"]["key"].tolist())) == len(found)
    assert (logged(rounds, 8)["seen"]["key"] != found["seen"]["key"]).all()


def test_who_declines_again_and_again_has_missed_one_chance(rounds):
    """A Tichu that was not called, counted at each of a seat's turns."""
    found = logged(rounds)
    kinds, seats = found["seen"]["kind"], found["seen"]["seat"]
    gains = np.random.default_rng(1).normal(size=len(found))
    kept = missed_once(found, gains)
    asked_again = 0
    for place in np.unique(found["place"]):
        for seat in range(4):
            of_seat = (found["place"] == place) & (seats == seat) & (found["answer"] == 0)
            for chance in ((TICHU_CALL, SMALL_CALL), (BOMB_THROW,)):
                questions = np.flatnonzero(of_seat & np.isin(kinds, chance))
                remaining = questions[np.isin(questions, kept)]
                assert len(remaining) == min(1, len(questions))
                assert (gains[remaining] == gains[questions].max(initial=-9)).all()
                asked_again += len(questions) > 1
    others = (kinds == PLAY) | (found["answer"] != 0)
    assert np.isin(np.flatnonzero(others), kept).all()
    assert asked_again > 20


def test_who_announces_later_has_missed_nothing(rounds):
    """Blame for waiting a turn before the Tichu."""
    found = logged(rounds)
    later, seen = taken_later(found), found["seen"]
    assert later.any()
    for i in np.flatnonzero(later & (seen["kind"] != BOMB_THROW)):
        same = (found["place"] == found["place"][i]) & (seen["seat"] == seen["seat"][i])
        after = found[same & (np.arange(len(found)) > i)]
        announced = after["seen"]["call"][:, seen["seat"][i]] > 0
        announced |= np.isin(after["seen"]["kind"], (TICHU_CALL, SMALL_CALL)) & (after["answer"] == 1)
        assert found["answer"][i] == 0
        assert announced.any()
