"""Months as text, and the partitions made of them."""

from __future__ import annotations

import pytest

from tichu_pipeline.orchestration.partitions import monthly
from tichu_pipeline.storage.months import next_month, parse_months


def test_a_range_holds_both_ends_and_crosses_years():
    """A range that loses its last month, or stops at December, would leave months out without a word."""
    assert parse_months("2023-11..2024-02") == ["2023-11", "2023-12", "2024-01", "2024-02"]
    assert parse_months("2024-03") == ["2024-03"]
    assert len(parse_months("2007-01..2025-07")) == 223


@pytest.mark.parametrize("text", ["", "2024", "2024-13", "2024-1", "24-01", "2024-01..", "..2024-01", "202401"])
def test_a_malformed_month_is_named(text):
    """A month read as some other month would be fetched, or generated, in good faith."""
    with pytest.raises(ValueError, match=r"expected a month like 2024-03 or a range"):
        parse_months(text)


def test_a_range_backwards_is_refused():
    """A range that runs backwards would be empty, and an empty run looks like a successful one."""
    with pytest.raises(ValueError, match="ends before it begins"):
        parse_months("2024-12..2024-01")


def test_next_month_crosses_the_year():
    """December's successor decides where a partition set ends."""
    assert next_month("2024-12") == "2025-01"


def test_partitions_are_named_like_the_files():
    """A partition key unlike the months in file names would make every stage look in the wrong place."""
    assert monthly("2024-01", "2024-12").get_partition_keys() == parse_months("2024-01..2024-12")


def test_partitions_go_on_without_a_last_month():
    """A fixed end would hide the months that the portal adds."""
    keys = monthly("2007-01").get_partition_keys()
    assert keys[0] == "2007-01"
    assert "2026-01" in keys


def test_partitions_refuse_a_malformed_month():
    """Dagster reads some malformed dates as others; the web UI would then show years of missing months."""
    with pytest.raises(ValueError, match="expected a month"):
        monthly("2024-13")
    with pytest.raises(ValueError, match="ends before it begins"):
        monthly("2024-02", "2024-01")
