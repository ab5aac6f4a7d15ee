"""The stages `rounds` and `rounds_manifest`: logs to checked rounds, and one digest of all months.

`tichu_pipeline.rounds.ingest` does the work, for the command `tichu ingest` as well.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.raw_logs import raw_logs
from tichu_pipeline.orchestration.materialized import figures
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.rounds.changes import VERSION
from tichu_pipeline.rounds.ingest import IngestedMonth, ingest
from tichu_pipeline.rounds.manifest import MonthSummary, manifest, stored_summary
from tichu_pipeline.storage.folders import DataPaths, month_file, month_files, months_in
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.months import next_month

# Share of rounds that break a rule, by code, in the portal's logs of 2007-01 .. 2025-07: 22,458,253 rounds.
REFERENCE_ROUNDS = 22_458_253
REFERENCE = {60: 19_622, 31: 306, 50: 286, 21: 209, 25: 60, 12: 10, 23: 2}
WARN_ABOVE = 0.005  # of the rounds, for any one code


class RoundsConfig(dg.Config):
    """Settings of the ingest."""

    force: bool = Field(False, description="Read months again although their logs have not changed.")


@dg.asset(
    deps=[raw_logs],
    partitions_def=MONTHS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="rounds",
    kinds={"parquet"},
    code_version=str(VERSION),
    pool="rounds",
)
def rounds(
    context: dg.AssetExecutionContext, config: RoundsConfig, data: DataFolder, workers: WorkersResource
) -> dg.MaterializeResult:
    """Rounds that have been checked by the rules, as Parquet files: rounds, games, rule breaks, tricks, combinations.

    Every round is replayed in the engine. A broken round is kept with its error code, line and text. Months whose logs
    have not changed are skipped.
    """
    months = context.partition_keys
    with retry_transient(context):
        made = ingest(data.paths.raw, data.paths, months, config.force, workers.get(), _log_month(context))
    watched, by_month = workers.metadata(), {each.summary.month: each for each in made.months}
    for month in months:
        of_month = [by_month[month]] if month in by_month else []
        summary = of_month[0].summary if of_month else MonthSummary(month)
        context.add_asset_metadata(figures(*of_month) | _counts(summary, of_month) | watched, partition_key=month)
        for problem in summary.problems:
            context.log.warning(problem)
    for month in made.orphans:
        context.log.warning(f"{month}: its logs are gone; its rounds are kept as they are")
    return dg.MaterializeResult(data_version=dg.DataVersion(manifest(data.paths, months).stamp))


def _log_month(context: dg.AssetExecutionContext) -> Callable[[IngestedMonth], None]:
    return lambda month: None if month.reused else context.log.info(f"{month.summary.month}: {month.rows:,} rounds")


def _counts(summary: MonthSummary, read: Sequence[Made]) -> dict[str, int | float]:
    """The counts of a month as metadata."""
    seconds = sum(each.seconds for each in read)
    return {
        "files": summary.files,
        "games": summary.games,
        "empty_files": summary.empty,
        "not_logs": summary.unreadable,
        "unread_logs": len(summary.unread),
        "turns": summary.turns,
        "rule_breaks": sum(summary.rule_breaks.values()),
        "games_per_second": summary.games / seconds if seconds else 0.0,
    }


def _stored(paths: DataPaths) -> list[MonthSummary]:
    """The summaries of all stored months."""
    return [stored_summary(paths, month) for month in months_in(paths.rounds)]


@dg.asset_check(asset=rounds)
def rule_breaks_are_rare(data: DataFolder) -> dg.AssetCheckResult:
    """No kind of rule break occurs in more than 0.5% of the rounds. The table compares them with the portal's logs."""
    stored = _stored(data.paths)
    total = sum(summary.rounds for summary in stored)
    codes = Counter[int]()
    for summary in stored:
        codes.update({int(code): count for code, count in summary.rule_breaks.items()})
    codes -= Counter({RuleBreak.SYNTAX: codes[1], RuleBreak.TRUNCATED: codes[2]})  # fragments are no rounds
    rows = []
    for code, count in sorted(codes.items()):
        reference = REFERENCE.get(code, 0) * 1e6 / REFERENCE_ROUNDS
        rows.append((RuleBreak(code).name, f"{count:,}", f"{count * 1e6 / max(total, 1):,.1f}", f"{reference:,.1f}"))
    shares = markdown.table(("code", "rounds", "in a million rounds", "on the portal"), rows)
    return dg.AssetCheckResult(
        passed=all(count <= WARN_ABOVE * total for count in codes.values()),
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"shares": dg.MetadataValue.md(shares), "rounds": total},
    )


@dg.asset_check(asset=rounds)
def rounds_equal_the_sum_of_games(data: DataFolder) -> dg.AssetCheckResult:
    """In every month the table of rounds has as many rows as its games have rounds."""
    wrong = []
    for path in month_files(data.paths.rounds):
        try:
            games = pq.read_table(month_file(data.paths.games, path.stem), columns=["num_rounds"])["num_rounds"]
            if sum(games.to_pylist()) != pq.read_metadata(path).num_rows:
                wrong.append(path.stem)
        except (OSError, pa.ArrowInvalid) as error:
            wrong.append(f"{path.stem} ({error})")
    return dg.AssetCheckResult(
        passed=not wrong, severity=dg.AssetCheckSeverity.ERROR, metadata={"months": ", ".join(wrong)}
    )


@dg.asset(deps=[rounds], group_name="rounds", kinds={"parquet"}, code_version="1")
def rounds_manifest(data: DataFolder) -> dg.MaterializeResult:
    """All months of rounds together: one digest, on which every stage that reads all months depends."""
    started = time.perf_counter()
    whole = manifest(data.paths)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(whole.stamp),
        metadata={
            "rows": whole.rounds,
            "games": whole.games,
            "months": len(whole.months),
            "bytes": whole.bytes,
            "seconds": time.perf_counter() - started,
        },
    )


@dg.asset_check(asset=rounds_manifest)
def no_month_missing(data: DataFolder) -> dg.AssetCheckResult:
    """No month is missing between the first and the last one."""
    months = manifest(data.paths).months
    missing, month = [], months[0] if months else ""
    while months and month < months[-1]:
        month = next_month(month)
        if month not in months:
            missing.append(month)
    return dg.AssetCheckResult(
        passed=not missing, severity=dg.AssetCheckSeverity.WARN, metadata={"missing": ", ".join(missing)}
    )
