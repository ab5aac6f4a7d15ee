"""Luck by a ValueNet: of the cards alone, and on nobody's side."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import make_runs
from tichu_models.agents.luck import Luck
from tichu_models.agents.registry import agent_from
from tichu_models.arena.tournament import Task, TournamentRequest, play_task
from tichu_models.records.schema import Rounds
from tichu_models.runs.manifest import CheckpointError


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A ValueNet that has learned nothing, and a network of another kind."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, ("ValueNet", "WishNet"))
    return folder


@pytest.fixture(scope="module")
def rounds() -> Rounds:
    """Some duplicate deals."""
    return play_task(Task(TournamentRequest(("heuristic", "random"), 50, seed=2), agent_from, 0, 0, 50)).rounds


def turned(rounds: Rounds) -> Rounds:
    """The same deals, but that everybody has moved on by a seat."""
    rows = rounds.rows.copy()
    for field in ("first", "start"):
        rows[field] = np.roll(rows[field], 1, axis=1)
    return Rounds(rows, rounds.history)


def test_what_a_team_is_promised_the_other_is_when_the_deal_is_turned(runs, rounds):
    """A control that is not 0 on average would favour a team in every tournament."""
    luck = Luck(runs / "ValueNet")(rounds)
    assert luck.std() > 0
    assert np.array_equal(Luck(runs / "ValueNet")(turned(rounds)), -luck)


def test_it_is_the_same_whoever_plays(runs, rounds):
    """What an agent does would be taken for luck, and be taken away from it."""
    luck = Luck(runs / "ValueNet")(rounds)
    assert np.array_equal(luck[::2], luck[1::2])  # the two tables of a deal: teams swapped, one of them at random


def test_another_network_is_refused(runs):
    """Points by a network that knows of none."""
    with pytest.raises(CheckpointError, match="expected ValueNet"):
        Luck(runs / "WishNet").checked()
    with pytest.raises(CheckpointError, match="not there"):
        Luck(runs / "nothing").checked()
