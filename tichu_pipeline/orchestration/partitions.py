"""The monthly partitions of the asset graph."""

import os

import dagster as dg

from tichu_pipeline.storage.months import FIRST_MONTH, next_month, parse_months


def monthly(first: str, last: str | None = None) -> dg.MonthlyPartitionsDefinition:
    """The months from `first` to `last`, both included. Without `last`, up to the newest month that is over."""
    parse_months(f"{first}..{last or first}")  # fails for a malformed month, which Dagster would misread
    return dg.MonthlyPartitionsDefinition(start_date=first, end_date=next_month(last) if last else None, fmt="%Y-%m")


# With a small corpus set both variables, or the web UI shows two hundred missing months.
MONTHS = monthly(
    first=os.environ.get("TICHU_FIRST_MONTH") or FIRST_MONTH,
    last=os.environ.get("TICHU_LAST_MONTH") or None,
)
