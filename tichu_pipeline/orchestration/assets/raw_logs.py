"""The stage `raw_logs`: which game logs the archives hold. How they are listed is in `brettspielwelt.archives.scan`."""

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
    """Whether logs are fetched first."""

    download_from: str | None = Field(
        None, description="as 2025-01: fetch what the run's months from this one on lack; by default nothing"
    )
    rate: float = Field(5.0, description="requests a second to the portal, at most")
    attempts: int = Field(5, description="at each page")


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

    If the config says so, those that the portal has are fetched first. Nothing is unpacked or copied: the stage reads
    the archives' directories and gives each month a stamp, the digest of its logs' names, checksums and sizes. The
    stages below skip a month whose stamp they have seen.
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
    # Dagster knows one data version a run. A run over other months therefore looks like a change to the
    # stages below; they find their months' stamps unchanged and skip them. That a log can now be read that could not be
    # is a change, which no stamp tells.
    repaired = repaired_months(catalogue, data.paths, sorted(months))
    version = hashlib.sha256("".join([*(stamps[month] for month in sorted(stamps)), *repaired]).encode()).hexdigest()
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version), metadata={"problems": len(catalogue.problems), "fetched": fetched}
    )


def _fetch(context: dg.AssetExecutionContext, config: RawLogsConfig, raw: Path) -> int:
    """Downloads what is new; the number of games. A game that the portal lists and does not give is no failure of the
    run, nor a month that it does not have yet; a month that could not be finished is one, or none of them there."""
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
            "See whether the portal can be reached"
        )
    return done.fetched


@dg.asset_check(asset=raw_logs)
def archives_readable(data: DataFolder) -> dg.AssetCheckResult:
    """Every archive and every log in it can be listed; what cannot costs only itself."""
    problems = [str(problem) for problem in scan(data.paths.raw).problems]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"problems": len(problems), "first": dg.MetadataValue.md("\n".join(f"- {p}" for p in problems[:20]))},
    )
