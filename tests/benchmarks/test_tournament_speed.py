"""20,000 duplicate deals of two players, which 60 seconds on two cores are to be enough for.

Built-in players are counted in processor time of one core, and fail where the figure falls clearly below what has been
reached; a player with a network by the clock, with both cores' starting and all that comes with it.
"""

from __future__ import annotations

import time
from dataclasses import asdict

import pytest

from tests.makers.runs import DECISION_NETS, make_run
from tichu_models.agents.registry import agent_from
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import TournamentRequest, play
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Processes
from tichu_pipeline.tools.warm_up import compile_all
from tichu_pipeline.tournaments.running import run

pytestmark = pytest.mark.bench
TARGET, LIMIT = 60.0, 6.0  # seconds


def test_twenty_thousand_duplicate_deals():
    """A comparison that one thinks twice about before asking for it."""
    compile_all()
    request = TournamentRequest(("heuristic", "heuristic:blunder=.1"), 20_000, seed=1)
    started = time.process_time()
    played = play(request, agent_from)
    after_play = time.process_time()
    summary(played)
    seconds = time.process_time() - started
    print(f"\nduplicate deals: {after_play - started:.2f} s, with all figures {seconds:.2f} s (target {TARGET} s)")
    assert seconds < LIMIT


def test_twenty_thousand_duplicate_deals_of_a_network(tmp_path):
    """A comparison with a network that takes an evening. The networks are of full size and have learned nothing, which
    makes some rounds shorter: how much they were asked is printed as well."""
    paths = DataPaths(tmp_path)
    for network in ("PolicyNet", *DECISION_NETS):
        make_run(paths.runs, network, **asdict(ARCHITECTURES[network].config()))
    request = TournamentRequest(("heuristic", "policy:PolicyNet"), 20_000, seed=1)
    run(paths, "first", TournamentRequest(request.agents, 64), Processes(2))  # compiles
    started = time.perf_counter()
    made = run(paths, "duel", request, Processes(2))
    facts = summary(made.played)
    seconds = time.perf_counter() - started
    (asked,) = [entry["decisions"] for entry in facts["times"] if entry["name"] == request.agents[1]]
    print(f"\nduplicate deals of heuristic against policy: {seconds:.1f} s on two cores (target {TARGET} s)", end="")
    print(f", {asked / 40_000:.1f} decisions of the policy a round")
    assert not made.played.forfeits
    assert seconds < TARGET
