"""The asset that says which logs there are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import dagster as dg

from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.orchestration.assets.raw_logs import raw_logs
from tichu_pipeline.orchestration.resources import DataFolder

JANUARY = {"202401/2417500.tch": "Ergebnis: 100 - 0\n", "202401/2417501.tch": "Ergebnis: 95 - 5\n"}
FEBRUARY = {"202402/2417502.tch": "Ergebnis: 200 - 0\n"}


def archive(path: Path, members: dict[str, str]) -> None:
    """Writes a zip archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in members.items():
            opened.writestr(name, text)


def materialise(data: Path, first: str, last: str) -> dict[str, dg.AssetMaterialization]:
    """The asset's materialisations by month, for a range of months in a single run."""
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [raw_logs],
            instance=instance,
            resources={"data": DataFolder(root=str(data))},
            tags={"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last},
        )
    events = result.get_asset_materialization_events()
    made = [event.step_materialization_data.materialization for event in events]
    return {materialization.partition: materialization for materialization in made}


def test_the_asset_reports_each_month_by_itself(tmp_path):
    """The web UI plots the numbers of a month's own materialisation; a sum on each would be false."""
    archive(tmp_path / "raw" / "2024.zip", {**JANUARY, **FEBRUARY})
    made = materialise(tmp_path, "2024-01", "2024-03")
    rows = {month: entry.metadata["rows"].value for month, entry in made.items()}
    assert rows == {"2024-01": 2, "2024-02": 1, "2024-03": 0}
    catalogue = scan(tmp_path / "raw")
    for month, entry in made.items():
        assert entry.metadata["stamp"].value == catalogue.stamp(month)
        assert entry.metadata["bytes"].value == catalogue.month(month).bytes
        assert entry.metadata["seconds"].value >= 0


def test_the_data_version_follows_the_logs_and_nothing_else(tmp_path):
    """A version from the clock would mark everything below as stale after each look at the archives."""

    def version() -> str | None:
        made = materialise(tmp_path, "2024-01", "2024-02")
        return (made["2024-01"].tags or {}).get("dagster/data_version")

    archive(tmp_path / "raw" / "2024.zip", {**JANUARY, **FEBRUARY})
    first = version()
    archive(tmp_path / "raw" / "2024.zip", {**FEBRUARY, **JANUARY})
    assert version() == first
    archive(tmp_path / "raw" / "2024.zip", {**JANUARY, "202402/2417502.tch": "Ergebnis: 0 - 200\n"})
    assert version() != first
