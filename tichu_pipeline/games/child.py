"""`python -m tichu_pipeline.games.child`: trains one run of a game for Dagster, in a process of its own.

How requests, reports and errors travel is that of `training.child`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tichu_pipeline.games.runs import GameRunRequest, result_line
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.child import OBSERVED, REQUEST, ROOT, begin, lines, reported

if TYPE_CHECKING:
    from dagster_pipes import PipesContext


def main() -> int:
    """Returns the exit status: 1 if the run failed for a reason that was reported."""
    return reported(_train)


def _train(pipes: PipesContext) -> None:
    """Trains the requested run; every result of an evaluation is observed."""
    request, paths = GameRunRequest(**pipes.get_extra(REQUEST)), DataPaths(Path(pipes.get_extra(ROOT)))

    def evaluated(row: Mapping[str, float | str]) -> None:
        pipes.log.info(f"{row['games']:,} games: {result_line(row)}")
        pipes.report_custom_message({OBSERVED: {"games": row["games"], f"against {row['opponent']}": row["result"]}})

    train_run(paths, request, lines(pipes.log.info), evaluated, replace=True)


def preload() -> None:
    """Imports what every run needs. Nothing is called: a thread that ran would be missing in the children."""
    import dagster_pipes  # noqa: F401
    import matplotlib.backends.backend_agg  # noqa: F401
    import safetensors.numpy  # noqa: F401


if __name__ == "__main__":
    begin(main, preload)
