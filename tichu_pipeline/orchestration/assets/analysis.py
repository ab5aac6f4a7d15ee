"""The stage `analysis`: the DuckDB database that SQL users read. `tichu_pipeline.analysis` builds it."""

import dagster as dg
import pyarrow.parquet as pq
from pydantic import Field

from tichu_pipeline.analysis.build import MEMORY, VERSION, build
from tichu_pipeline.analysis.reading import DatabaseError, batches, reader, table, unanswerable, value
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
    """Settings of the build."""

    force: bool = Field(False, description="Build the database again although no month has changed.")
    memory: str = Field(MEMORY, description="Memory limit of DuckDB. What does not fit is spilled to data/tmp.")


@dg.asset(deps=[rounds_manifest], group_name="analysis", kinds={"duckdb"}, code_version=str(VERSION), pool="database")
def analysis(context: dg.AssetExecutionContext, config: AnalysisConfig, data: DataFolder) -> dg.MaterializeResult:
    """`tichu.duckdb`: the games, rounds, tricks, players, ratings, tournaments and reviews of all months,
    for SQL.

    The database is built in a temporary file, which then replaces the old one: readers never wait and never see half a
    database. `tichu queries` lists questions with ready-made SQL, and `tichu sql` runs any other statement. If no month
    has changed, the database is left as it is.
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
    """The database has as many games, rounds, turns and tricks as the Parquet files."""
    months = manifest(data.paths).months
    summaries = [stored_summary(data.paths, month) for month in months]
    expected = {
        "games": _parquet_rows(data.paths, "games"),
        "rounds": _parquet_rows(data.paths, "rounds"),
        "tricks": _parquet_rows(data.paths, "tricks"),
        "turns": sum(summary.turns for summary in summaries),
    }
    counted = {name: _whole(data.paths, f"SELECT count(*) FROM {name}") for name in ("games", "rounds", "tricks")}
    counted["turns"] = _whole(data.paths, "SELECT sum(num_turns) FROM rounds")
    return dg.AssetCheckResult(
        passed=counted == expected,
        metadata={name: f"{counted[name]:,} of {expected[name]:,}" for name in expected},
    )


def _parquet_rows(paths: DataPaths, name: str) -> int:
    return sum(pq.read_metadata(file).num_rows for file in month_files(paths.root / name))


def _whole(paths: DataPaths, sql: str) -> int:
    """The first value of a result as an integer."""
    return int(str(value(paths, sql) or 0))


@dg.asset_check(asset=analysis)
def every_month_is_in(data: DataFolder) -> dg.AssetCheckResult:
    """Every month that has rounds in Parquet has rounds in the database."""
    sql = "SELECT DISTINCT format('{:04d}-{:02d}', year, month) AS month FROM rounds"
    present = set(table(data.paths, sql)["month"].to_pylist())
    missing = [
        month
        for month in manifest(data.paths).months
        if month not in present and stored_summary(data.paths, month).rounds > 0
    ]
    return dg.AssetCheckResult(passed=not missing, metadata={"missing": ", ".join(missing), "months": len(present)})


@dg.asset_check(asset=analysis)
def every_query_answers(data: DataFolder) -> dg.AssetCheckResult:
    """Every query that `tichu queries` lists runs and returns rows. Those about reviews need not before decisions have
    been judged."""
    failed, waiting = [], []
    with reader(data.paths) as connection:
        for query in queries():
            try:
                rows = batches(connection, query.sql).read_all().num_rows
            except DatabaseError as error:
                failed.append(f"- {query.name}: {error}")
                continue
            if rows == 0 and unanswerable(connection, query):
                waiting.append(query.name)
            elif rows == 0:
                failed.append(f"- {query.name}: no rows")
    return dg.AssetCheckResult(
        passed=not failed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"failed": dg.MetadataValue.md("\n".join(failed)), "waiting": ", ".join(waiting) or "none"},
    )


@dg.asset_check(asset=analysis)
def scores_are_plausible(data: DataFolder) -> dg.AssetCheckResult:
    """In sound rounds both scores are multiples of 5. Without the points for calls their sum is 100, or 200 after a
    double victory."""
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
