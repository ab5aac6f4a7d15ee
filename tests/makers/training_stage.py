"""Trains a network as Dagster does, in this process."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from tichu_pipeline.orchestration.assets import training
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.training.runs import default_name


def materialize(folder: Path, network: str, raise_on_error: bool = True, **config: object) -> dg.ExecuteInProcessResult:
    """Materializes the asset of one network."""
    name = default_name(network)
    assets = [each for each in training.training_runs if each.key.path[-1] == name]
    return dg.materialize(
        assets,
        resources={"data": DataFolder(root=str(folder))},
        run_config={"ops": {f"training_runs__{name}": {"config": {"preset": "smoke", **config}}}},
        raise_on_error=raise_on_error,
    )
