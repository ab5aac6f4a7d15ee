"""The stage `raw_logs`: which game logs the archives hold. How they are listed is in `stamps`."""

import hashlib
import time

import dagster as dg

from tichu_pipeline.partitions import MONTHS
from tichu_pipeline.resources import DataFolder
from tichu_pipeline.stamps import month_stamps


@dg.asset(partitions_def=MONTHS, backfill_policy=dg.BackfillPolicy.single_run(), group_name="archive")
def raw_logs(context: dg.AssetExecutionContext, data: DataFolder) -> dg.MaterializeResult:
    """The game logs of each month, as the archives in `raw/` list them.

    Nothing is unpacked or copied: the stage reads the archives' directories and gives each month a stamp, the
    digest of its logs' names, checksums and sizes. The stages below skip a month whose stamp they have seen.
    """
    started = time.perf_counter()
    stamps = month_stamps(data.paths.raw, context.partition_keys)
    # The archive of a year is listed once for all its months.
    share = (time.perf_counter() - started) / len(stamps)
    for month, stamp in stamps.items():
        context.add_asset_metadata(
            {"rows": stamp.files, "bytes": stamp.bytes, "seconds": share, "stamp": stamp.digest},
            partition_key=month,
        )
    # Dagster knows one data version a run. A run over other months therefore looks like a change to the
    # stages below; they find their months' stamps unchanged and skip them.
    version = hashlib.sha256("".join(stamps[month].digest for month in sorted(stamps)).encode()).hexdigest()
    return dg.MaterializeResult(data_version=dg.DataVersion(version))
