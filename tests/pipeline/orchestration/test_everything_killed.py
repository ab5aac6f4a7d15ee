"""The job `everything`, killed in one stage after the other: called again, it ends as one that was never disturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.makers.stages import TELL_THE_TIME, half, published
from tests.paths import ROOT
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.storage.folders import DataPaths

pytestmark = pytest.mark.proof

MONTHS = ["2024-01", "2024-02"]
IN_TRAINING = "resume.ckpt"  # written by a child process: the run is killed when it is there
DEATHS = [
    *("rounds/2024-02.parquet", "features/play-375/2024-02.parquet"),
    *("tichu.duckdb", "scaling.json", "Datenanalyse.html", "play-375.h5", IN_TRAINING),
    *("model_comparison.parquet", "ladder.parquet", "tournament.html", "index.html"),
]
EVERYTHING = f"""
import os, signal, sys
from pathlib import Path
import dagster as dg
from tichu_pipeline.definitions import build

root, deadly = sys.argv[1:]
replace = Path.replace

def replace_or_die(self, target):
    if deadly and str(target).endswith(deadly):
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)

Path.replace = replace_or_die
job = build(root=root).resolve_job_def("everything")
stages = job.asset_layer.executable_asset_keys
stages = [key for key in stages if key.path[0] != "training_runs" or key.path[-1] == "policy_net"]
tags = {{"dagster/asset_partition_range_start": "{MONTHS[0]}", "dagster/asset_partition_range_end": "{MONTHS[-1]}"}}
with dg.DagsterInstance.ephemeral() as instance:
    assert job.execute_in_process(instance=instance, tags=tags, asset_selection=stages).success
"""


def everything(paths: DataPaths, deadly: str = "") -> int:
    """One run of the job; the exit status."""
    settings = {
        "TICHU_PRESET": "smoke",
        "TICHU_DEALS": "4",
        "TICHU_FIRST_MONTH": MONTHS[0],
        "TICHU_LAST_MONTH": MONTHS[-1],
    }
    process = subprocess.Popen(
        [sys.executable, "-c", EVERYTHING, str(paths.root), deadly],
        cwd=ROOT, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None:
        if deadly == IN_TRAINING and any(paths.runs.glob(f"*/{IN_TRAINING}")):
            process.send_signal(signal.SIGKILL)
        time.sleep(0.005)
    return process.returncode


def settled(paths: DataPaths) -> dict[str, str]:
    """What was made, but for pages that tell the time."""
    return {name: digest for name, digest in published(paths).items() if name not in TELL_THE_TIME}


def test_everything_is_killed_in_every_stage(tmp_path: Path) -> None:
    """A power cut after which something is missing, half, or otherwise than without it."""
    whole, killed = (DataPaths(tmp_path / name) for name in ("whole", "killed"))
    for paths in (whole, killed):
        generate(paths.raw, 30, MONTHS, seed=6)
    assert everything(whole) == 0
    for deadly in DEATHS:
        assert everything(killed, deadly) == -signal.SIGKILL, deadly
    assert everything(killed) == 0
    assert settled(killed) == settled(whole)
    assert half(killed) == []
