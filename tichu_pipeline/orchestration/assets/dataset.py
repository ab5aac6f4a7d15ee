"""The stage `dataset`: shards to an HDF5 data set. `tichu_pipeline.features.dataset` does the work."""

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
    """Contents of the data set. The defaults are those of `DatasetRequest` and `Filters`."""

    name: str = Field(DatasetRequest.spec, description="Name of the file, features/<name>.h5.")
    spec: str = Field(DatasetRequest.spec, description="Spec of the vectors, such as play-375 or tichu-240.")
    months: str | None = Field(
        DatasetRequest.months, description="Months to draw from, as 2024-01..2024-06; by default all that have shards."
    )
    size: int = Field(
        DatasetRequest.size, description="Samples in the group train. Each other group has an eighth as many."
    )
    balance: str = Field(
        DatasetRequest.balance,
        description="How classes are balanced: sampling (equal numbers), weights (equal sums of weights) or none.",
    )
    drop_forced: bool = Field(DatasetRequest.drop_forced, description="Leave out decisions with one legal answer.")
    sample_rate: float = Field(DatasetRequest.sample_rate, description="Share of all decisions to draw from, 0 to 1.")
    seed: int = Field(DatasetRequest.seed, description="Seed of the random draws.")
    clean_games: bool = Field(
        Filters.clean_games, description="Leave out unfinished games and games with a broken round."
    )
    no_substitutes: bool = Field(Filters.no_substitutes, description="Leave out games in which a player was replaced.")
    min_rating: float | None = Field(
        Filters.min_rating, description="Least Elo of the player who decides. It needs fit_through."
    )
    fit_through: str | None = Field(
        Filters.fit_through, description="Last month whose games count for the ratings, as 2024-06."
    )
    force: bool = Field(False, description="Make the data set again although nothing has changed.")


@dg.asset(
    deps=[features, rounds_manifest, scaling],
    group_name="features",
    kinds={"hdf5"},
    code_version=str(VERSION),
    pool="dataset",
)
def dataset(context: dg.AssetExecutionContext, config: DatasetConfig, data: DataFolder) -> dg.MaterializeResult:
    """`features/<name>.h5`: a data set of samples, balanced by class, clipped and scaled.

    Its groups are the splits: train, validation, test and players.
    """
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
    """No game is in two groups of a data set."""
    files = sorted(data.paths.features.glob("*.h5"))
    wrong = mixed_games(files)
    return dg.AssetCheckResult(passed=not wrong, metadata={"files": len(files), "wrong": "\n".join(wrong[:20])})
