"""Rollouts are the same however they are cut, and nearly the same whatever the tile of their networks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.rollouts import small_run
from tichu_models.algorithms.student import generator_of
from tichu_models.arena.table import fixtures_of
from tichu_models.rl import tasks
from tichu_models.rl.rollout import Experience, play
from tichu_models.rl.tasks import PlayerOfTask, seated


def in_order(experience: Experience) -> tuple:
    """A rollout by rounds, in whatever order its tables were asked."""
    made = experience.decisions
    order = np.lexsort((made["order"], made["round"]))
    names = [name for name in made.dtype.names if name not in ("first", "table")]
    options = [experience.options[at : at + n].tolist() for at, n in made[["first", "options"]][order].tolist()]
    ended = experience.ended
    return (
        [made[name][order].tolist() for name in names],
        options,
        experience.opened[order].tolist(),
        [ended[name].tolist() for name in ended.dtype.names],
    )


def answers_to_first_question(experience: Experience) -> np.ndarray:
    """The first decision of each seat in each round, which no other decision has changed."""
    made = experience.decisions[experience.decisions["order"] < 4]
    return made[np.lexsort((made["order"], made["round"]))]


def backwards(play_one, them):
    """Tasks that are done in another order than they were given."""
    return reversed([play_one(task) for task in reversed(them)])


@pytest.mark.parametrize("network", ["CandidateRLNet", "GCPolicyRLNet"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_rollouts_do_not_depend_on_how_they_are_cut(precision, network, monkeypatch):
    """Results that hang on the number of workers: nobody could repeat them on another machine."""
    run = small_run(monkeypatch, precision, network=network, rounds=96, twins=0.25)
    whole = in_order(run.roll())
    for rounds in (96, 40, 2):  # even, so that twins stay side by side
        monkeypatch.setattr(tasks, "ROUNDS_A_TASK", rounds)
        assert in_order(run.roll()) == whole
        assert in_order(run._play(backwards, generator_of(run.settings.seed, 0))) == whole


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_another_tile_rounds_otherwise_at_most(precision, monkeypatch):
    """A tile is how many rows a network reads at once; a product of matrices may sum in another order for another
    number of rows. Rounds may differ where an answer hung by a hair; a row that is read for another differs everywhere.
    """
    run = small_run(monkeypatch, precision, rounds=1)
    player = seated(0, PlayerOfTask(run.team.networks(run.learnt()), run.team.scaling))
    fixtures = fixtures_of(np.zeros((200, 4), dtype=np.int32), 3)
    first = play([player], fixtures, tile=128)
    for tile in (1, 32, 200):
        other = play([player], fixtures, tile=tile)
        same = np.all(other.ended["score"] == first.ended["score"], axis=1)
        assert same.mean() > (0.97 if precision == "float32" else 0.5), tile
        one, two = (answers_to_first_question(experience) for experience in (first, other))
        equal = one["chosen"] == two["chosen"]
        assert equal.mean() > 0.98
        np.testing.assert_allclose(one["log"][equal], two["log"][equal], atol=1e-5 if precision == "float32" else 0.03)
