"""The result of a stage: the same few facts, whatever it made.

A stage with more to report extends `Made`. What the web UI shows of it is `orchestration.materialized`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a stage made or reused."""

    path: Path  # the file, or the folder of several files
    stamp: str  # "" if nothing was written
    rows: int  # rounds, samples or cells of a notebook, depending on the stage
    bytes: int  # on disk
    seconds: float  # of this call
    reused: bool  # it was fresh, and was left alone
