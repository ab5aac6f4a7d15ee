"""Jobs, the monthly schedule, and the sensor on the raw folder.

Schedule and sensor are stopped until a user starts them. Both compare the logs with the files made from them, without
Dagster's history, and request one run over the range of changed months. A second look at the same logs requests the
same run; if nothing has changed, the sensor requests none. Months that a failed run left undone still count as changed
and are requested again: by the sensor on the next day, by the schedule in the next month.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster import DagsterRunStatus as Run

from tichu_pipeline.analysis.build import database_stamp
from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.orchestration.assets.best_response import best_response
from tichu_pipeline.orchestration.assets.games import slow_assets
from tichu_pipeline.orchestration.assets.reviews import reviews
from tichu_pipeline.orchestration.assets.selfplay import selfplay_runs
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

# A run that was killed is started again from the stages that had not finished. `retries` repeats stages that fail.
BEGUN_AGAIN = {"dagster/max_retries": "2", "dagster/retry_strategy": "FROM_FAILURE"}

refresh = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.assets("raw_logs", "rounds", "rounds_manifest", "analysis"),
    description="Updates raw logs, rounds and the database, for the months of the run.",
    tags=BEGUN_AGAIN,
)

# Left to the jobs `selfplay`, `games`, `exploit` and `judge`: a second player that learns from self-play would take
# as long again, those who train against one player longer still, and whose decisions are judged has to be said.
SLOW = (*selfplay_runs[1:], *slow_assets, best_response, reviews)
LEFT_OUT = dg.AssetSelection.assets(*(each.key for each in SLOW))

everything = dg.define_asset_job(
    "everything",
    selection=dg.AssetSelection.all() - LEFT_OUT,
    description="Updates all stages, for the months of the run. Of the players that learn from self-play and of games, "
    "those that are quick; nobody is trained against a player, and no decisions are judged.",
    tags=BEGUN_AGAIN,
)

train = dg.define_asset_job(
    "train",
    selection=dg.AssetSelection.groups("models"),
    description="Trains all networks and compares them. A training that was killed resumes where it stopped.",
    tags=BEGUN_AGAIN,
)

selfplay = dg.define_asset_job(
    "selfplay",
    selection=dg.AssetSelection.groups("selfplay"),
    description="Trains players by self-play. A training that was killed goes on where it was.",
    tags=BEGUN_AGAIN,
)

exploit = dg.define_asset_job(
    "exploit",
    selection=dg.AssetSelection.assets(best_response.key),
    description="Trains others against a player, the champion by default, and says by how much the best one wins.",
    tags=BEGUN_AGAIN,
)

evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.assets("tournament", "evaluation", "overview"),
    description="Plays all agents against each other, and updates the page of the ladder and the overview.",
    tags=BEGUN_AGAIN,
)

judge = dg.define_asset_job(
    "judge",
    selection=dg.AssetSelection.assets(reviews.key),
    description="Judges decisions of the players and months that its config declares.",
    tags=BEGUN_AGAIN,
)

games = dg.define_asset_job(
    "games",
    selection=dg.AssetSelection.groups("games"),
    description="Counts, learns and plays the games beside Tichu, and updates their page. It needs no logs.",
    tags=BEGUN_AGAIN,
)

JOBS = [refresh, train, selfplay, exploit, evaluate, judge, games, everything]


def months_to_refresh(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The changed months. If only the database is out of date, the last month, which costs nothing to run."""
    within = set(MONTHS.get_partition_keys())
    changed = [month for month in changed_months(catalogue, paths) if month in within]
    known = [month for month in catalogue.months if month in within]
    if changed or not known or stored_stamp(paths.database) == database_stamp(paths):
        return changed
    return known[-1:]


@dg.sensor(
    job=refresh,
    minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
    description="Updates the months whose logs in the raw folder are new or have changed.",
)
def new_logs(context: dg.SensorEvaluationContext, data: DataFolder) -> dg.RunRequest | dg.SkipReason:
    """Requests one run over the months whose logs in the raw folder are new or have changed."""
    paths = data.paths
    if not paths.raw.exists():
        return dg.SkipReason(f"{paths.raw}: no such folder yet")
    for job in (refresh, everything):  # not `train`, which may take days and changes nothing here
        if context.instance.get_runs_count(dg.RunsFilter(job_name=job.name, statuses=UNFINISHED)):
            return dg.SkipReason(f"a run of {job.name} has not finished; the logs are compared again after it")
    catalogue = scan(paths.raw)
    months = months_to_refresh(catalogue, paths)
    if not months:
        return dg.SkipReason(f"all {len(catalogue.months)} months are up to date")
    stamps = "".join(month_stamp(catalogue.stamp(month)) for month in months)
    stamps += "".join(repaired_months(catalogue, paths, months))  # stamped as in the run that found them damaged
    today = datetime.now(tz=UTC).date()
    return dg.RunRequest(
        run_key=f"{hashlib.sha256(stamps.encode()).hexdigest()[:16]} {today}",
        tags=_range(months),
    )


def reingestion(cron: str = MONTHLY) -> dg.ScheduleDefinition:
    """The schedule that downloads new logs and updates what has changed, at the times of a cron expression."""

    @dg.schedule(
        job=refresh,
        cron_schedule=cron,
        execution_timezone="UTC",
        description="Downloads the portal's logs from the last stored month on, and updates what has changed.",
    )
    def reingest_logs(context: dg.ScheduleEvaluationContext, data: DataFolder) -> dg.RunRequest:
        """Requests one run that downloads logs from the last stored month on and updates what has changed.

        The last stored month is downloaded again, since it may have been stored before it was over.
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
    """The tags of a run from the first to the last of these months. Unchanged months between them cost nothing."""
    ordered = sorted(months)
    return {"dagster/asset_partition_range_start": ordered[0], "dagster/asset_partition_range_end": ordered[-1]}
