"""The stage `scaling`: constants that clip and scale points and scores. `tichu_pipeline.scaling.fit` fits them."""

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
    """Settings of the fit."""

    fit_through: str | None = Field(
        None,
        description="Last month to fit on, as 2024-06; by default that of the last fit, at first the newest month.",
    )
    methods: dict[str, str] = Field(
        default_factory=dict,
        description="Scaling methods by variable, instead of the automatic choice, as {'rtg': 'zscore'}.",
    )
    force: bool = Field(False, description="Fit the constants again although nothing has changed.")


@dg.asset(deps=[rounds_manifest], group_name="statistics", kinds={"json"}, code_version=str(VERSION), pool="scaling")
def scaling(context: dg.AssetExecutionContext, config: ScalingConfig, data: DataFolder) -> dg.MaterializeResult:
    """`scaling.json`: the constants that clip and scale trick_points, points, game_score, score_diff and RTG.

    They are fitted on the split train of the months up to a fixed one, so that new months change nothing that has been
    scaled. `plots/scaling/` has a histogram and a Q-Q plot of each variable.
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
    """All constants are finite, bounds and quantiles are in ascending order, and scales are positive."""
    wrong = []
    for name, facts in (load(data.paths) or {"variables": {}})["variables"].items():
        numbers = [*facts["clip"], *facts["quantiles"].values(), facts["offset"], facts["scale"], facts["sd"]]
        rising = list(facts["quantiles"].values())
        ordered = rising == sorted(rising) and facts["clip"][0] < facts["clip"][1] and facts["min"] <= facts["max"]
        if not all(math.isfinite(number) for number in numbers) or not ordered or facts["scale"] <= 0:
            wrong.append(name)
    there = load(data.paths) is not None
    return dg.AssetCheckResult(passed=there and not wrong, metadata={"wrong": ", ".join(wrong)})
