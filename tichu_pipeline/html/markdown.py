"""Markdown tables for Dagster's pages, the documentation and the reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NUMBER = re.compile(r"[-+]?\d|$")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without a final line break. Columns of numbers are aligned to the right; bars in cells are escaped."""
    rows = list(rows)
    columns = zip(*rows, strict=True) if rows else [("",)] * len(headings)
    rules = ["---:" if any(column) and all(map(NUMBER.match, column)) else "---" for column in columns]
    lines = (headings, rules, *rows)
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
