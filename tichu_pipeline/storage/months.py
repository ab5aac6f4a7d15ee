"""Months as text, `2024-03`, and ranges of them, `2024-01..2024-12`.

Dagster's partitions are in `orchestration.partitions`, so that commands need not load Dagster.
"""

from __future__ import annotations

import re

FIRST_MONTH = "2007-01"  # the oldest logs of the portal

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


def parse_months(text: str) -> list[str]:
    """The months of a range, both ends included. A single month is a range as well."""
    first, separator, last = text.partition("..")
    start, end = _number(first, text), _number(last if separator else first, text)
    if end < start:
        raise ValueError(f"months {text!r}: the range ends before it begins; write the earlier month first")
    return [_name(number) for number in range(start, end + 1)]


def next_month(month: str) -> str:
    return _name(_number(month, month) + 1)


def _number(month: str, text: str) -> int:
    """The month as a number of months. `text` is what the error message quotes."""
    match = _MONTH.fullmatch(month.strip())
    if match is None:
        raise ValueError(f"months {text!r}: expected a month like 2024-03 or a range like 2024-01..2024-12")
    return int(match[1]) * 12 + int(match[2]) - 1


def _name(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"
