"""How fast self-play collects rounds and learns from them, on one core and by processor time.

Most of it is matrix products: what these would take alone is measured in the same run, and the share printed. Beside
rollouts stands the lock-step loop with the same networks, which is what a tournament plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.benchmarks.figures import report
from tichu_models.arena.table import fixtures_of
from tichu_models.rl import rollout
from tichu_models.rl.settings import settings_of
from tichu_models.rl.tasks import seated
from tichu_models.rl.team import Team
from tichu_models.rl.train import SelfPlay
from tichu_models.runs.files import CHAMPION

pytestmark = pytest.mark.bench
ROUNDS = 4096
PLAYS, ALL = 3_350.0, 2_300.0  # rounds/s of rollouts: plays and bombs by networks, and all kinds of decisions
LOOP = 750.0  # rounds/s of the whole loop, all kinds of decisions


@pytest.fixture(autouse=True)
def _one_thread():
    """Figures are of one core."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _rate(work: Callable[[], object], rounds: int, times: int = 3) -> float:
    """Rounds a second of processor time; the first run, which compiles, does not count."""
    work()
    seconds = []
    for _ in range(times):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return rounds / min(seconds)


def test_rollouts():
    """Learning that waits for its rounds: collecting is a fifth of an iteration, and must not become half of it."""
    team = Team(settings_of("laptop"))
    fixtures = fixtures_of(np.zeros((ROUNDS, 4), dtype=np.int64), seed=1)
    for kinds, target in ((["play", "bomb"], PLAYS), (list(team.pupils), ALL)):
        player = seated(0, team.player(kinds, greedy=False))
        rate = _rate(lambda player=player: rollout.play([player], fixtures), ROUNDS)
        report(f"rounds of rollouts, {len(kinds)} kinds of decisions by networks", rate, target)


@pytest.mark.parametrize(("start", "who"), [(None, "beginners"), (CHAMPION, "the champion")])
def test_the_whole_loop(start, who):
    """A run of the preset for laptops that takes an afternoon in place of an hour. Networks that began at random have
    learned for some iterations, and still play longer rounds and are less sure than those that learned for an hour."""
    run = SelfPlay(settings_of("laptop"), start)
    for _ in range(8):
        run.iterate()
    rate = _rate(run.iterate, run.settings.rounds)
    report(f"rounds of self-play of {who}, played, judged and learned from", rate, LOOP)
