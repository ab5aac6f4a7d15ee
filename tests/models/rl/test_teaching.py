"""A DTRLNet that is taught by another run: what it is told is what the teacher plays, and it goes on alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from tests.makers.rollouts import CHANGES, assert_same_run, small_run
from tests.makers.runs import make_critic, make_run, make_self_taught
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.options import OptionError
from tichu_models.rl import tasks, team
from tichu_models.rl.learning import returns_of
from tichu_models.rl.settings import settings_of
from tichu_models.rl.teaching import scores_and_values, taught_loss
from tichu_models.rl.train import SelfPlay, train
from tichu_models.rules.asking import PLAY, SCHUPF, SMALL_CALL
from tichu_models.runs.files import WEIGHTS
from tichu_models.runs.folders import of_kind

TAUGHT = {
    "network": "DTRLNet",
    "rounds": 32,
    "turns": 6,
    "d_model": 16,
    "layers": 2,
    "critic": "[16]",
    "learning_rate": 3e-3,
}


@pytest.fixture
def teacher(tmp_path) -> Path:
    """A run of self-play with some networks and a critic."""
    run = tmp_path / make_self_taught(tmp_path, "teacher", kinds=(SCHUPF, SMALL_CALL), seed=3)
    make_critic(run, seed=3)
    return run


def changes(**others: object) -> list[str]:
    """The settings of a taught run."""
    return [f"{name}={value}" for name, value in (TAUGHT | others).items()]


def log_softmax(scores: list[float]) -> list[float]:
    """The logarithms of the probabilities."""
    total = math.log(sum(math.exp(score) for score in scores))
    return [score - total for score in scores]


def test_the_loss_is_the_cross_entropy_of_each_decision():
    """Probabilities over the moves of all decisions together, or a mean over moves, which counts long lists more."""
    generator = np.random.default_rng(1)
    counts = np.array([3, 1, 5, 2])
    scores = torch.tensor(generator.standard_normal(11) * 3, dtype=torch.float32, requires_grad=True)
    targets = np.concatenate([generator.dirichlet(np.ones(count)) for count in counts]).astype(np.float32)
    asked = np.array([False, True, False, True])
    loss, figures = taught_loss(scores, counts, targets, asked)
    losses, entropies, distances, slopes = [], [], [], []
    for end, count in zip(np.cumsum(counts), counts, strict=True):
        logs, wanted = log_softmax(scores[end - count : end].tolist()), targets[end - count : end]
        losses.append(-sum(p * log for p, log in zip(wanted, logs, strict=True)))
        entropies.append(-sum(math.exp(log) * log for log in logs))
        distances.append(sum(p * (math.log(p) - log) for p, log in zip(wanted, logs, strict=True)))
        slopes += [(math.exp(log) - p) / len(counts) for p, log in zip(wanted, logs, strict=True)]
    assert loss.item() == pytest.approx(np.mean(losses), abs=1e-5)
    assert figures["entropy"] == pytest.approx(np.mean(entropies), abs=1e-5)
    assert figures["kl"] == pytest.approx((distances[0] + distances[2]) / 2, abs=1e-5)
    loss.backward()
    np.testing.assert_allclose(scores.grad, slopes, atol=1e-6)


def test_targets_are_the_teachers_probabilities_and_in_hindsight_its_plays(teacher, monkeypatch):
    """A student of its own answers, or of those to other decisions; a gain asked for of moves that did not bring it."""
    run = small_run(monkeypatch, start=teacher, **TAUGHT)
    experience = run.roll()
    made = experience.decisions
    rows = np.flatnonzero(made["kind"] == PLAY)[3:200:2]
    asked = np.arange(len(rows)) % 3 == 0
    targets = run.team.teacher.targets(experience, rows, asked)
    ends = np.cumsum(made["options"][rows])
    for i, row in enumerate(rows):
        wanted = targets[ends[i] - made["options"][row] : ends[i]]
        assert wanted.sum() == pytest.approx(1, abs=1e-4)
        chosen = wanted[made["chosen"][row]]
        assert chosen == (1 if asked[i] else pytest.approx(np.exp(made["log"][row]), abs=1e-4))


def test_a_gain_is_the_value_after_the_play_less_that_before(teacher, monkeypatch):
    """A gain of the other team, or one that knows what others play later."""
    run = small_run(monkeypatch, start=teacher, **TAUGHT)
    experience, judge = run.roll(), run.team.judge
    made = experience.decisions
    told = {}

    def noted(pupil, experience, learned, values, returns, generator):
        told.update(values=values, returns=returns)
        return {}

    monkeypatch.setattr(run.team.teacher, "teach", noted)
    run.iterate()
    values = judge.values(experience, np.ones(len(made), dtype=bool))
    np.testing.assert_array_equal(told["values"], values)
    for row in np.flatnonzero(made["round"] == 2):
        after = np.flatnonzero((made["round"] == 2) & (made["order"] == made["order"][row] + 1))
        sign = 1 - 2 * (int(made["seat"][row]) & 1)
        score = experience.ended["score"][2] / 100
        expected = sign * (score[0] - score[1])
        if len(after):
            expected = values[after[0]] * sign * (1 - 2 * (int(made["seat"][after[0]]) & 1))
        assert told["returns"][row] == pytest.approx(expected, abs=1e-5)
    np.testing.assert_array_equal(told["returns"], returns_of(experience, values, 0.0))


def test_what_is_asked_for_changes_the_decisions_that_are_asked(teacher, monkeypatch):
    """Gains in other rows, or a return to go that is left open and yet read."""
    run = small_run(monkeypatch, start=teacher, **TAUGHT)
    experience, pupil = run.roll(), run.team.pupils["play"]
    rows = np.flatnonzero(experience.decisions["kind"] == PLAY)[:50]
    gains = np.full(len(rows), np.nan, dtype=np.float32)
    with torch.no_grad():
        still_open, values = scores_and_values(pupil, experience, rows, gains)
        assert torch.equal(still_open, pupil.scores(experience, rows))
        gains[7] = 0.5
        asked, _ = scores_and_values(pupil, experience, rows, gains)
    ends = np.cumsum(experience.decisions["options"][rows])
    assert np.unique(np.searchsorted(ends, np.flatnonzero(asked != still_open), side="right")).tolist() == [7]
    assert values.shape == (50,)


def test_a_taught_network_plays_as_its_teacher(teacher, monkeypatch):
    """A teaching that teaches something else, with a loss that falls all the same."""
    run = small_run(monkeypatch, start=teacher, **TAUGHT | {"iterations": 20, "taught": 1.0, "batch": 256})

    def agreement() -> tuple[float, float]:
        """How often the likeliest move is the teacher's, and how often a random move would be."""
        experience = run.roll()
        rows = np.flatnonzero(experience.decisions["kind"] == PLAY)
        targets = run.team.teacher.targets(experience, rows, np.zeros(len(rows), dtype=bool))
        logs = run.team.pupils["play"].log_probabilities(experience, rows)
        counts = experience.decisions["options"][rows]
        parts = zip(*(np.split(each, np.cumsum(counts)[:-1]) for each in (targets, logs)), strict=True)
        return float(np.mean([wanted.argmax() == found.argmax() for wanted, found in parts])), float(
            (1 / counts).mean()
        )

    for _ in range(20):
        figures = run.iterate()
    alike, by_chance = agreement()
    assert alike > by_chance + 0.15
    assert figures["play.kl"] < 1


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_replayed_probabilities_are_those_that_were_recorded(teacher, precision, monkeypatch):
    """PPO divides new probabilities by recorded ones: other sequences than in the rollout teach something else."""
    run = small_run(monkeypatch, precision, teacher, **TAUGHT | {"taught": 0})
    assert run.teacher is None
    experience = run.roll()
    made = experience.decisions
    rows = np.flatnonzero(made["kind"] == PLAY)[1::2]
    logs = run.team.pupils["play"].log_probabilities(experience, rows)
    found = logs[np.cumsum(made["options"][rows]) - made["options"][rows] + made["chosen"][rows]]
    errors = found - made["log"][rows]
    assert np.abs(errors).max() < (1e-4 if precision == "float32" else 0.2)
    assert made["log"][rows].min() < -0.5


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(teacher, tmp_path, monkeypatch):
    """A teaching that begins anew after kill -9, or a pool that forgets who made the other decisions."""
    torch.set_num_threads(1)
    for module in (tasks, team):
        monkeypatch.setattr(module, "has_fast_bf16", lambda: False)
    settings = settings_of("smoke", [*CHANGES, *changes(taught=0.5)])
    through = SelfPlay(settings, teacher)
    columns = SelfPlay(settings, teacher).iterate().keys()
    for _ in range(settings.iterations):
        resumed = SelfPlay(settings, teacher)
        if through.iteration:
            resumed.load(tmp_path / "run")
            assert_same_run(resumed, through)
        assert through.iterate().keys() == resumed.iterate().keys() == columns
        assert_same_run(resumed, through)
        through.save(tmp_path / "run")


def test_a_taught_run_is_a_whole_player(teacher, tmp_path):
    """A player whose other decisions are made by rules of thumb, or by networks that nobody has taught."""
    settings = settings_of("smoke", changes(iterations=2, taught=0.5, evaluation_deals=4))
    result = train(settings, tmp_path / "student", start=teacher)
    assert result.finished
    assert math.isfinite(result.figures["points_per_round"])
    for kind in (SCHUPF, SMALL_CALL):
        one, other = (
            safetensors.torch.load_file(of_kind(run, kind) / WEIGHTS) for run in (teacher, tmp_path / "student")
        )
        assert all(torch.equal(one[name], other[name]) for name in one)
    agent = agent_from("dt:student", tmp_path)
    assert agent.by_rule == ("grand", "tichu", "wish", "dragon", "bomb")
    assert len(lockstep.play([agent], lockstep.fixtures_of(np.zeros((3, 4), dtype=np.int32), 1), 1).rows) == 3


def test_a_teacher_has_to_be_a_run_that_can_teach(teacher, tmp_path):
    """A run that trains for hours without a teacher, or reads another vector than its teacher has seen."""
    make_run(tmp_path, "PolicyNet")
    for start, more, message in (
        (None, {}, "it is taught by another run"),
        (tmp_path / "PolicyNet", {}, "no critic"),
        (teacher, {"vector": "play-375+history-4"}, "reads play-375; expected"),
    ):
        with pytest.raises(OptionError, match=message):
            SelfPlay(settings_of("smoke", changes(**more)), start)
