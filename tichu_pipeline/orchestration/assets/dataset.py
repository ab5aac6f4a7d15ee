"""The stage `dataset`: shards to an HDF5 data set. The work is `tichu_pipeline.features.dataset`."""

import dagster as dg
from pydantic import Field

from tichu_pipeline.features.dataset import VERSION, make_dataset, mixed_games
from tichu_pipeline.features.filters import Filters
from tichu_pipeline.features.groups import DatasetRequest
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.features import features
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.assets.scaling import scaling
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient


class DatasetConfig(dg.Config):
    """What the data set shall be, and of which games. The defaults are those of `Order` and `Filters`."""

    name: str = Field(DatasetRequest.spec, description="of the file, features/<name>.h5")
    spec: str = Field(DatasetRequest.spec, description="which vector")
    months: str | None = Field(
        DatasetRequest.months, description="as 2024-01..2024-06; by default all that have shards"
    )
    size: int = Field(DatasetRequest.size, description="samples for training; an eighth of it for each other group")
    balance: str = Field(DatasetRequest.balance, description="of the classes: sampling, weights or none")
    drop_forced: bool = Field(DatasetRequest.drop_forced, description="leave out decisions with one legal answer")
    sample_rate: float = Field(DatasetRequest.sample_rate, description="share of the decisions that are looked at")
    seed: int = Field(DatasetRequest.seed, description="of what is drawn")
    clean_games: bool = Field(
        Filters.clean_games, description="leave out unfinished games, and those with a broken round"
    )
    no_substitutes: bool = Field(Filters.no_substitutes, description="leave out games in which somebody was replaced")
    min_rating: float | None = Field(Filters.min_rating, description="Elo of who decides, fitted through fit_through")
    fit_through: str | None = Field(Filters.fit_through, description="last month that ratings are fitted on")
    force: bool = Field(False, description="make it again though nothing has changed")


@dg.asset(
    deps=[features, rounds_manifest, scaling],
    group_name="features",
    kinds={"hdf5"},
    code_version=str(VERSION),
    pool="dataset",
)
def dataset(context: dg.AssetExecutionContext, config: DatasetConfig, data: DataFolder) -> dg.MaterializeResult:
    """`features/<name>.h5`: samples balanced by class, clipped and scaled, in groups by split."""
    filters = Filters(config.clean_games, config.no_substitutes, config.min_rating, config.fit_through)
    request = DatasetRequest(
        *(config.spec, config.months, config.size, config.balance, config.drop_forced, config.sample_rate),
        seed=config.seed,
        filters=filters,
    )
    with retry_transient(context):
        made = make_dataset(data.paths, config.name, request, config.force)
    classes = markdown.table(("class", "samples"), [(name, f"{n:,}") for name, n in made.classes.items() if n])
    return materialized(
        made,
        **made.samples,
        classes=dg.MetadataValue.md(classes),
        path=dg.MetadataValue.path(made.path),
    )


@dg.asset_check(asset=dataset, blocking=True)
def groups_are_disjoint(data: DataFolder) -> dg.AssetCheckResult:
    """No game stands in two groups of a data set."""
    files = sorted(data.paths.features.glob("*.h5"))
    wrong = mixed_games(files)
    return dg.AssetCheckResult(passed=not wrong, metadata={"files": len(files), "wrong": "\n".join(wrong[:20])})
