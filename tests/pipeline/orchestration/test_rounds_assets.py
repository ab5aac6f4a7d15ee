"""The stages up to rounds_manifest in a real Dagster instance: what the web UI is told, month by month."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.paths import SOUND_GAME
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.assets import raw_logs, rounds
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.storage.folders import DataPaths, month_file

MONTHS = ["2024-01", "2024-02", "2024-03"]
STAGES = [raw_logs, rounds]
CHECKS = {
    "archives_readable": dg.AssetCheckSeverity.WARN,
    "rule_breaks_are_rare": dg.AssetCheckSeverity.WARN,
    "rounds_equal_the_sum_of_games": dg.AssetCheckSeverity.ERROR,
    "no_month_missing": dg.AssetCheckSeverity.WARN,
}


@pytest.fixture
def folder(tmp_path) -> Path:
    """A data folder with generated logs."""
    generate(tmp_path / "raw", 60, MONTHS, seed=4)
    return tmp_path


@pytest.fixture
def instance(tmp_path) -> Iterator[dg.DagsterInstance]:
    """An instance that keeps its events in SQLite, as the one of the web UI does."""
    (tmp_path / "dagster_home").mkdir()
    with dg.DagsterInstance.local_temp(str(tmp_path / "dagster_home")) as made:
        yield made


def run(instance: dg.DagsterInstance, data: Path, first: str, last: str, **config: bool) -> dg.ExecuteInProcessResult:
    """One run over these months, as a single-run backfill starts it."""
    return dg.materialize(
        [*dg.load_assets_from_modules(STAGES), *dg.load_asset_checks_from_modules(STAGES)],
        instance=instance,
        resources={"data": DataFolder(root=str(data)), "workers": WorkersResource(named="serial")},
        run_config={"ops": {"rounds": {"config": config}}} if config else None,
        tags={"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last},
        raise_on_error=False,
    )


def metadata(instance: dg.DagsterInstance, stage: str) -> dict[str | None, dict]:
    """The metadata of each partition's last materialisation, as the instance keeps them."""
    records = instance.fetch_materializations(dg.AssetKey([stage]), limit=100).records
    found: dict[str | None, dict] = {}
    for record in records:
        materialization = record.asset_materialization
        values = {name: entry.value for name, entry in materialization.metadata.items()}
        found.setdefault(materialization.partition, values)
    return found


def checks(result: dg.ExecuteInProcessResult) -> dict[str, tuple[bool, dg.AssetCheckSeverity]]:
    """What the checks of a run said."""
    return {e.check_name: (e.passed, e.severity) for e in result.get_asset_check_evaluations()}


def test_one_run_over_all_months_tells_of_each(folder, instance):
    """Plots by month that are empty because a value is no number, stands at the run, or is missing for some months."""
    result = run(instance, folder, MONTHS[0], "2024-04")
    assert result.success
    assert checks(result) == {name: (True, severity) for name, severity in CHECKS.items()}
    listed, read = metadata(instance, "raw_logs"), metadata(instance, "rounds")
    assert set(listed) == set(read) == {*MONTHS, "2024-04"}
    for values in read.values():
        plotted = {name for name, value in values.items() if type(value) in (int, float)}
        assert plotted >= {
            "rows", "bytes", "seconds", "files", "games", "turns", "rule_breaks", "games_per_second", "empty_files",
        }  # fmt: skip
    assert {month: values["rows"] for month, values in listed.items()} == {
        month: values["files"] for month, values in read.items()
    }
    assert [read["2024-04"][name] for name in ("rows", "files", "games_per_second")] == [0, 0, 0.0]
    assert not any(values["reused"] for values in read.values())
    manifest = metadata(instance, "rounds_manifest")[None]
    assert manifest["rows"] == sum(values["rows"] for values in read.values())
    assert (manifest["games"], manifest["months"]) == (60, 3)
    assert instance.get_runs_count() == 1


def test_a_second_run_reuses_and_says_so(folder, instance):
    """Everything below marked stale by a run that changed nothing; or a forced run that does nothing."""

    def version() -> str | None:
        event = instance.get_latest_materialization_event(dg.AssetKey(["rounds_manifest"]))
        return (event.asset_materialization.tags or {}).get("dagster/data_version")

    run(instance, folder, MONTHS[0], MONTHS[-1])
    first, written = version(), {month: values["bytes"] for month, values in metadata(instance, "rounds").items()}
    run(instance, folder, MONTHS[0], MONTHS[-1])
    assert [values["reused"] for values in metadata(instance, "rounds").values()] == [True] * 3
    assert {month: values["bytes"] for month, values in metadata(instance, "rounds").items()} == written
    assert version() == first
    run(instance, folder, MONTHS[0], MONTHS[-1], force=True)
    assert [values["reused"] for values in metadata(instance, "rounds").values()] == [False] * 3
    assert version() == first
    (folder / "raw" / "202402").mkdir()
    (folder / "raw" / "202402" / "999999.tch").write_bytes(b"")
    run(instance, folder, "2024-02", "2024-02")
    assert metadata(instance, "rounds")["2024-02"]["empty_files"] == 1
    assert version() != first


def test_checks_fail_for_what_they_are_there_for(folder, instance):
    """A check that always passes; or one that breaks down where it ought to fail."""
    with zipfile.ZipFile(folder / "raw" / "2024.zip", "a") as archive:
        text = SOUND_GAME.read_text()
        archive.writestr("202401/1.tch", text.replace("Ergebnis: ", "Ergebnis: 1"))
    (folder / "raw" / "2023.zip").write_bytes(b"")
    run(instance, folder, MONTHS[0], MONTHS[-1])
    month_file(DataPaths(folder).games, "2024-03").write_bytes(b"")
    for table in ("rounds", "games"):
        month_file(folder / table, "2024-02").unlink()
    result = run(instance, folder, "2024-01", "2024-01")
    assert result.success
    assert checks(result) == {name: (False, severity) for name, severity in CHECKS.items()}
