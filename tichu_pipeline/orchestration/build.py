"""Gathers everything that Dagster knows of this project. A new module in `assets` is found by itself."""

import os
from collections.abc import Mapping
from typing import Any

import dagster as dg

from tichu_pipeline.orchestration import assets
from tichu_pipeline.orchestration.automation import FRESHNESS, JOBS, MONTHLY, new_logs, reingestion
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.training.parent import THRIFTY

OWNERS = ["team:tichu"]


def build(
    root: str | None = None,  # the data folder; else the environment's TICHU_DATA, else data/
    cron: str | None = None,  # when logs are downloaded; else the environment's TICHU_REINGEST_CRON, else monthly
    resources: Mapping[str, Any] | None = None,  # in the place of those here, or beside them
    executor: dg.ExecutorDefinition = dg.in_process_executor,  # stages use the cores themselves
) -> dg.Definitions:
    """All stages, checks, jobs, the schedule and the sensor."""
    for name, value in THRIFTY.items():  # for stages that take torch in this process
        os.environ.setdefault(name, value)
    found = dg.load_assets_from_package_module(assets)
    data = DataFolder(root=root or os.environ.get("TICHU_DATA") or "data")
    workers = WorkersResource(named=os.environ.get("TICHU_WORKERS") or "")
    stages = [part.map_asset_specs(_described) if isinstance(part, dg.AssetsDefinition) else part for part in found]
    return dg.Definitions(
        assets=stages,
        asset_checks=dg.load_asset_checks_from_package_module(assets),
        jobs=JOBS,
        schedules=[reingestion(cron or os.environ.get("TICHU_REINGEST_CRON") or MONTHLY)],
        sensors=[new_logs],
        resources={"data": data, "workers": workers, **(resources or {})},
        executor=executor,
    )


def _described(spec: dg.AssetSpec) -> dg.AssetSpec:
    """With what holds for all stages, and how fresh this one is to be."""
    scope = "month" if spec.partitions_def else "corpus"  # what a change makes it read again
    told = spec.merge_attributes(owners=OWNERS, tags={"scope": scope})
    freshness = FRESHNESS.get(spec.key.to_user_string())
    return told.replace_attributes(freshness_policy=freshness) if freshness else told
