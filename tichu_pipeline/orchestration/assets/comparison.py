"""The stage `model_comparison`: all runs side by side. The work is `tichu_pipeline.training.comparison`."""

import dagster as dg
import polars as pl
from pydantic import Field

from tichu_pipeline.html.markdown import table as markdown_table
from tichu_pipeline.orchestration.assets.training import training_runs
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.training.comparison import (
    PAGE,
    PICTURE,
    RUN,
    SAMPLES,
    TABLE,
    VERSION,
    ComparisonError,
    FinalTest,
    compare,
    final_test,
    networks_of,
    wide,
)
from tichu_pipeline.training.figure_names import name_of
from tichu_pipeline.training.runs import FINISHED, runs


class FinalTestConfig(dg.Config):
    """The test split is used once, at the end. Who uses it says so; it is written down beside the runs."""

    by: str = Field(default="", description="your name; without one the test split is left alone")
    why: str = Field(default="", description="what the figures are for")
    runs: list[str] = Field(default_factory=list, description="which; all finished ones if none is named")
    again: bool = Field(default=False, description="use it though it has been used before")


class ComparisonConfig(dg.Config):
    """On how many decisions networks are judged."""

    samples: int = Field(SAMPLES, description="decisions of the split, at most")
    final_test: FinalTestConfig = Field(default_factory=FinalTestConfig, description="a look at the test split")
    force: bool = Field(False, description="judge again though nothing has changed")


@dg.asset(deps=training_runs, group_name="models", kinds={"parquet"}, code_version=str(VERSION), pool="comparison")
def model_comparison(
    context: dg.AssetExecutionContext, config: ComparisonConfig, data: DataFolder
) -> dg.MaterializeResult:
    """`reports/model_comparison.html`: every run beside constant and rule-based answers, on the validation split."""
    metadata = {}
    try:
        with retry_transient(context):
            compared = compare(data.paths, config.samples, config.force, context.log.info)
        if config.final_test.by:
            wanted = FinalTest(
                config.final_test.by, config.final_test.why, config.final_test.runs, config.final_test.again
            )
            table = final_test(data.paths, wanted, config.samples, context.log.info)
            metadata["final_test"] = dg.MetadataValue.md(markdown(table))
    except ComparisonError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    paths = data.paths.reports
    return materialized(
        compared,
        figures=dg.MetadataValue.md(markdown(compared.table)),
        page=dg.MetadataValue.path(paths / PAGE),
        picture=dg.MetadataValue.path(paths / PICTURE),
        **metadata,
    )


@dg.asset_check(asset=model_comparison, blocking=True)
def runs_are_whole(data: DataFolder) -> dg.AssetCheckResult:
    """Every finished run could be judged, and none of its figures is anything but a number."""
    table = pl.read_parquet(data.paths.reports / TABLE)
    judged = set(table.filter(pl.col("kind") == RUN)["name"])
    left_out = sorted(run.name for run in runs(data.paths) if run.state == FINISHED and run.name not in judged)
    wrong = table.filter(~pl.col("value").is_finite())
    figures = ", ".join(f"{name} {figure}" for name, figure in wrong.select("name", "figure").iter_rows())
    return dg.AssetCheckResult(
        passed=not left_out and not figures,
        metadata={"runs": len(judged), "left_out": ", ".join(left_out), "no_numbers": figures},
    )


def markdown(table: object) -> str:
    """The first figures of every network, as lines."""
    lines = []
    for network in networks_of(table):  # type: ignore[arg-type]
        names, rows = wide(table, network)  # type: ignore[arg-type]
        for _, name, values in rows:
            figures = ", ".join(f"{name_of(n)} {v:.3f}" for n, v in zip(names, values, strict=True) if v is not None)
            lines.append((network, name, figures))
    return markdown_table(("network", "run", "figures"), lines)
