"""What a grand Tichu on given first hands gains: twin rounds that differ by the call.

In both rounds of a pair all other decisions are the player's own, so that the difference of their results is what the
announcement was worth, on hands too on which it would never, or always, be made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.arena.first_hands import DrawnHands
from tichu_models.rl.rollout import no_forks
from tichu_models.rl.tasks import PlayerOfTask, RunTasks, play_task, tasks_of
from tichu_models.rules.asking import GRAND_CALL
from tichu_models.rules.state import GRAND


@dataclass(frozen=True)
class GrandTwins:
    """What happened in the twin rounds of hands, with and without a grand Tichu on each."""

    gain: np.ndarray  # points by which the own team does better with the announcement
    called: np.ndarray  # whether the player itself announces
    made: np.ndarray  # whether the announcement is made


def play_twins(player: PlayerOfTask, drawn: DrawnHands, run_tasks: RunTasks = map) -> GrandTwins:
    """Plays every hand twice, with the same player at all seats."""
    if GRAND_CALL not in player.networks:
        raise ValueError("this player announces grand Tichus by rules of thumb; expected one that has learned it")
    n = len(drawn.seats)
    fixtures, forks = np.repeat(drawn.fixtures, 2), no_forks(2 * n)
    forks["kind"][1::2], forks["seat"][1::2], forks["nth"][1::2] = GRAND_CALL, drawn.seats, 1
    tasks = tasks_of([player], fixtures, forks, only_results=True)
    ended = np.concatenate([part.ended for part in run_tasks(play_task, tasks)])
    lead = (ended["score"][:, 0].astype(np.float64) - ended["score"][:, 1]).reshape(n, 2)
    calls = ended["call"].reshape(n, 2, 4)[np.arange(n), :, drawn.seats] == GRAND
    assert (calls.sum(axis=1) == 1).all()
    with_call = calls.argmax(axis=1)
    own = 1 - 2 * (drawn.seats & 1)
    gain = (lead[np.arange(n), with_call] - lead[np.arange(n), 1 - with_call]) * own
    made = ended["winner"].reshape(n, 2)[np.arange(n), with_call] == drawn.seats
    return GrandTwins(gain, calls[:, 0], made)
