"""Compiles all kernels once, for processes that start side by side: `python -m tichu_pipeline.warm_up`.

Every process that finds no compiled kernels compiles them for itself, and a test run has several. What is compiled,
and where it is kept, is told in `tichu_models.kernels`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tichu_models.arena.selfplay import warm_up
from tichu_pipeline.brettspielwelt.corpus import generate
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.ingest import ingest

if __name__ == "__main__":
    started = time.perf_counter()
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        generate(raw, 4, ["2024-01"], seed=1)
        ingest(raw, DataPaths(Path(folder)))
    print(f"kernels ready after {time.perf_counter() - started:.1f} s")
