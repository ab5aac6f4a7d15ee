"""The stage `analysis_report`: the notebook `Datenanalyse`, executed. `tichu_pipeline.analysis.notebook` does it."""

import dagster as dg
from pydantic import Field

from tichu_pipeline.analysis.notebook import VERSION, execute
from tichu_pipeline.orchestration.assets.analysis import analysis
from tichu_pipeline.orchestration.assets.scaling import scaling
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient


class ReportConfig(dg.Config):
    """Settings of the report."""

    force: bool = Field(False, description="Execute the notebook again although nothing has changed.")


@dg.asset(deps=[analysis, scaling], group_name="analysis", kinds={"jupyter"}, code_version=str(VERSION), pool="report")
def analysis_report(context: dg.AssetExecutionContext, config: ReportConfig, data: DataFolder) -> dg.MaterializeResult:
    """`reports/Datenanalyse.html`: every question of the analysis with its SQL, its answer and plots.

    It is a notebook that only reads the database. It can be opened in Jupyter as well.
    """
    with retry_transient(context):
        page = execute(data.paths, config.force)
    return materialized(page, page=dg.MetadataValue.path(page.path))


@dg.asset_check(asset=analysis_report)
def page_is_complete(data: DataFolder) -> dg.AssetCheckResult:
    """The page exists and holds plots."""
    page = data.paths.reports / "Datenanalyse.html"
    pictures = page.read_text(encoding="utf-8").count("data:image/png;base64") if page.exists() else 0
    return dg.AssetCheckResult(passed=pictures > 5, metadata={"pictures": pictures})
