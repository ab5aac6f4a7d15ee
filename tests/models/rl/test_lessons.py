"""Lessons from a search, and a network that learns them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.makers.runs import make_self_taught
from tichu_models.agents.choosing import moves_of
from tichu_models.agents.registry import agent_from
from tichu_models.rl.from_lessons import LearningOptions, LessonLearner
from tichu_models.rl.lessons import Examined, LessonOptions, lessons_of
from tichu_models.rules.asking import PLAY
from tichu_models.rules.cards import DECK

# A run of random weights plays badly enough that a few deals tell.
EASILY = LessonOptions(deals=6, verified_on=10, certainty=1.0, least=1.0)
ROUNDS = 2


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A player that is to be taught."""
    folder = tmp_path_factory.mktemp("runs")
    make_self_taught(folder, "taught", seed=4)
    return folder


@pytest.fixture(scope="module")
def found(runs):
    """Its lessons."""
    return lessons_of("taught", runs, EASILY, ROUNDS, seed=7)


def test_lessons_are_legal_plays_that_are_surely_better_than_the_runs_own(runs, found):
    """A lesson whose play is not legal there, or that compares another play than the one that the run chooses."""
    lessons = found.rows[found.verified]
    assert 0 < len(lessons) <= found.looked_better < found.tried
    agent = agent_from("policy:taught", runs)
    assert (agent.decide(PLAY, lessons["view"]) == lessons["own"]).all()
    moves = moves_of(lessons["view"])
    begins = moves.counts.cumsum() - moves.counts
    for lesson, begin, n in zip(lessons, begins, moves.counts, strict=True):
        assert lesson["better"] in moves.plays[begin : begin + n] & DECK
    assert (lessons["gain"] > 0.999 * np.maximum(EASILY.least, EASILY.certainty * lessons["error"])).all()


def test_lessons_are_verified_on_other_deals(runs, found):
    """A play that looked better by chance, and is judged again by the same chance."""
    agent = Examined("taught", runs, EASILY)
    seeds = {each.believer.seed for each in (agent.search, agent.verifier)}
    assert len(seeds) == 2
    assert found.verified.sum() < found.looked_better


def test_a_pupil_follows_its_lessons_and_little_else_changes(runs, found):
    """A loss with the wrong sign; a leash that does not hold, or that holds the lessons too."""
    torch.manual_seed(1)
    options = LearningOptions(epochs=30, batch=64, learning_rate=5e-3, leash=0.01, held_out=0)
    loose = LessonLearner(runs / "taught", found, options)
    before = loose.figures()
    assert before["learned"] == 0
    assert before["kept"] == 1
    assert before["divergence"] == pytest.approx(0, abs=1e-6)
    after = loose.learn()
    assert after["learned"] > 0.8
    assert after["divergence"] > 0
    tight = LessonLearner(runs / "taught", found, LearningOptions(**{**options.plain(), "leash": 100.0})).learn()
    assert tight["divergence"] < after["divergence"] / 3
    assert tight["learned"] < after["learned"]


def test_lessons_held_out_are_not_learned(runs, found):
    """A share of followed lessons that says nothing, since all were learned."""
    options = LearningOptions(epochs=1, held_out=0.5)
    learner = LessonLearner(runs / "taught", found, options)
    assert 0 < (learner.verified & ~learner.learned).sum() < learner.verified.sum()
    assert set(learner.learn()) == {"learned", "held_out", "kept", "divergence"}
