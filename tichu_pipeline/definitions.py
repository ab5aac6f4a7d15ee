"""Everything Dagster knows of this project, gathered. A new module in `assets` is found by itself."""

import os

import dagster as dg

from tichu_pipeline import assets
from tichu_pipeline.resources import DataFolder

everything = dg.define_asset_job(
    "everything", selection=dg.AssetSelection.all(), description="All stages for the months of the run."
)

defs = dg.Definitions(
    assets=dg.load_assets_from_package_module(assets),
    jobs=[everything],
    resources={"data": DataFolder(root=os.environ.get("TICHU_DATA") or "data")},
)
