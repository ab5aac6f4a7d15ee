"""The stage `raw_logs`: which game logs the archives hold. How they are listed is in `brettspielwelt.archives`."""

import hashlib
import time

import dagster as dg

from tichu_pipeline.brettspielwelt.archives import scan
from tichu_pipeline.partitions import MONTHS
from tichu_pipeline.resources import DataFolder


@dg.asset(partitions_def=MONTHS, backfill_policy=dg.BackfillPolicy.single_run(), group_name="archive")
def raw_logs(context: dg.AssetExecutionContext, data: DataFolder) -> dg.MaterializeResult:
    """The game logs of each month, as the archives and folders in `raw/` list them.

    Nothing is unpacked or copied: the stage reads the archives' directories and gives each month a stamp, the
    digest of its logs' names, checksums and sizes. The stages below skip a month whose stamp they have seen.
    """
    started = time.perf_counter()
    catalogue = scan(data.paths.raw)
    months = context.partition_keys
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
    # stages below; they find their months' stamps unchanged and skip them.
    version = hashlib.sha256("".join(stamps[month] for month in sorted(stamps)).encode()).hexdigest()
    return dg.MaterializeResult(data_version=dg.DataVersion(version), metadata={"problems": len(catalogue.problems)})


@dg.asset_check(asset=raw_logs)
def archives_readable(data: DataFolder) -> dg.AssetCheckResult:
    """Every archive and every log in it can be listed; what cannot costs only itself."""
    problems = [str(problem) for problem in scan(data.paths.raw).problems]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"problems": len(problems), "first": dg.MetadataValue.md("\n".join(f"- {p}" for p in problems[:20]))},
    )
