"""The stage `analysis`: the DuckDB file that SQL users read. How it is built is in `tichu_pipeline.analysis`."""

import dagster as dg
import pyarrow.parquet as pq
from pydantic import Field

from tichu_pipeline.analysis.build import MEMORY, VERSION, build
from tichu_pipeline.analysis.reading import DatabaseError, batches, reader, table, value
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.plots import sparkline
from tichu_pipeline.rounds.manifest import manifest, stored_summary
from tichu_pipeline.storage.folders import DataPaths, month_files


class AnalysisConfig(dg.Config):
    """How the database is built."""

    force: bool = Field(False, description="build it though nothing has changed")
    memory: str = Field(MEMORY, description="for DuckDB; what does not fit goes to data/tmp")


@dg.asset(deps=[rounds_manifest], group_name="analysis", kinds={"duckdb"}, code_version=str(VERSION), pool="database")
def analysis(context: dg.AssetExecutionContext, config: AnalysisConfig, data: DataFolder) -> dg.MaterializeResult:
    """`tichu.duckdb`: games, rounds, players, tricks, ratings of all months, for SQL.

    Built aside and swapped in: readers never wait, nor see a half. `tichu queries` lists the questions that have an
    answer ready, `tichu sql` takes any other. Unchanged months make no new database.
    """
    with retry_transient(context):
        made = build(data.paths, config.force, config.memory, context.log.info)
    rounds = [stored_summary(data.paths, month).rounds for month in made.months]
    return materialized(
        made,
        rounds_per_second=0.0 if made.reused else made.rows / made.seconds,
        rounds_by_month=dg.MetadataValue.md(sparkline(rounds)),
        tables=dg.MetadataValue.md(_tables(made.tables)),
        path=dg.MetadataValue.path(made.path),
    )


def _tables(rows: dict[str, int]) -> str:
    return markdown.table(("table", "rows"), [(name, f"{count:,}") for name, count in rows.items()])


@dg.asset_check(asset=analysis)
def database_equals_the_parquet(data: DataFolder) -> dg.AssetCheckResult:
    """Games, rounds, turns and tricks are those of the Parquet files."""
    months = manifest(data.paths).months
    summaries = [stored_summary(data.paths, month) for month in months]
    expected = {
        "games": _parquet_rows(data.paths, "games"),
        "rounds": _parquet_rows(data.paths, "rounds"),
        "tricks": _parquet_rows(data.paths, "tricks"),
        "turns": sum(summary.turns for summary in summaries),
    }
    found = {name: _whole(data.paths, f"SELECT count(*) FROM {name}") for name in ("games", "rounds", "tricks")}
    found["turns"] = _whole(data.paths, "SELECT sum(num_turns) FROM rounds")
    return dg.AssetCheckResult(
        passed=found == expected,
        metadata={name: f"{found[name]:,} of {expected[name]:,}" for name in expected},
    )


def _parquet_rows(paths: DataPaths, name: str) -> int:
    return sum(pq.read_metadata(file).num_rows for file in month_files(paths.root / name))


def _whole(paths: DataPaths, sql: str) -> int:
    return int(str(value(paths, sql) or 0))


@dg.asset_check(asset=analysis)
def every_month_is_in(data: DataFolder) -> dg.AssetCheckResult:
    """Every month that has rounds in Parquet has games in the database."""
    sql = "SELECT DISTINCT format('{:04d}-{:02d}', year, month) AS month FROM rounds"
    found = set(table(data.paths, sql)["month"].to_pylist())
    missing = [
        month
        for month in manifest(data.paths).months
        if month not in found and stored_summary(data.paths, month).rounds > 0
    ]
    return dg.AssetCheckResult(passed=not missing, metadata={"missing": ", ".join(missing), "months": len(found)})


@dg.asset_check(asset=analysis)
def every_query_answers(data: DataFolder) -> dg.AssetCheckResult:
    """Each query that `tichu queries` lists runs, and returns rows."""
    failed = []
    with reader(data.paths) as connection:
        for query in queries():
            try:
                rows = batches(connection, query.sql).read_all().num_rows
            except DatabaseError as error:
                failed.append(f"- {query.name}: {error}")
                continue
            if rows == 0:
                failed.append(f"- {query.name}: no rows")
    return dg.AssetCheckResult(
        passed=not failed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"failed": dg.MetadataValue.md("\n".join(failed))},
    )


@dg.asset_check(asset=analysis)
def scores_are_plausible(data: DataFolder) -> dg.AssetCheckResult:
    """In sound rounds both scores are multiples of five, and without what calls brought they make 100 or 200."""
    implausible = _whole(
        data.paths,
        """
        WITH calls AS (
            SELECT game_id, round_index, sum(CASE WHEN call_made THEN 100 ELSE -100 END * call) AS bonus
            FROM players_rounds
            WHERE call > 0 AND rule_break = 0
            GROUP BY game_id, round_index
        )
        SELECT count(*)
        FROM rounds LEFT JOIN calls USING (game_id, round_index)
        WHERE rule_break = 0 AND NOT (
            score_20 % 5 = 0 AND score_31 % 5 = 0
            AND score_20 + score_31 - coalesce(bonus, 0) = CASE WHEN is_double_victory THEN 200 ELSE 100 END
        )
        """,
    )
    return dg.AssetCheckResult(passed=implausible == 0, metadata={"rounds": implausible})
