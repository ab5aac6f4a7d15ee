"""Compiles all kernels once, for processes that start side by side: `python -m tichu_pipeline.warm_up`.

Every process that finds no compiled kernels compiles them for itself, and a test run has several. What is compiled,
and where it is kept, is told in `tichu_models.kernels`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tichu_models.arena.selfplay import warm_up
from tichu_models.arena.tournament import warm_up as warm_up_tournaments
from tichu_models.learning.data import Loader
from tichu_models.learning.sources import RoundsSource
from tichu_models.observation.specs import spec
from tichu_pipeline.analysis.monthly import months_of
from tichu_pipeline.brettspielwelt.corpus import generate
from tichu_pipeline.folders import DataPaths, month_file
from tichu_pipeline.ingest import ingest
from tichu_pipeline.scaling.gather import gather

if __name__ == "__main__":
    started = time.perf_counter()
    warm_up()
    warm_up_tournaments()
    with tempfile.TemporaryDirectory() as folder:
        paths = DataPaths(Path(folder))
        generate(paths.raw, 4, ["2024-01"], seed=1)
        ingest(paths.raw, paths)
        months_of(paths, ["2024-01"])
        gather(paths, ["2024-01"])
        source = RoundsSource([month_file(paths.rounds, "2024-01")], spec("play-376+history-1"))
        for _ in Loader(source, 64):
            pass
    print(f"kernels ready after {time.perf_counter() - started:.1f} s")
