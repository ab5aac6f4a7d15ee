"""The stage `overview`: the page that links to all others. `tichu_pipeline.status.overview` writes it."""

import dagster as dg

from tichu_pipeline.orchestration.assets.comparison import model_comparison
from tichu_pipeline.orchestration.assets.dataset import dataset
from tichu_pipeline.orchestration.assets.evaluation import evaluation
from tichu_pipeline.orchestration.assets.games import games_report
from tichu_pipeline.orchestration.assets.report import analysis_report
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.status import overview as page


@dg.asset(
    deps=[analysis_report, dataset, model_comparison, evaluation, games_report],
    group_name="evaluation",
    kinds={"html"},
    code_version=str(page.VERSION),
    pool="report",
)
def overview(context: dg.AssetExecutionContext, data: DataFolder) -> dg.MaterializeResult:
    """`reports/index.html`: the state of every stage, the main figures, their provenance, and links to all reports."""
    with retry_transient(context):
        made = page.write(data.paths)
    return materialized(made, page=dg.MetadataValue.path(made.path))
