"""Opponents who never learn: they answer as the agents that they are named after, and nobody learns from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.makers.rollouts import small_run
from tests.makers.runs import make_run, make_runs, make_self_taught
from tichu_models.agents.neural import network
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.rl import learning, tasks, team
from tichu_models.rl.forks import twins_of
from tichu_models.rl.opponents import HEURISTIC, Opponent
from tichu_models.rl.players_by_name import opponent_from
from tichu_models.rl.rollout import play
from tichu_models.rl.settings import settings_of
from tichu_models.rl.tasks import seated
from tichu_models.rl.train import SelfPlay, train
from tichu_models.runs.manifest import CheckpointError

TEXTS = (
    "heuristic",
    "heuristic:blunder=.3",
    "policy:taught",
    "policy:by_cards,temperature=1,seed=5",
    "candidate:taught,decisions=false",
    "gc:asked",
    "candidate:CandidatePolicyNet,decisions=false",
    "policy:PolicyNet,rule=likelihood,decisions=false",
)
AGAINST = ("against=1", "twins=0.5", "trace=0.5", "magnet=0.1", "average=0.5", "iterations=2", "evaluation_deals=16")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Small runs of self-play and of imitation."""
    made = tmp_path_factory.mktemp("runs")
    make_self_taught(made, "taught", seed=4)
    make_self_taught(made, "asked", "GCPolicyRLNet", seed=4)
    make_self_taught(made, "by_cards", "PolicyRLNet", (0, 3), seed=4)
    make_runs(made, ("CandidatePolicyNet", "PolicyNet", "GrandNet", "DTNet", "GCPolicyNet"), seed=6)
    return made


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("text", TEXTS)
def test_an_opponent_answers_as_its_agent(text, precision, runs, monkeypatch):
    """A margin over somebody else than the player who is named: over its draws, or its rules of thumb."""
    for module in (network, tasks, team):
        monkeypatch.setattr(module, "has_fast_bf16", lambda: precision == "bfloat16")
    other = opponent_from("policy:taught", runs).player
    seating = np.tile([0, 1, 0, 1], (100, 1))
    fixtures = fixtures_of(seating, 7)
    rolled = play([seated(0, opponent_from(text, runs).player), seated(1, other)], fixtures, tile=network.TILE)
    agents = [agent_from(text, runs), agent_from("policy:taught", runs)]
    assert np.array_equal(rolled.ended["score"], lockstep.play(agents, fixtures, 1).rows["score"])


@pytest.mark.parametrize("text", ["mcts:taught,simulations=8", "mctsrl:taught,deals=4"])
def test_a_search_is_trained_against_by_the_player_who_leads_it(text, runs):
    """A search that is frozen at a second a round; or one that is judged as if it did not search."""
    opponent, leader = opponent_from(text, runs), opponent_from("policy:taught", runs)
    assert (opponent.name, opponent.searches, leader.searches) == (text, True, False)
    assert opponent.digest == leader.digest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", "rollouts cannot play it; expected heuristic"),
        ("policy:taught,temperature=.5", "temperature 1 or not at all"),
        ("policy:taught,temperature=1,top_k=3", "no top_k"),
        ("candidate:CandidatePolicyNet", "add decisions=false"),
        ("policy:PolicyNet,decisions=false", "add rule=likelihood"),
        ("dt:DTNet", "cannot ask a DTNet"),
        ("gc:GCPolicyNet,decisions=false", "cannot ask a GCPolicyNet"),
        ("gc:asked,goal=100", "rollouts ask for no goal"),
        ("mcts:PolicyNet", "add rule=likelihood"),
        ("nobody", "unknown name"),
        ("policy:nobody", "no run 'nobody'"),
    ],
)
def test_who_cannot_be_an_opponent_is_told_why(text, expected, runs):
    """A player who answers otherwise in training than in play, without a word."""
    with pytest.raises(AgentError, match=expected):
        opponent_from(text, runs)


def test_digests_tell_opponents_apart(runs, tmp_path):
    """A run that goes on against another player than it began with, because a folder has new weights."""
    found = [opponent_from(text, runs) for text in TEXTS]
    assert len({each.digest for each in found}) == len(TEXTS)
    make_self_taught(tmp_path, "taught", seed=5)
    again, other = opponent_from("policy:taught", runs), opponent_from("policy:taught", tmp_path)
    assert found[2].digest == again.digest != other.digest
    one, two = (SelfPlay(settings_of("smoke", AGAINST), opponent=each) for each in (again, other))
    assert one.team.manifest() != two.team.manifest()
    one.save(tmp_path / "run")
    with pytest.raises(CheckpointError, match="another run"):
        two.load(tmp_path / "run")


def test_a_run_of_self_play_has_the_manifest_that_it_had():
    """Every player that was trained before opponents there were would be trained anew."""
    manifest = SelfPlay(settings_of("smoke")).team.manifest()
    assert manifest.data == {}
    assert list(manifest.training) == ["selfplay"]


@pytest.mark.parametrize("text", ["heuristic", "policy:taught"])
def test_only_the_learner_is_learned_from(text, runs, monkeypatch):
    """A player who learns to play as its opponent does; or whose critic learns what that one's positions are worth."""
    run = small_run(monkeypatch, rounds=128, opponent=opponent_from(text, runs), against=1, twins=0.5, trace=0.5)
    rolled, taught, seen = [], [], []
    play_rounds, examples, learn, regress = (
        run._play,
        learning.examples_of,
        learning.Pupil.learn,
        learning.Pupil.regress,
    )

    def learning_from(pupil, experience, rows, *others, **more):
        taught.append(rows)
        return learn(pupil, experience, rows, *others, **more)

    def criticising(*asked):
        rows, opened = examples(*asked)
        taught.append(rows)
        return rows, opened

    def regressing(pupil, rows, *others):
        seen.extend(map(tuple, rows))
        return regress(pupil, rows, *others)

    monkeypatch.setattr(run, "_play", lambda *them: rolled.append(play_rounds(*them)) or rolled[-1])
    monkeypatch.setattr(learning.Pupil, "learn", learning_from)
    monkeypatch.setattr(learning, "examples_of", criticising)
    monkeypatch.setattr(learning.Pupil, "regress", regressing)
    before = run.team.opponent.digest
    run.iterate()
    assert Opponent(text, run.team.opponent.player).digest == before
    decisions = rolled[0].decisions
    own = decisions["player"] == 0
    assert own.sum() > 2000
    assert (~own).sum() > (2000 if text == "policy:taught" else -1)
    sides = np.zeros((128, 4), dtype=bool)
    sides[decisions["round"][own], decisions["seat"][own]] = True
    assert np.all(sides[:, 0] == sides[:, 2])
    assert np.all(sides[:, 1] == sides[:, 3])
    assert np.all(sides[:, 0] != sides[:, 1])  # one pair of each in every round
    assert len(taught) == 6  # the critic, and all networks but those for announcements
    assert own[np.concatenate(taught)].all()
    ours = set(map(tuple, rolled[0].seen[own]))
    assert len(seen) > 100
    assert ours >= set(seen)


def test_forks_are_at_the_learner_s_seats():
    """A half of the twins whose labels nobody may learn from."""
    seating = np.zeros((400, 4), dtype=np.int64)
    seating[0::2, 1::2] = seating[1::2, 0::2] = 1
    fixtures, forks = twins_of(seating, 1, 0, 0.5, np.random.default_rng(3))
    rows = np.flatnonzero(forks["kind"] >= 0)
    assert len(rows) == 200
    assert np.all(fixtures["agent"][rows, forks["seat"][rows]] == 0)
    assert set(forks["seat"][rows]) == {0, 2}


def weights_of(run):
    """All weights of a run's players."""
    return [tensor for student in run.team.students.values() for tensor in student.network.state_dict().values()]


def test_a_resumed_run_goes_on_against_the_same_opponent(runs, tmp_path):
    """A pool or random numbers that a run against one opponent keeps otherwise than one of self-play."""
    torch.set_num_threads(1)
    settings, opponent = settings_of("smoke", (*AGAINST, "rounds=64", "pool_every=1")), opponent_from("heuristic", runs)
    whole, halved = SelfPlay(settings, opponent=opponent), SelfPlay(settings, opponent=opponent)
    whole.iterate()
    halved.iterate()
    halved.save(tmp_path)
    resumed = SelfPlay(settings, opponent=opponent)
    resumed.load(tmp_path)
    for run in (whole, resumed):
        run.iterate()
        assert run.team.pool == []
    assert all(torch.equal(one, two) for one, two in zip(weights_of(whole), weights_of(resumed), strict=True))


def test_tasks_in_any_order_teach_the_same(runs, monkeypatch):
    """A best response that depends on the number of workers."""
    torch.set_num_threads(1)
    monkeypatch.setattr(tasks, "ROUNDS_A_TASK", 32)
    opponent, settings = opponent_from("policy:taught", runs), settings_of("smoke", AGAINST)
    one, two = SelfPlay(settings, opponent=opponent), SelfPlay(settings, opponent=opponent)
    for _ in range(2):
        one.iterate()
        two.iterate(lambda function, them: reversed([function(task) for task in reversed(them)]))
    assert all(torch.equal(a, b) for a, b in zip(weights_of(one), weights_of(two), strict=True))
    ours, theirs = one.evaluate(), two.evaluate()
    assert {**ours, "minutes": 0} == {**theirs, "minutes": 0}
    assert ours["opponent"] == "policy:taught"


def test_minutes_end_a_run_against_an_opponent(tmp_path):
    """A run whose rates never fall, because it is never near its last iteration; or one that nobody ever finishes."""
    settings = settings_of("smoke", (*AGAINST, "iterations=1000", "rounds=16", "evaluate_every=1000"))
    opponent, shares = replace(HEURISTIC, minutes=0.05), []
    result = train(settings, tmp_path, progress=lambda progress: shares.append(progress.iteration), opponent=opponent)
    assert result.finished
    assert 1 < len(shares) < 1000
    assert 0.05 <= result.figures["minutes"] < 1
    assert train(settings, tmp_path, opponent=opponent).reused
    run = SelfPlay(settings, opponent=opponent)
    run.minutes = 0.025
    assert run.share == pytest.approx(0.5)
    assert run._schedule.rate(1e-3) == pytest.approx((1e-3 * 1e-4) ** 0.5, rel=1e-3)


@pytest.mark.parametrize("weak", ["heuristic:blunder=.5", "policy:untrained"])
def test_an_exploiter_of_a_weak_player_gains_within_seconds(weak, tmp_path):
    """A training that learns something else than to beat its opponent: every player would pass for unbeatable."""
    torch.set_num_threads(1)
    make_run(tmp_path, "CandidateRLNet", "untrained")
    settings = settings_of(
        "demo", ("against=1", "rounds=256", "batch=1024", "iterations=14", "evaluation_deals=256", "twins=0")
    )
    run = SelfPlay(settings, opponent=opponent_from(weak, tmp_path))
    before = run.evaluate()
    for _ in range(settings.iterations):
        run.iterate()
    after = run.evaluate()
    assert after["low"] > before["high"] + 50
    assert after["opponent"] == weak
