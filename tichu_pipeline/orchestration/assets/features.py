"""The stage `features`: rounds to shards of packed samples. `tichu_pipeline.features.shards` does the work."""

from collections import defaultdict
from collections.abc import Callable

import dagster as dg
import numpy as np
import pyarrow.parquet as pq
from pydantic import Field

from tichu_models.observation.specs import SPEC_OF_KIND, Spec, spec
from tichu_models.records.stored import splits_of
from tichu_pipeline.features.shards import VERSION, Shard, make_shards
from tichu_pipeline.orchestration.assets.rounds import rounds
from tichu_pipeline.orchestration.materialized import figures
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.rounds.manifest import manifest
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files
from tichu_pipeline.storage.months import parse_months

MONTHS_BY_DEFAULT = 12


class FeaturesConfig(dg.Config):
    """Which shards to make. All months of the portal take some 20 GB for each spec; networks can be trained from rounds
    instead."""

    specs: list[str] = Field(
        default_factory=lambda: list(SPEC_OF_KIND.values()),
        description="Specs to make shards of, such as play-375; by default one for each kind of decision.",
    )
    window: str | None = Field(
        None, description="Months to make shards of, as 2024-01..2024-12; by default the last twelve months of rounds."
    )
    force: bool = Field(False, description="Make shards again although their rounds have not changed.")


@dg.asset(
    deps=[rounds],
    partitions_def=MONTHS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="features",
    kinds={"parquet"},
    code_version=str(VERSION),
    pool="features",
)
def features(
    context: dg.AssetExecutionContext, config: FeaturesConfig, data: DataFolder, workers: WorkersResource
) -> dg.MaterializeResult:
    """`features/<spec>/<month>.parquet`: every decision as a packed vector with its label and values.

    Shards hold facts only: scaling, weights and filters are applied when shards are loaded. Months outside the window
    get no shards, and months that have not changed are skipped.
    """
    window = declared_window(data.paths, config.window)
    chosen = [spec(name) for name in config.specs]
    watched, made = workers.metadata(), defaultdict[str, list[Shard]](list)
    for each in chosen:
        months = [month for month in context.partition_keys if month in window]
        with retry_transient(context):
            shards = make_shards(data.paths, each, months, config.force, workers.get(), _log_shard(context, each))
        for shard in shards:
            made[shard.month].append(shard)
    for month in context.partition_keys:
        shards = made[month]
        more = {"specs": len(shards), "in_window": month in window}
        context.add_asset_metadata(figures(*shards) | more | watched, partition_key=month)
    version = manifest(data.paths, window).stamp + "".join(each.digest for each in chosen)
    return dg.MaterializeResult(data_version=dg.DataVersion(version))


def _log_shard(context: dg.AssetExecutionContext, read: Spec) -> Callable[[Shard], None]:
    def log(shard: Shard) -> None:
        if not shard.reused:
            context.log.info(f"{read.name}, {shard.month}: {shard.rows:,} samples")

    return log


def declared_window(paths: DataPaths, window: str | None) -> list[str]:
    """The months of rounds that get shards."""
    there = manifest(paths).months
    return [month for month in there if month in parse_months(window)] if window else there[-MONTHS_BY_DEFAULT:]


@dg.asset_check(asset=features, blocking=True)
def every_game_is_in_one_split(data: DataFolder) -> dg.AssetCheckResult:
    """All samples of a game have the same split, the one that follows from the game's id and its players."""
    wrong, games = [], 0
    for name in sorted(path.name for path in data.paths.features.glob("*") if path.is_dir()):
        for path in month_files(data.paths.features / name):
            table = pq.read_table(path, columns=["round", "split"])
            month = pq.read_table(month_file(data.paths.rounds, path.stem), columns=["game_id", "player_names"])
            expected = splits_of(month)[table["round"].to_numpy()]
            games += len(np.unique(month["game_id"].to_numpy()))
            if not np.array_equal(expected, table["split"].to_numpy()):
                wrong.append(f"{name} {path.stem}")
    return dg.AssetCheckResult(passed=not wrong, metadata={"games": games, "wrong": ", ".join(wrong)})


@dg.asset_check(asset=features)
def shards_are_small(data: DataFolder) -> dg.AssetCheckResult:
    """A sample of play-375 takes at most 20 bytes."""
    files = month_files(data.paths.features / "play-375")
    samples = sum(pq.read_metadata(path).num_rows for path in files)
    size = sum(path.stat().st_size for path in files)
    return dg.AssetCheckResult(
        passed=size <= 20 * samples + 100_000 * len(files),  # a file's metadata and dictionaries
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"bytes_a_sample": size / max(samples, 1)},
    )
