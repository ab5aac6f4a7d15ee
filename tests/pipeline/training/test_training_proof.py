"""What networks come to on 10,000 generated games with the preset for a laptop: an hour on two cores.

TICHU_PROOF_DATA names a data folder that is kept: runs that are in it already are not trained again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months
from tichu_pipeline.tournaments.calibration import calibrate_run, kept_calibration
from tichu_pipeline.training.judging import judge
from tichu_pipeline.training.runs import run_of
from tichu_pipeline.training.train import TrainingRequest, train_run

pytestmark = pytest.mark.proof
GAMES, SAMPLES = 10_000, 100_000


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """The corpus, ingested."""
    given = os.environ.get("TICHU_PROOF_DATA")
    made = DataPaths(Path(given) if given else tmp_path_factory.mktemp("data"))
    if not made.raw.exists():
        generate(made.raw, GAMES, parse_months("2024-01..2024-12"), seed=1)
    ingest(made.raw, made)
    return made


def figures(paths: DataPaths, network: str) -> dict[str, float]:
    """Those of the network on held-out games."""
    made = train_run(paths, TrainingRequest(network, "laptop"))
    found = judge(run_of(made.path), paths, "validation", SAMPLES)
    print(network, {name: round(value, 4) for name, value in found.items()})
    return found


def test_candidate_policy_net_plays_as_it_was_shown(paths):
    """A network that cannot imitate players who follow simple rules learns nothing from people."""
    assert figures(paths, "CandidatePolicyNet")["top1_no_blunder"] >= 0.9


def test_value_net_knows_who_is_winning(paths):
    """Search and goals stand on this number."""
    assert figures(paths, "ValueNet")["r2_from_28"] >= 0.3


@pytest.mark.parametrize("network", ["GrandNet", "TichuNet", "SmallTichuNet"])
def test_call_nets_know_when_players_call(paths, network):
    """A call costs a hundred points: a probability has to mean what it says."""
    found = figures(paths, network)
    assert found["called_auc"] >= 0.95
    assert found["called_brier_skill"] >= 0.5
    assert found["called_ece"] <= 0.02


@pytest.mark.parametrize("network", ["GCPolicyNet", "DTNet"])
def test_goal_conditioned_nets_play_as_they_were_shown(paths, network):
    """A value beside the policy, or tokens too narrow for 56 cards, leave a policy that passes."""
    assert figures(paths, network)["top1_not_forced"] >= 0.85


def test_who_is_asked_for_more_wins_more(paths):
    """A goal that is followed the wrong way round, or not at all, is no goal."""
    made = train_run(paths, TrainingRequest("GCPolicyNet", "laptop"))
    found = kept_calibration(paths, made.name) or calibrate_run(paths, made.name, 1000).facts
    print("GCPolicyNet", *found["goals"], found["rho"], found["slope"], sep="\n  ")
    assert found["rho"]["interval"][0] > 0
    assert found["slope"]["interval"][0] > 0
