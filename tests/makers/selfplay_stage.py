"""Trains a run of self-play as Dagster does, in this process."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from tichu_pipeline.orchestration.assets.selfplay import selfplay_runs
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource

RUN = "candidate_rl_net"
STEP = f"selfplay_runs__{RUN}"


def materialize(folder: Path, raise_on_error: bool = True, **config: object) -> dg.ExecuteInProcessResult:
    """Materializes the asset of the CandidateRLNet."""
    return dg.materialize(
        selfplay_runs[:1],
        resources={"data": DataFolder(root=str(folder)), "workers": WorkersResource()},
        run_config={"ops": {STEP: {"config": {"preset": "smoke", **config}}}},
        raise_on_error=raise_on_error,
    )
