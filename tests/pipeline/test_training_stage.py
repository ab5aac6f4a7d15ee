"""Networks trained as stages: each in a child process, nothing twice, and a run that is killed goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from tichu_models.networks.registry import ARCHITECTURES
from tichu_pipeline.assets import training
from tichu_pipeline.brettspielwelt.corpus import generate
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.ingest import ingest
from tichu_pipeline.resources import DataFolder
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.training.runs import default_name

MONTHS = ["2024-01", "2024-02"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A data folder up to the stage scaling."""
    made = tmp_path_factory.mktemp("data")
    generate(made / "raw", 60, MONTHS, seed=4)
    ingest(made / "raw", DataPaths(made))
    fit(DataPaths(made))
    return made


def materialize(folder: Path, network: str, raise_on_error: bool = True, **config: object) -> dg.ExecuteInProcessResult:
    """One run of one network's asset."""
    name = default_name(network)
    assets = [each for each in training.training_runs if each.key.path[-1] == name]
    return dg.materialize(
        assets,
        resources={"data": DataFolder(root=str(folder))},
        run_config={"ops": {f"training_runs__{name}": {"config": {"preset": "smoke", **config}}}},
        raise_on_error=raise_on_error,
    )


def facts(result: dg.ExecuteInProcessResult) -> dict:
    """The metadata of the one materialisation."""
    (event,) = result.get_asset_materialization_events()
    metadata = event.step_materialization_data.materialization.metadata
    return {name: entry.value for name, entry in metadata.items()}


def test_there_is_an_asset_for_each_network():
    """A network that nobody can train from the web UI."""
    keys = {each.key.to_user_string() for each in training.training_runs}
    assert keys == {f"training_runs/{default_name(name)}" for name in ARCHITECTURES}
    assert {"training_runs/policy_net", "training_runs/gc_policy_net", "training_runs/dt_net"} < keys


def test_a_run_is_trained_once(folder):
    """Hours of training with every materialisation."""
    first = materialize(folder, "CandidatePolicyNet")
    again = materialize(folder, "CandidatePolicyNet")
    assert [facts(each)["reused"] for each in (first, again)] == [False, True]
    assert facts(first)["val_top1_not_forced"] == facts(again)["val_top1_not_forced"]
