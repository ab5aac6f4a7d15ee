"""Self-play as a stage: in a child process, nothing twice, every evaluation told to the asset, killed and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from tests.makers.selfplay_stage import RUN, STEP, materialize
from tests.paths import ROOT
from tichu_models.runs.files import FIGURES, RESUME_SELFPLAY, TRIAL
from tichu_pipeline.orchestration.assets.selfplay import selfplay_runs

TWICE = {"evaluate_every": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A data folder without any logs, in which the run has been trained."""
    made = tmp_path_factory.mktemp("data")
    result = materialize(made, settings=TWICE)
    assert not facts(result)["reused"]
    observations = result.asset_observations_for_node(STEP)
    observed = [{name: entry.value for name, entry in each.metadata.items()} for each in observations]
    assert [each["rounds"] for each in observed] == [128, 256]
    assert all(each["low"] < each["points_per_round"] < each["high"] for each in observed)
    assert all(each.keys() >= {"play.entropy", "play.kl", "explained.early", "explained.late"} for each in observed)
    return made


def facts(result: dg.ExecuteInProcessResult) -> dict:
    """The metadata of the one materialisation."""
    (event,) = result.get_asset_materialization_events()
    metadata = event.step_materialization_data.materialization.metadata
    return {name: entry.value for name, entry in metadata.items()}


def test_there_is_an_asset_for_each_network_for_plays():
    """A player that nobody can train from the web UI."""
    keys = [each.key.to_user_string() for each in selfplay_runs]
    assert keys == [f"selfplay_runs/{RUN}", "selfplay_runs/policy_rl_net"]


def test_a_run_is_trained_once(folder):
    """An hour of training with every materialisation; or a page that shows nothing of it."""
    again = facts(materialize(folder, settings=TWICE))
    assert again["reused"]
    assert again["rows"] == again["rounds"] == 256
    assert again["points"].startswith("![")
    assert again["parameters"] > 10_000
    assert Path(again["curves"]).stat().st_size > 10_000


def test_settings_are_typed(folder):
    """A setting misspelt in the launchpad would be ignored."""
    with pytest.raises(dg.DagsterInvalidConfigError, match="iteration"):
        materialize(folder, settings={"iteration": 1})
    with pytest.raises(dg.DagsterInvalidConfigError, match="rounds"):
        materialize(folder, settings={"rounds": "many"})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"preset": "tiny"}, "expected one of smoke, demo, laptop, full"),
        ({"settings": {"rounds": 0}}, "rounds = 0: expected a number from 1"),
        ({"from_run": "nobody"}, "no run of this name"),
        ({"settings": {"critic_rate": 1e30}}, "is nan; expected a number"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(tmp_path, config, expected):
    """A child's traceback in the place of a sentence; or four attempts at what cannot succeed."""
    result = materialize(tmp_path, raise_on_error=False, **config)
    assert not result.success
    (failure,) = [event for event in result.all_events if event.is_step_failure]
    assert expected in str(failure.event_specific_data)


SCRIPT = """
import sys
from pathlib import Path
from tests.makers.selfplay_stage import materialize
materialize(Path(sys.argv[1]), settings={"iterations": 40, "save_every": 1})
"""


@pytest.mark.proof
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_takes_its_child_along_and_goes_on_later(tmp_path, how):
    """A process that nobody knows of learns on for days; or a killed run begins anew."""
    run = tmp_path / "runs" / RUN
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=ROOT)
    until = time.monotonic() + 300
    while not (run / RESUME_SELFPLAY).exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None
    process.send_signal(how)
    process.wait(60)
    saved = -1.0
    while saved != (saved := (run / RESUME_SELFPLAY).stat().st_mtime) and time.monotonic() < until:
        time.sleep(5)  # iterations take a fraction of it
    assert not (run / FIGURES).exists()
    rest = {"iterations": 40, "save_every": 1}
    again = facts(materialize(tmp_path, settings=rest))
    assert not again["reused"]
    assert json.loads((run / TRIAL).read_text())["attempts"] == 2
    assert again["rounds"] == 40 * 128
