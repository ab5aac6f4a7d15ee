"""How fast players with networks answer, on one core and by processor time; `make bench` prints the figures.

Most of an answer is the network, whose speed is the hardware's and its neighbours'. Beside each figure stands therefore
how many rows a second the bare network goes through in the same run, in batches of the size that is fastest.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from tests.benchmarks.figures import report
from tests.makers.runs import Watched, make_run
from tichu_models.agents.neural.network import TILE
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.rules.asking import PLAY

pytestmark = pytest.mark.bench
SIZES = {
    "PolicyNet": {"hidden": [512, 512, 256]},
    "CandidatePolicyNet": {"body": [512, 512], "move": [128], "width": 128},
    "GCPolicyNet": {"body": [1024, 1024], "policy": [512], "value": [256]},
}
TARGETS = {"PolicyNet": 100_000, "CandidatePolicyNet": 60_000, "GCPolicyNet": 25_000}


@pytest.fixture(autouse=True)
def _one_thread():
    """Figures are of one core."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def rows_a_second(agent) -> float:
    """The bare network in large batches."""
    state = torch.rand(4 * TILE, agent.network.spec.size).to(agent.network.dtype)
    net = agent.network.module
    ask = {"PolicyNet": lambda: net(state), "CandidatePolicyNet": lambda: net.body(state)}.get(
        type(net).__name__, lambda: net(state, state[:, 0])
    )
    best = np.inf
    with torch.inference_mode():
        for _ in range(8):
            started = time.process_time()
            for _ in range(5):
                ask()
            best = min(best, (time.process_time() - started) / 5)
    return len(state) / best


@pytest.mark.parametrize("network", SIZES)
def test_decisions_in_lock_step(tmp_path, network):
    """Four seats with one network at 1,024 tables, all decisions of a round; where there is no choice, the network is
    not asked."""
    make_run(tmp_path, network, **SIZES[network])
    agent = agent_from(f"policy:{network}", tmp_path)
    for _ in lockstep.play_games([agent], np.zeros((64, 4)), seed=1, max_rounds=1):
        pass
    watched = Watched(agent)
    started = time.process_time()
    for _ in lockstep.play_games([watched], np.zeros((1024, 4)), seed=2, max_rounds=1):
        pass
    seconds = time.process_time() - started
    decisions = sum(len(part[2]) for parts in watched.asked.values() for part in parts)
    plays = sum(len(part[2]) for part in watched.asked[PLAY])
    bare = rows_a_second(agent)
    print(f"\n{network}: {decisions:,} decisions, {plays:,} plays; the bare network {bare:,.0f} rows/s")
    report(f"{network} in lock-step, decisions a core", decisions / seconds, TARGETS[network])


def test_decisions_with_a_choice(tmp_path):
    """Only views in which there is something to choose: what the network is asked, choosing included."""
    make_run(tmp_path, "PolicyNet", **SIZES["PolicyNet"])
    agent = agent_from("policy:PolicyNet", tmp_path)
    watched = Watched(agent_from("heuristic"))
    for _ in lockstep.play_games([watched], np.zeros((300, 4)), seed=1, max_rounds=1):
        pass
    views, _, _ = watched.all_of(PLAY)
    from tichu_models.agents.choosing import moves_of

    views = np.ascontiguousarray(views[moves_of(views).counts > 1])
    agent.decide(PLAY, views)
    best = np.inf
    for _ in range(5):
        started = time.process_time()
        agent.decide(PLAY, views)
        best = min(best, time.process_time() - started)
    print(f"\nthe bare network {rows_a_second(agent):,.0f} rows/s")
    report("PolicyNet, plays with a choice", len(views) / best, 80_000)
