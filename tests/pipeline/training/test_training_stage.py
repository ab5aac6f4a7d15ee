"""Networks trained as stages: each in a child process, nothing twice, and a run that is killed goes on."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from tests.makers.training_stage import materialize
from tests.paths import ROOT
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.assets import training
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.runs import default_name, run_of

MONTHS = ["2024-01", "2024-02"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A data folder up to the stage scaling."""
    made = tmp_path_factory.mktemp("data")
    generate(made / "raw", 60, MONTHS, seed=4)
    ingest(made / "raw", DataPaths(made))
    fit(DataPaths(made))
    return made


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


def test_every_epoch_is_told_to_the_asset(folder):
    """A night of training that is a row of lines in a log, or heard of when it is over."""
    result = materialize(folder, "GrandNet", training={"epochs": 3, "patience": 3})
    observed = [
        {name: entry.value for name, entry in each.metadata.items()}
        for each in result.asset_observations_for_node("training_runs__grand_net")
    ]
    assert [each["epoch"] for each in observed] == [1, 2, 3]
    assert min(each["val_loss"] for each in observed) == pytest.approx(
        run_of(folder / "runs" / "grand_net").figures["val_loss"]
    )


def test_settings_are_typed(folder):
    """A setting misspelt in the launchpad would be ignored."""
    with pytest.raises(dg.DagsterInvalidConfigError, match="epoch_s"):
        materialize(folder, "PolicyNet", training={"epoch_s": 1})
    with pytest.raises(dg.DagsterInvalidConfigError, match="epochs"):
        materialize(folder, "PolicyNet", training={"epochs": "many"})


def test_what_is_wrong_with_an_order_is_told(folder):
    """A child's traceback in the place of a sentence; or four attempts at what cannot succeed."""
    result = materialize(folder, "PolicyNet", raise_on_error=False, preset="tiny")
    assert not result.success
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert "expected a TOML file or one of smoke, demo, laptop, full" in str(failure.event_specific_data)


SLOW = {"training": {"epochs": 2, "epoch_samples": 60000, "checkpoint_steps": 20, "threads": 1, "precision": "float32"}}
SCRIPT = """
import json, sys
import dagster as dg
from tests.makers.training_stage import materialize
from pathlib import Path
materialize(Path(sys.argv[1]), "PolicyNet", **json.loads(sys.argv[2]))
"""


def running_children(folder: Path) -> list[str]:
    """Training processes of this folder: those that a session file of Dagster's Pipes was given to."""
    done = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines() if "tichu_pipeline.training.child" in line]


@pytest.mark.proof
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_takes_its_child_along_and_goes_on_later(folder, how):
    """A process that nobody knows of trains on for days; or a killed run starts anew."""
    before = set(running_children(folder))
    run = folder / "runs" / "policy_net"
    shutil.rmtree(run, ignore_errors=True)
    whole = facts(materialize(folder, "PolicyNet", **SLOW))
    shutil.rmtree(run)
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), json.dumps(SLOW)], cwd=ROOT)
    until = time.monotonic() + 300
    while not (run / "resume.ckpt").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None
    process.send_signal(how)
    process.wait(60)
    while set(running_children(folder)) - before and time.monotonic() < until:
        time.sleep(0.2)
    assert set(running_children(folder)) == before
    assert not (run / "figures.json").exists()
    again = facts(materialize(folder, "PolicyNet", **SLOW))
    assert not again["reused"]
    assert json.loads((run / "trial.json").read_text())["attempts"] == 2
    for figure in ("val_loss", "val_top1", "val_top1_not_forced", "epoch"):
        assert again[figure] == whole[figure]


@pytest.mark.proof
def test_all_networks_and_their_comparison(folder):
    """A network whose stage fails only in the demo."""
    from tichu_pipeline.orchestration.assets.comparison import model_comparison

    config = {"__".join(asset.key.path): {"config": {"preset": "smoke"}} for asset in training.training_runs} | {
        "model_comparison": {"config": {"samples": 200}}
    }
    for reused in (False, True):
        result = dg.materialize(
            [*training.training_runs, model_comparison],
            resources={"data": DataFolder(root=str(folder))},
            run_config={"ops": config},
        )
        events = result.get_asset_materialization_events()
        metadata = [event.step_materialization_data.materialization.metadata for event in events]
        assert len(metadata) == len(ARCHITECTURES) + 1
        assert {entry["reused"].value for entry in metadata if "reused" in entry} <= {reused, True}
    assert (folder / "reports" / "model_comparison.html").exists()
