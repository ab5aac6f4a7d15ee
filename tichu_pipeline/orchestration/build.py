"""Builds the Dagster definitions. A new module in `assets` is found by itself."""

import os
from collections.abc import Mapping
from typing import Any

import dagster as dg

from tichu_pipeline.orchestration import assets
from tichu_pipeline.orchestration.automation import FRESHNESS, JOBS, MONTHLY, new_logs, reingestion
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.training.forking import THRIFTY

OWNERS = ["team:tichu"]


def build(
    root: str | None = None,  # the data folder; else the environment's TICHU_DATA, else data/
    cron: str | None = None,  # when logs are downloaded; else the environment's TICHU_REINGEST_CRON, else monthly
    resources: Mapping[str, Any] | None = None,  # replace or extend those below
    executor: dg.ExecutorDefinition = dg.in_process_executor,  # stages use the cores themselves
) -> dg.Definitions:
    """All stages, checks and jobs, the schedule and the sensor."""
    for name, value in THRIFTY.items():  # for stages that run torch in this process
        os.environ.setdefault(name, value)
    loaded = dg.load_assets_from_package_module(assets)
    data = DataFolder(root=root or os.environ.get("TICHU_DATA") or "data")
    workers = WorkersResource(named=os.environ.get("TICHU_WORKERS") or "")
    stages = [each.map_asset_specs(_annotated) if isinstance(each, dg.AssetsDefinition) else each for each in loaded]
    return dg.Definitions(
        assets=stages,
        asset_checks=dg.load_asset_checks_from_package_module(assets),
        jobs=JOBS,
        schedules=[reingestion(cron or os.environ.get("TICHU_REINGEST_CRON") or MONTHLY)],
        sensors=[new_logs],
        resources={"data": data, "workers": workers, **(resources or {})},
        executor=executor,
    )


def _annotated(spec: dg.AssetSpec) -> dg.AssetSpec:
    """A stage with its owners, its scope and its freshness policy."""
    scope = "month" if spec.partitions_def else "corpus"  # what it reads again after a change
    annotated = spec.merge_attributes(owners=OWNERS, tags={"scope": scope})
    freshness = FRESHNESS.get(spec.key.to_user_string())
    return annotated.replace_attributes(freshness_policy=freshness) if freshness else annotated
