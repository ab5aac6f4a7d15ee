"""The stage `raw_logs`: which game logs the archives hold. `brettspielwelt.archives.scan` lists them."""

import hashlib
import time
from pathlib import Path

import dagster as dg
from pydantic import Field

from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.portal.download import PortalDownError, download
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.rounds.changes import repaired_months


class RawLogsConfig(dg.Config):
    """Settings of the download."""

    download_from: str | None = Field(
        None,
        description="First month to download, as 2025-01: missing logs of the run's months from this one on are "
        "fetched from the portal. By default nothing is downloaded.",
    )
    rate: float = Field(5.0, description="Requests a second to the portal, at most.")
    attempts: int = Field(5, description="Attempts at each page of the portal.")


@dg.asset(
    partitions_def=MONTHS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="archive",
    kinds={"file"},
    code_version="1",
    pool="raw_logs",
)
def raw_logs(context: dg.AssetExecutionContext, config: RawLogsConfig, data: DataFolder) -> dg.MaterializeResult:
    """The game logs of each month, as the archives and folders in `raw/` list them.

    If `download_from` is set, missing logs are fetched from the portal first. Nothing is unpacked or copied: the stage
    reads the directories of the archives and gives each month a stamp, the digest of its logs' names, checksums and
    sizes. Later stages skip a month whose stamp they have processed before.
    """
    started = time.perf_counter()
    months = context.partition_keys
    with retry_transient(context):
        fetched = _fetch(context, config, data.paths.raw)
        catalogue = scan(data.paths.raw)
    # The archive of a year is listed once for all its months.
    share = (time.perf_counter() - started) / len(months)
    stamps = {month: catalogue.stamp(month) for month in months}
    for month in months:
        members = catalogue.month(month)
        context.add_asset_metadata(
            {"rows": len(members), "bytes": members.bytes, "seconds": share, "stamp": stamps[month]},
            partition_key=month,
        )
    for problem in catalogue.problems:
        context.log.warning(str(problem))
    # Dagster knows one data version for each run. A run over other months therefore looks like a change to later
    # stages, which find the stamps of their months unchanged and skip them. A log that could not be read and now can
    # is a change that no stamp shows.
    repaired = repaired_months(catalogue, data.paths, sorted(months))
    version = hashlib.sha256("".join([*(stamps[month] for month in sorted(stamps)), *repaired]).encode()).hexdigest()
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version), metadata={"problems": len(catalogue.problems), "fetched": fetched}
    )


def _fetch(context: dg.AssetExecutionContext, config: RawLogsConfig, raw: Path) -> int:
    """Downloads what is new; returns the number of games.

    The run fails if a month could not be finished, or if the portal has none of the months. It does not fail for a game
    that the portal lists and cannot deliver, nor for a month that the portal does not have yet.
    """
    months = [month for month in context.partition_keys if config.download_from and month >= config.download_from]
    if not months:
        return 0
    done = download(months[0], months[-1], raw, rate=config.rate, attempts=config.attempts)
    for failure in done.failed:
        context.log.warning(str(failure))
    lacking = [failure for failure in done.failed if failure.game_id is None]
    if unfinished := [failure for failure in lacking if not failure.absent or len(lacking) == len(months)]:
        raise PortalDownError(
            f"The download could not be finished: {unfinished[0]}; {done.fetched:,} games were fetched and kept. "
            "Check whether the portal can be reached"
        )
    return done.fetched


@dg.asset_check(asset=raw_logs)
def archives_readable(data: DataFolder) -> dg.AssetCheckResult:
    """Every archive and every log in it can be listed. A damaged one is left out and reported here."""
    problems = [str(problem) for problem in scan(data.paths.raw).problems]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"problems": len(problems), "first": dg.MetadataValue.md("\n".join(f"- {p}" for p in problems[:20]))},
    )
