"""The partitions of the asset graph: one a month. How months are written and counted is in `months`."""

import os

import dagster as dg

from tichu_pipeline.storage.months import FIRST_MONTH, next_month, parse_months


def monthly(first: str, last: str | None = None) -> dg.MonthlyPartitionsDefinition:
    """The months from `first` to `last`, both included; without a last one, to the newest that is over."""
    parse_months(f"{first}..{last or first}")  # Dagster would take a malformed month for some other one
    return dg.MonthlyPartitionsDefinition(start_date=first, end_date=next_month(last) if last else None, fmt="%Y-%m")


# A small corpus sets these: the web UI would show two hundred missing months otherwise.
MONTHS = monthly(
    first=os.environ.get("TICHU_FIRST_MONTH") or FIRST_MONTH,
    last=os.environ.get("TICHU_LAST_MONTH") or None,
)
