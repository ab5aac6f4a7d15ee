"""Self-play with goals: they reach networks and critic, rounds are worth what they say, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.makers.rollouts import experience_of, small_run
from tests.makers.runs import SCALING, make_self_taught
from tichu_models.agents.neural import network
from tichu_models.agents.registry import agent_from
from tichu_models.algorithms.student import generator_of
from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.observation.goals import GoalTerms, reading_in_game, worth_in_game
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import GOAL
from tichu_models.options import OptionError
from tichu_models.rl.forks import labels_of
from tichu_models.rl.goals import Goals
from tichu_models.rl.learning import results_of
from tichu_models.rl.planned import read_by
from tichu_models.rl.rollout import Reader, Seating, no_forks, play
from tichu_models.rl.settings import settings_of
from tichu_models.rl.tasks import PlayerOfTask, seated
from tichu_models.rl.team import Team
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SMALL_CALL

WITH_GOALS = {"network": "GCPolicyRLNet", "goal_share": 0.6, "game_share": 0.4}
NONE = np.nan


def goals_of(run, experience, seed=0):
    """The goals that were drawn for a run's rounds."""
    forks = no_forks(len(experience.ended))
    return Goals.drawn(run.settings, forks, generator_of(seed, 0))


def test_every_decision_reads_the_goal_of_its_team(monkeypatch):
    """A policy that learns for one goal and reads another: the other team's, that of the round before at its table, or
    none for some kinds of decisions; a critic that judges by another goal than the policy has."""
    run = small_run(monkeypatch, rounds=64, twins=0.0, **WITH_GOALS)
    monkeypatch.setattr(Goals, "drawn", staticmethod(lambda *given: goals))
    goals = Goals(GoalTerms(), np.array([[-300.0, NONE], [50.0, 200.0]] * 32), np.full((64, 2), NONE))
    goals.total[1::4], goals.asked[1::4] = (700.0, 905.0), NONE
    experience = run.roll()
    made = experience.decisions
    for kind in (*run.team.pupils, "critic"):
        read = read_by(kind, run.settings)
        assert read.table[-1] is GOAL
        rows = np.arange(len(made)) if kind == "critic" else np.flatnonzero(made["kind"] == run.team.pupils[kind].kind)
        packed = experience.opened if kind == "critic" else experience.seen
        numbers = Reader(read, run.team.scaling, torch.float32).read(rows, packed).numpy()[:, -GOAL.size :]
        for number, row in zip(numbers, made[rows], strict=True):
            team = row["seat"] & 1
            expected = np.zeros(GOAL.size)
            if row["round"] % 4 == 1:
                expected = reading_in_game(np.array([(700, 905), (905, 700)][team]))
            elif not np.isnan(goals.asked[row["round"], team]):
                expected = goals.terms.reading(goals.asked[row["round"], team])
            np.testing.assert_allclose(number * 100, expected, atol=1e-3)
        assert len(rows) > 10, kind


def test_rounds_are_worth_what_their_goals_say():
    """Advantages for the other team's goal, for points although there is a goal, or for the score before the round."""
    scores = [(150, -50), (20, 80), (0, 100), (60, 40)]
    goals = Goals(
        GoalTerms(100, 0),
        np.array([[100, NONE], [0, 0], [NONE, NONE], [NONE, NONE]]),
        np.array([[NONE, NONE], [NONE, NONE], [700, 900], [NONE, NONE]]),
    )
    decisions = [{"round": number, "seat": seat} for number in range(4) for seat in range(4)]
    experience = experience_of(scores, decisions)
    goals.value(experience.ended)
    lost, won = (
        worth_in_game(np.array(t), np.array(s)) / 100 for t, s in (((700, 900), (0, 100)), ((900, 700), (100, 0)))
    )
    expected = [[2, -2], [-0.6, 1], [lost, won], [0.2, -0.2]]
    np.testing.assert_allclose(experience.ended["worth"], expected, rtol=1e-6)
    assert results_of(experience).tolist() == np.tile(experience.ended["worth"], 2).ravel().tolist()


def test_twins_have_one_goal_and_differ_by_their_worth(monkeypatch):
    """An announcement that is blamed for the goal of another round, or credited with points that the goal does not
    count."""
    run = small_run(monkeypatch, rounds=64, twins=0.5, **WITH_GOALS)
    drawn = []
    first = Goals.drawn
    monkeypatch.setattr(Goals, "drawn", staticmethod(lambda *given: drawn.append(first(*given)) or drawn[-1]))
    experience = run.roll()
    (goals,) = drawn
    assert np.array_equal(goals.asked[::2], goals.asked[1::2], equal_nan=True)
    assert np.array_equal(goals.total[::2], goals.total[1::2], equal_nan=True)
    rows, gains = labels_of(experience)
    worth = experience.ended["worth"]
    for row, gain in zip(rows, gains, strict=True):
        made = experience.decisions[row]
        team = made["seat"] & 1
        more = worth[made["round"], team] - worth[made["round"] - 1, team]
        assert gain == pytest.approx(more if made["chosen"] else -more)
    assert len(rows) > 5


def test_goals_are_drawn_as_often_as_wanted(monkeypatch):
    """A run whose player never learns to play without a goal, or games whose teams play for different scores."""
    settings = settings_of("smoke", ["network=GCPolicyRLNet", "goal_share=0.5", "game_share=0.25"])
    goals = Goals.drawn(settings, no_forks(4000), generator_of(1, 0))
    in_game, asked = ~np.isnan(goals.total), ~np.isnan(goals.asked)
    assert np.array_equal(in_game[:, 0], in_game[:, 1])
    assert in_game.mean() == pytest.approx(0.25, abs=0.03)
    assert asked.mean() == pytest.approx(0.375, abs=0.03)
    assert not (in_game & asked).any()
    assert set(goals.asked[asked]) == set(range(-300, 301, 50))
    assert goals.total[in_game].min() >= 0
    assert goals.total[in_game].max() < 1000
    plain = Goals.drawn(settings_of("smoke"), no_forks(10), None)  # draws nothing: other runs stay what they were
    assert np.isnan(plain.asked).all()
    assert np.isnan(plain.total).all()


@pytest.fixture
def started(monkeypatch, tmp_path):
    """A run without goals, and the networks of one that starts from it."""
    run = small_run(monkeypatch, rounds=48)
    run.save(tmp_path / "start")
    settings = settings_of("smoke", ["network=GCPolicyRLNet", "rounds=48"])
    return run, Team(settings, tmp_path / "start")


def test_a_start_without_goals_is_the_same_player_and_critic(started):
    """A player that is thrown back by inputs which it has never seen: new weights that are not 0, or old ones at the
    places of other inputs."""
    run, team = started
    experience = run.roll()
    goals = goals_of(run, experience)
    goals.asked[:] = 150.0
    fixtures = goals.put_into(fixtures_of(np.zeros((48, 4), dtype=np.int64), 5))
    player = seated(0, PlayerOfTask(team.networks(list(KINDS)), team.scaling))
    experience = play([player], fixtures)
    for kind, pupil in team.pupils.items():
        rows = np.flatnonzero(experience.decisions["kind"] == pupil.kind)
        one, other = (each.log_probabilities(experience, rows) for each in (run.team.pupils[kind], pupil))
        np.testing.assert_allclose(one, other, atol=1e-4)
        assert len(rows)
    wanted = np.ones(len(experience.decisions), dtype=bool)
    one, other = (each.judge.values(experience, wanted) for each in (run.team, team))
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_goals_that_no_weight_reads_change_nothing(started):
    """Rounds with a goal that are other rounds: other deals, other draws, another record of what was seen."""
    _, team = started
    player = seated(0, PlayerOfTask(team.networks(list(KINDS)), team.scaling))
    plain = fixtures_of(np.zeros((48, 4), dtype=np.int64), 5)
    aimed = plain.copy()
    aimed["goal"] = np.arange(7) * 50
    one, other = play([player], plain), play([player], aimed)
    for name in one.decisions.dtype.names:
        assert np.array_equal(one.decisions[name], other.decisions[name]), name
    assert np.array_equal(one.ended["score"], other.ended["score"])
    rows = np.flatnonzero(one.decisions["kind"] == PLAY)
    without, with_goal = (
        Reader(read_by("play", team.settings), team.scaling, torch.float32).read(rows, each.seen).numpy()
        for each in (one, other)
    )
    assert np.array_equal(without[:, : -GOAL.size], with_goal[:, : -GOAL.size])
    assert not without[:, -GOAL.size :].any()


def test_a_goal_moves_the_player_that_reads_it(monkeypatch):
    """Goals that arrive as zeros, or at the places of other inputs: all other tests would pass."""
    run = small_run(monkeypatch, rounds=32, **WITH_GOALS)
    player = seated(0, PlayerOfTask(run.team.networks(list(KINDS)), run.team.scaling, greedy=True))
    plain = fixtures_of(np.zeros((200, 4), dtype=np.int64), 5)
    aimed = plain.copy()
    aimed["goal"] = GoalTerms().reading(np.array(-300))
    one, other = play([player], plain), play([player], aimed)
    assert (one.ended["score"] != other.ended["score"]).any(1).mean() > 0.5


@pytest.mark.parametrize(
    ("option", "total"), [("goal=100", (0, 0)), ("goal=100", (300, 500)), ("score=true", (700, 900))]
)
def test_the_agent_reads_in_the_arena_what_it_has_learned_to_read(option, total, monkeypatch, tmp_path):
    """A player that is asked for another goal than it was taught to reach, or that takes the other team's score for
    its own."""
    monkeypatch.setattr(network, "has_fast_bf16", lambda: False)
    make_self_taught(tmp_path, "asked", "GCPolicyRLNet", seed=3)
    agent = agent_from(f"gc:asked,{option}", tmp_path)
    networks = {PLAY: agent.network, **agent.others}
    modules, specs = ({kind: getattr(each, name) for kind, each in networks.items()} for name in ("module", "spec"))
    fixtures = fixtures_of(np.zeros((60, 4), dtype=np.int32), 9)
    fixtures["total"] = total
    played = lockstep.play([agent], fixtures, 1)
    fixtures["goal"] = (
        GoalTerms().reading(np.array(100)) if option == "goal=100" else reading_in_game(np.array([total, total[::-1]]))
    )
    seating = Seating(modules, specs, Scaling.of(SCALING), greedy=True)
    ended = play([seating], fixtures, tile=network.TILE).ended
    assert ended["score"].tolist() == played.rows["score"].tolist()
    without = lockstep.play([agent_from("gc:asked,score=false", tmp_path)], fixtures, 1)
    assert (without.rows["score"] != played.rows["score"]).any()


def test_settings_of_goals_stand_where_goals_are_read():
    """Runs without goals that count as others because goals have got a setting; returns that take one team's gain for
    the other's loss."""
    assert not any(name.startswith(("goal", "game_share")) for name in settings_of("smoke").plain())
    plain = settings_of("smoke", ["network=GCPolicyRLNet", "goal_bonus=50"]).plain()
    assert plain["goal_bonus"] == 50
    with pytest.raises(OptionError, match=r"trace = 0\.9: expected 1 with goals"):
        settings_of("smoke", ["network=GCPolicyRLNet", "trace=0.9"])
    with pytest.raises(OptionError, match="without a goal"):
        settings_of("smoke", ["vector=play-375+goal"])


def test_announcements_are_judged_with_the_goal(monkeypatch):
    """Grand Tichus that are worth the same to a team that needs 300 points and to one that wants to lose none."""
    run = small_run(monkeypatch, rounds=64, **WITH_GOALS)
    experience = run.roll()
    for kind in (GRAND_CALL, SMALL_CALL):
        rows = np.flatnonzero(experience.decisions["kind"] == kind)
        opened = experience.opened[rows]
        without = opened.copy()
        without[:, -2:] = 0
        assert (run.team.judge.gains(opened, kind) != run.team.judge.gains(without, kind)).any()
