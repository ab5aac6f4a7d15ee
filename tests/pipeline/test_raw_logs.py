"""The stamps of months, and the asset that publishes them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import dagster as dg
import pytest

from tichu_pipeline.assets.raw_logs import raw_logs
from tichu_pipeline.resources import DataFolder
from tichu_pipeline.stamps import month_stamps

JANUARY = {"202401/2417500.tch": "Ergebnis: 100 - 0\n", "202401/2417501.tch": "Ergebnis: 95 - 5\n"}
FEBRUARY = {"202402/2417502.tch": "Ergebnis: 200 - 0\n"}
INDEX = {"202401/index.html": "<a href='2417500.tch'>"}


def archive(path: Path, members: dict[str, str]) -> None:
    """Writes a zip archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in members.items():
            opened.writestr(name, text)


def stamp(raw: Path, members: dict[str, str]):
    """The stamp of January in a fresh yearly archive."""
    archive(raw / "2024.zip", members)
    return month_stamps(raw, ["2024-01"])["2024-01"]


def test_stamp_counts_the_logs_of_its_month_alone(tmp_path):
    """Index pages and other months in the same archive would make a month look larger than it is."""
    found = stamp(tmp_path, {**INDEX, **JANUARY, **FEBRUARY})
    assert (found.files, found.bytes) == (2, sum(map(len, JANUARY.values())))


def test_stamp_does_not_know_the_order_of_members(tmp_path):
    """A repacked archive would be ingested again although no log has changed."""
    assert stamp(tmp_path, JANUARY) == stamp(tmp_path, dict(reversed(JANUARY.items())))


@pytest.mark.parametrize(
    "changed",
    [
        {**JANUARY, "202401/2417501.tch": "Ergebnis: 5 - 95\n"},  # same size, other text
        {**JANUARY, "202401/2417503.tch": "Ergebnis: 95 - 5\n"},
        {"202401/2417500.tch": JANUARY["202401/2417500.tch"]},
        {"202401/2417500.tch": "Ergebnis: 100 - 0\n", "202401/2417509.tch": "Ergebnis: 95 - 5\n"},
    ],
    ids=["edited", "added", "removed", "renamed"],
)
def test_stamp_changes_with_any_log(tmp_path, changed):
    """A changed log with an unchanged stamp would stay unread for ever."""
    assert stamp(tmp_path, JANUARY).digest != stamp(tmp_path, changed).digest


def test_other_months_leave_the_stamp_alone(tmp_path):
    """One new log in a yearly archive would have all twelve months read again."""
    assert stamp(tmp_path, JANUARY) == stamp(tmp_path, {**FEBRUARY, **JANUARY})


def test_monthly_archives_are_read_like_yearly_ones(tmp_path):
    """Moving logs from a yearly archive into monthly ones must not look like a change, nor hide them."""
    yearly = stamp(tmp_path / "a", JANUARY)
    archive(tmp_path / "b" / "2024" / "202401.zip", JANUARY)
    archive(tmp_path / "c" / "2024" / "202401.zip", {Path(name).name: text for name, text in JANUARY.items()})
    for raw in (tmp_path / "b", tmp_path / "c"):
        assert month_stamps(raw, ["2024-01"]) == {"2024-01": yearly}


def test_a_log_in_two_archives_counts_once(tmp_path):
    """A month downloaded on top of a yearly archive would count its games twice."""
    archive(tmp_path / "2024" / "202401.zip", JANUARY)
    assert stamp(tmp_path, JANUARY).files == 2


def test_a_broken_archive_is_named(tmp_path):
    """`File is not a zip file` alone would leave the user to search among two hundred archives."""
    (tmp_path / "2024.zip").write_text("<html>503</html>")
    with pytest.raises(ValueError, match=r"2024\.zip: expected a zip archive"):
        month_stamps(tmp_path, ["2024-01"])


def test_a_log_without_month_is_named(tmp_path):
    """A log at the top of a yearly archive belongs to no month; dropping it silently would lose a game."""
    with pytest.raises(ValueError, match=r"2024\.zip: 1\.tch tells no month"):
        stamp(tmp_path, {"1.tch": ""})


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
    for month, expected in month_stamps(tmp_path / "raw", list(made)).items():
        assert made[month].metadata["stamp"].value == expected.digest
        assert made[month].metadata["bytes"].value == expected.bytes
        assert made[month].metadata["seconds"].value >= 0


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
