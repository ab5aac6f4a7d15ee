"""How strong players are whose networks learned from 10,000 generated games: hours on two cores.

TICHU_PROOF_DATA names a data folder with the finished runs of the preset for a laptop (`test_training_proof` makes
them) and the truth about their corpus. Every figure is one of `tichu tournament` with the same agents, deals and seed.
"""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import numpy as np
import pytest

from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.statistics import wilson
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import Order, values_of
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.tournaments.terminal import cell
from tichu_pipeline.workers import Processes

pytestmark = pytest.mark.proof
POLICY = "policy_net"
NEURAL = (f"policy:{POLICY}", "candidate:candidate_policy_net", "gc:gc_policy_net", "dt:dt_net")
SIMULATIONS = 2560  # of 64 deals: about 50 ms for a play on one core
MARGIN, POWER, ERROR = 5.0, 0.8, 0.05
MILLISECONDS = 1e3


@pytest.fixture(scope="module")
def paths() -> DataPaths:
    """Where the runs are."""
    given = os.environ.get("TICHU_PROOF_DATA")
    if not given:
        pytest.skip("TICHU_PROOF_DATA names no data folder")
    return DataPaths(Path(given))


@pytest.fixture
def duel(paths, tmp_path):
    """Plays two agents; the facts of their pairing, and the points of each deal. Nothing is written to the runs."""

    def play(a: str, b: str, deals: int, seed: int = 1, whole_games: bool = False) -> tuple[dict, np.ndarray]:
        kept = DataPaths(tmp_path / "data")
        kept.root.mkdir(exist_ok=True)
        for name in ("runs", "raw"):
            if not (kept.root / name).exists():
                (kept.root / name).symlink_to((paths.root / name).resolve())
        workers = Processes(int(os.environ.get("TICHU_PROOF_WORKERS", "2")))
        made = run(kept, "duel", Order((a, b), deals, seed, whole_games), workers)
        (facts,) = summary(made.played)["pairings"]
        print(
            f"\n{a} : {b}: {cell(facts['points_per_round'], facts['interval'])} points a round, {deals:,} deals", end=""
        )
        assert facts["forfeits"] == 0
        return facts, values_of(made.played.results)

    return play


def deals_for(margin: float, spread: float) -> int:
    """How many duplicate deals show a margin, when a deal's points have this standard deviation."""
    from statistics import NormalDist

    normal = NormalDist()
    return math.ceil(((normal.inv_cdf(1 - ERROR / 2) + normal.inv_cdf(POWER)) * spread / margin) ** 2)


@pytest.mark.parametrize("agent", NEURAL)
def test_players_with_networks_beat_chance(duel, agent):
    """A network that has learned nothing, or a player who does not use it."""
    facts, _ = duel(agent, "random", 1000, whole_games=True)
    assert facts["games"] == 2000
    low, _ = wilson(facts["games_won"] + facts["games_drawn"] / 2, facts["games"])
    print(f"; {facts['games_won']:,} of {facts['games']:,} games won, {low:.4f} at least")
    assert low >= 0.99


def test_a_search_beats_chance(duel):
    """Likewise, at a budget of a millisecond and a half."""
    facts, _ = duel(f"mcts:{POLICY},simulations=64,deals=16", "random", 100, whole_games=True)
    assert facts["games_won"] == facts["games"] == 200


@pytest.mark.parametrize(("options", "least"), [("", -2), (",temperature=1", -10)])
def test_the_candidate_player_is_as_good_as_those_whom_it_imitates(duel, options, least):
    """A network that plays as it was shown nine times of ten, and gives away what it wins the tenth time. With a
    temperature of 1 it blunders as often as they do, and should lose little by blundering in other places."""
    facts, _ = duel(f"candidate:candidate_policy_net{options}", "crowd", 20_000)
    low, high = facts["interval"]
    assert high - low < 3
    assert low >= least


def test_how_long_a_search_thinks(paths):
    """A budget that is said to be worth 50 ms, and is not on this machine: figures to compare, by processor time."""
    import torch

    torch.set_num_threads(1)
    for options in ("simulations=512", f"simulations={SIMULATIONS}", "simulations=1536,leaf=value"):
        agent = agent_from(f"mcts:{POLICY},{options}", paths.runs)
        for _ in lockstep.play_games([agent], np.zeros((1, 4)), seed=1, max_rounds=1):
            pass
        consider, taken = agent.consider, []

        def timed(views: np.ndarray, consider=consider, taken=taken, **heard: np.ndarray):
            started = time.process_time()
            found = consider(views, **heard)
            taken.extend([(time.process_time() - started) / len(views) * MILLISECONDS] * len(views))
            return found

        agent.consider = timed
        for _ in lockstep.play_games([agent], np.zeros((16, 4)), seed=2, max_rounds=1):
            pass
        p50, p99 = np.quantile(taken, [0.5, 0.99])
        print(f"\n{options}: {len(taken):,} plays with a choice, {p50:.1f} ms (p50), {p99:.1f} ms (p99)", end="")


def test_a_search_is_better_than_its_policy(duel):
    """Thinking ahead that costs time and wins nothing. How many deals are enough, a pilot with less time says."""
    pilot, values = duel(f"mcts:{POLICY}", f"policy:{POLICY}", 100)
    spread = float(values.std(ddof=1))
    least = max(pilot["interval"][0] - MARGIN, MARGIN)  # what the pilot leaves of the margin, and sees almost surely
    enough = deals_for(least, spread)
    print(f"; standard deviation {spread:.0f}: {deals_for(MARGIN, spread):,} deals for {MARGIN:g} points", end="")
    print(f", {enough:,} for {least:.0f}")
    deals = max(100, enough)
    facts, _ = duel(f"mcts:{POLICY},simulations={SIMULATIONS}", f"policy:{POLICY}", deals, seed=2)
    assert facts["interval"][0] >= MARGIN


@pytest.mark.parametrize(
    "options",
    [
        f"simulations={SIMULATIONS},open=true",
        "simulations=1536,leaf=value",
        "simulations=1536,leaf=value,root=puct,by=visits",
    ],
)
def test_variants_of_a_search(duel, options):
    """What hidden cards cost, and what a search is worth that knows no rules of thumb: figures to compare."""
    duel(f"mcts:{POLICY},{options}", f"policy:{POLICY}", 100, seed=2)


def test_a_search_of_a_second(duel):
    """Twenty times the budget: figures to compare."""
    duel(f"mcts:{POLICY},simulations={20 * SIMULATIONS},deals=256", f"policy:{POLICY}", 16, seed=2)
