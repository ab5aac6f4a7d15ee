"""Goals asked for and achieved: the figures of made-up deals, and a player who does what he is told."""

from __future__ import annotations

import numpy as np
import pytest

from tichu_models.arena.calibration import Calibration, calibrate
from tichu_models.players.builtin import HeuristicAgent


def test_what_is_said_of_points_that_are_known():
    """A rho of ranks that are mixed up, or intervals that forget that all goals were played over the same deals."""
    luck = np.random.default_rng(0).normal(0, 200, 400)
    told = Calibration((-100.0, 0.0, 50.0, 100.0), luck + np.array([[-10.0], [0.0], [5.0], [10.0]])).summary()
    assert told["rho"] == {"value": 1.0, "interval": [1.0, 1.0]}  # whichever deals are drawn
    assert told["slope"]["value"] == pytest.approx(0.1)
    assert told["slope"]["interval"] == pytest.approx([0.1, 0.1])
    assert [each["asked"] for each in told["goals"]] == [-100, 0, 50, 100]
    low, high = told["goals"][3]["interval"]
    assert low < luck.mean() + 10 < high
    assert high - low == pytest.approx(4 * 200 / 20, rel=0.2)
    falling = Calibration((0.0, 1.0, 2.0), np.stack([luck, luck - 1, luck - 2])).summary()
    assert falling["rho"]["interval"] == [-1.0, -1.0]


def test_who_is_asked_for_more_plays_for_it():
    """Points that are counted for the other team, or goals that play different deals."""

    def make(name: str) -> HeuristicAgent:
        agent = HeuristicAgent(0.0 if name == "plain" else float(name))
        agent.name = name
        return agent

    found = calibrate(lambda goal: f"{-goal / 100:g}", "plain", make, 40, goals=(-50, -20, 0), seed=3)
    told = found.summary()
    assert told["rho"]["value"] == 1
    assert told["goals"][0]["achieved"] < -20
    assert not found.points[2].any()  # who plays as the other one does wins at one table what he loses at the other
