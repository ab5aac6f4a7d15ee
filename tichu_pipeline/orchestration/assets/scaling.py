"""The stage `scaling`: constants that bring points and scores into range. The rule is in `scaling.fit`."""

import math

import dagster as dg
from pydantic import Field

from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.plots import sparkline
from tichu_pipeline.scaling.fit import VERSION, fit, load, plot_folder


class ScalingConfig(dg.Config):
    """On what the constants are fitted, and how."""

    fit_through: str | None = Field(
        None, description="last month of the window, as 2024-06; by default the one of the last fit stays"
    )
    methods: dict[str, str] = Field(default_factory=dict, description="overrides of the rule, as {'rtg': 'zscore'}")
    force: bool = Field(False, description="fit though nothing has changed")


@dg.asset(deps=[rounds_manifest], group_name="statistics", kinds={"json"}, code_version=str(VERSION), pool="scaling")
def scaling(context: dg.AssetExecutionContext, config: ScalingConfig, data: DataFolder) -> dg.MaterializeResult:
    """`scaling.json`: how trick_points, points, game_score, score_diff and RTG are clipped and scaled.

    Fitted on the training split of a declared window of months, so that a new month changes nothing that was scaled. A
    histogram and a Q-Q plot of each variable lie in `plots/scaling/`.
    """
    with retry_transient(context):
        fitted = fit(data.paths, config.fit_through, config.methods, config.force)
    variables = fitted.constants["variables"]
    rows = []
    for name, facts in variables.items():
        low, high = facts["clip"]
        rows.append((name, f"{low:g} .. {high:g}", facts["method"], f"{facts['offset']:.4g}", f"{facts['scale']:.4g}"))
    return materialized(
        fitted,
        fit_through=fitted.constants["fit"]["through"],
        score_diff=dg.MetadataValue.md(sparkline(list(variables["score_diff"]["quantiles"].values()))),
        constants=dg.MetadataValue.md(markdown.table(("variable", "clip", "method", "offset", "scale"), rows)),
        plots=dg.MetadataValue.path(plot_folder(data.paths)),
    )


@dg.asset_check(asset=scaling)
def constants_are_finite_and_ordered(data: DataFolder) -> dg.AssetCheckResult:
    """Every constant is a number, bounds and quantiles rise, and no scale is zero or negative."""
    wrong = []
    for name, facts in (load(data.paths) or {"variables": {}})["variables"].items():
        numbers = [*facts["clip"], *facts["quantiles"].values(), facts["offset"], facts["scale"], facts["sd"]]
        rising = list(facts["quantiles"].values())
        ordered = rising == sorted(rising) and facts["clip"][0] < facts["clip"][1] and facts["min"] <= facts["max"]
        if not all(math.isfinite(number) for number in numbers) or not ordered or facts["scale"] <= 0:
            wrong.append(name)
    there = load(data.paths) is not None
    return dg.AssetCheckResult(passed=there and not wrong, metadata={"wrong": ", ".join(wrong)})
