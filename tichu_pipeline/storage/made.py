"""What a stage gives back: the same few facts of whatever it made.

A stage with more to tell extends `Made` by fields of its own. What of it the web UI shows is
`orchestration.materialized`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a stage made, or found up to date."""

    path: Path  # the file; the folder if there are several
    stamp: str  # of what it was made of; "" if nothing was written
    rows: int  # of what the stage counts: rounds, samples, cells of a notebook
    bytes: int  # on disk
    seconds: float  # that this call took
    reused: bool  # it was up to date, and left alone
