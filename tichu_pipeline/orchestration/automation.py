"""What runs together, and what starts it by itself: jobs, the monthly schedule, the sensor on the raw folder.

Schedule and sensor are stopped until somebody starts them. Both look at the logs and at the files made from them,
never at Dagster's history, and ask for one run over the range of months that want it: asked twice, they ask for the
same run; where nothing has changed, the sensor asks for none. What a failed run leaves undone is still a change, and
is asked for again: by the sensor on the next day, by the schedule in the next month.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster import DagsterRunStatus as Run

from tichu_pipeline.analysis.build import database_stamp
from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.rounds.changes import changed_months, month_stamp, repaired_months
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp

MONTHLY = "0 4 5 * *"  # in UTC; by the fifth, the portal has all games of the month before
SECONDS_BETWEEN_LOOKS = 300
UNFINISHED = [Run.QUEUED, Run.NOT_STARTED, Run.STARTING, Run.STARTED, Run.CANCELING]

_MONTHLY_AND_A_FEW_DAYS = dg.FreshnessPolicy.time_window(warn_window=timedelta(days=33), fail_window=timedelta(days=40))
FRESHNESS = {"rounds": _MONTHLY_AND_A_FEW_DAYS, "analysis": _MONTHLY_AND_A_FEW_DAYS}

# A run that was killed is begun again where it was. Stages that fail are tried again by `retries`.
BEGUN_AGAIN = {"dagster/max_retries": "2", "dagster/retry_strategy": "FROM_FAILURE"}

refresh = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.assets("raw_logs", "rounds", "rounds_manifest", "analysis"),
    description="Raw logs to database, for the months of the run.",
    tags=BEGUN_AGAIN,
)

everything = dg.define_asset_job(
    "everything",
    selection=dg.AssetSelection.all(),
    description="All stages, for the months of the run.",
    tags=BEGUN_AGAIN,
)

train = dg.define_asset_job(
    "train",
    selection=dg.AssetSelection.groups("models"),
    description="All networks, and their comparison. A run that was killed goes on where it was.",
    tags=BEGUN_AGAIN,
)

evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.assets("tournament", "evaluation", "overview"),
    description="All agents against each other, the page of their ladder, and the page that leads there.",
    tags=BEGUN_AGAIN,
)

JOBS = [refresh, train, evaluate, everything]


def months_to_refresh(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The changed months; if there are none but the database is behind, the last month, which costs nothing."""
    within = set(MONTHS.get_partition_keys())
    changed = [month for month in changed_months(catalogue, paths) if month in within]
    known = [month for month in catalogue.months if month in within]
    if changed or not known or stored_stamp(paths.database) == database_stamp(paths):
        return changed
    return known[-1:]


@dg.sensor(
    job=refresh,
    minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
    description="Refreshes the months whose logs in the raw folder are new or have changed.",
)
def new_logs(context: dg.SensorEvaluationContext, data: DataFolder) -> dg.RunRequest | dg.SkipReason:
    """Refreshes the months whose logs in the raw folder are new or have changed, in one run."""
    paths = data.paths
    if not paths.raw.exists():
        return dg.SkipReason(f"{paths.raw}: no such folder yet")
    for job in (refresh, everything):  # not `train`, which may take days and changes nothing here
        if context.instance.get_runs_count(dg.RunsFilter(job_name=job.name, statuses=UNFINISHED)):
            return dg.SkipReason(f"a run of {job.name} is not finished; what it leaves is seen after it")
    catalogue = scan(paths.raw)
    months = months_to_refresh(catalogue, paths)
    if not months:
        return dg.SkipReason(f"all {len(catalogue.months)} months are up to date")
    stamps = "".join(month_stamp(catalogue.stamp(month)) for month in months)
    stamps += "".join(repaired_months(catalogue, paths, months))  # the run that read them damaged had the same stamps
    today = datetime.now(tz=UTC).date()
    return dg.RunRequest(
        run_key=f"{hashlib.sha256(stamps.encode()).hexdigest()[:16]} {today}",
        tags=_range(months),
    )


def reingestion(cron: str = MONTHLY) -> dg.ScheduleDefinition:
    """The schedule."""

    @dg.schedule(
        job=refresh,
        cron_schedule=cron,
        execution_timezone="UTC",
        description="Downloads what the portal has since the last month that is here, and refreshes what has changed.",
    )
    def reingest_logs(context: dg.ScheduleEvaluationContext, data: DataFolder) -> dg.RunRequest:
        """Downloads what the portal has since the last month that is here, and refreshes what has changed, in one run.

        The last month is asked for again: it may have been here before it was over.
        """
        paths = data.paths
        keys = MONTHS.get_partition_keys()
        catalogue = scan(paths.raw) if paths.raw.exists() else None
        known = [month for month in catalogue.months if month in set(keys)] if catalogue else []
        since = known[-1] if known else keys[0]
        changed = months_to_refresh(catalogue, paths) if catalogue else []
        return dg.RunRequest(
            run_key=context.scheduled_execution_time.isoformat(),
            run_config=dg.RunConfig(ops={"raw_logs": {"config": {"download_from": since}}}),
            tags=_range([*changed, since, keys[-1]]),
        )

    return reingest_logs


def _range(months: Iterable[str]) -> dict[str, str]:
    """The tags of one run from the first to the last of these months; unchanged ones between them cost nothing."""
    ordered = sorted(months)
    return {"dagster/asset_partition_range_start": ordered[0], "dagster/asset_partition_range_end": ordered[-1]}
