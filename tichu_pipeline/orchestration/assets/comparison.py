"""The stage `model_comparison`: all runs side by side. `tichu_pipeline.training.comparison` does the work."""

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
    compared_runs,
    final_test,
    networks_of,
    wide,
)
from tichu_pipeline.training.figure_names import name_of


class FinalTestConfig(dg.Config):
    """A use of the test split, which is recorded beside the runs. It is meant to be used once, at the end."""

    by: str = Field(default="", description="Your name. Without a name the test split is not used.")
    why: str = Field(default="", description="What the figures are needed for.")
    runs: list[str] = Field(default_factory=list, description="Names of runs; by default all finished ones.")
    again: bool = Field(default=False, description="Use the test split although it has been used before.")


class ComparisonConfig(dg.Config):
    """Settings of the comparison."""

    samples: int = Field(SAMPLES, description="Decisions that each network is judged on, at most.")
    final_test: FinalTestConfig = Field(
        default_factory=FinalTestConfig,
        description="Judge runs on the test split as well. It is meant to be used once, at the end.",
    )
    force: bool = Field(False, description="Judge all networks again although nothing has changed.")


@dg.asset(deps=training_runs, group_name="models", kinds={"parquet"}, code_version=str(VERSION), pool="comparison")
def model_comparison(
    context: dg.AssetExecutionContext, config: ComparisonConfig, data: DataFolder
) -> dg.MaterializeResult:
    """`reports/model_comparison.html`: the figures of every finished run on the validation split, with baselines.

    The baselines are constant answers and the rules of thumb of the heuristic player.
    """
    metadata = {}
    try:
        with retry_transient(context):
            compared = compare(data.paths, config.samples, config.force, context.log.info)
        if config.final_test.by:
            asked = config.final_test
            use = FinalTest(asked.by, asked.why, asked.runs, asked.again)
            table = final_test(data.paths, use, config.samples, context.log.info)
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
    """Every finished run has been judged, and all figures are finite numbers."""
    table = pl.read_parquet(data.paths.reports / TABLE)
    judged = set(table.filter(pl.col("kind") == RUN)["name"])
    left_out = sorted(run.name for run in compared_runs(data.paths) if run.name not in judged)
    wrong = table.filter(~pl.col("value").is_finite())
    figures = ", ".join(f"{name} {figure}" for name, figure in wrong.select("name", "figure").iter_rows())
    return dg.AssetCheckResult(
        passed=not left_out and not figures,
        metadata={"runs": len(judged), "left_out": ", ".join(left_out), "no_numbers": figures},
    )


def markdown(table: object) -> str:
    """The main figures of each run and baseline as a Markdown table."""
    lines = []
    for network in networks_of(table):  # type: ignore[arg-type]
        names, rows = wide(table, network)  # type: ignore[arg-type]
        for _, name, values in rows:
            figures = ", ".join(f"{name_of(n)} {v:.3f}" for n, v in zip(names, values, strict=True) if v is not None)
            lines.append((network, name, figures))
    return markdown_table(("network", "run", "figures"), lines)
