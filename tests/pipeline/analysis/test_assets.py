"""The stages `analysis`, `scaling` and `analysis_report` as Dagster runs them, and what their checks notice."""

from __future__ import annotations

import json

import dagster as dg
import duckdb
import pytest

from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.assets import analysis as stage
from tichu_pipeline.orchestration.assets import report as report_stage
from tichu_pipeline.orchestration.assets import scaling as scaling_stage
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths

CHECKS = [
    stage.database_equals_the_parquet,
    stage.every_month_is_in,
    stage.every_query_answers,
    stage.scores_are_plausible,
    scaling_stage.constants_are_finite_and_ordered,
    report_stage.page_is_complete,
]


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Ingested months."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    generate(made.raw, 50, ["2024-01", "2024-02"], seed=31)
    ingest(made.raw, made)
    return made


def run(paths: DataPaths) -> dict[str, dict]:
    """Metadata of the stages after one run of them, and what their checks say."""
    assets = [rounds_manifest, stage.analysis, scaling_stage.scaling, report_stage.analysis_report]
    with dg.DagsterInstance.ephemeral() as instance:
        selection = dg.AssetSelection.assets(*assets)
        job = dg.define_asset_job("job", selection)
        definitions = dg.Definitions(
            assets=assets, asset_checks=CHECKS, jobs=[job], resources={"data": DataFolder(root=str(paths.root))}
        )
        result = definitions.resolve_job_def("job").execute_in_process(instance=instance)
        found = {}
        for event in result.get_asset_materialization_events():
            made = event.step_materialization_data.materialization
            found[made.asset_key.to_user_string()] = {key: entry.value for key, entry in made.metadata.items()}
        found["checks"] = {check.check_name: check.passed for check in result.get_asset_check_evaluations()}
    return found


def test_stages_run_and_are_not_run_twice(paths):
    """A stage without rows, bytes or seconds in the demo's table; a second run that takes as long as the first."""
    first, second = run(paths), run(paths)
    for found, reused in ((first, False), (second, True)):
        for name in ("analysis", "scaling", "analysis_report"):
            assert found[name]["rows"] > 0
            assert found[name]["bytes"] > 0
            assert found[name]["seconds"] >= 0
            assert found[name]["reused"] is reused
        assert found["checks"] == {check.check_specs_by_output_name["result"].name: True for check in CHECKS}
    assert "data:image/svg+xml" in first["analysis"]["rounds_by_month"]
    page = (paths.reports / "Datenanalyse.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64") >= 12
    assert "08_double_victories" in page
    assert [path.name for path in paths.reports.iterdir()] == ["Datenanalyse.html"]


def test_checks_notice_what_is_wrong(paths, tmp_path):
    """A check that is always green."""
    broken = DataPaths(tmp_path)
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (broken.root / name).symlink_to(paths.root / name)
    broken.database.write_bytes(paths.database.read_bytes())
    with duckdb.connect(broken.database) as connection:
        connection.execute("UPDATE rounds SET score_20 = score_20 + 5 WHERE round_index = 0")
        connection.execute("DELETE FROM rounds WHERE month = 2")
        connection.execute("DROP TABLE combination_stats")
    constants = json.loads(paths.scaling.read_text())
    constants["variables"]["rtg"]["clip"].reverse()
    broken.scaling.write_text(json.dumps(constants))
    data = DataFolder(root=str(broken.root))
    assert [bool(check(data).passed) for check in CHECKS] == [False] * len(CHECKS)
