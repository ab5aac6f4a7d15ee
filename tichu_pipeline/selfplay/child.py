"""`python -m tichu_pipeline.selfplay.child`: trains one run of self-play for Dagster, in a process of its own.

How requests, reports and errors travel is that of `training.child`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tichu_models.runs.files import ITERATIONS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.selfplay.runs import SelfplayRequest, evaluation_line
from tichu_pipeline.selfplay.train import train_run
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import workers_from
from tichu_pipeline.training.child import OBSERVED, REQUEST, ROOT, begin, lines, reported

if TYPE_CHECKING:
    from dagster_pipes import PipesContext

WORKERS = "workers"  # key of a message, beside those of `training.child`
# What an evaluation shows beside its figures, of the iteration before it.
SHOWN = ("play.entropy", "play.kl", "explained.before", "explained.early", "explained.middle", "explained.late")


def main() -> int:
    """Returns the exit status: 1 if the run failed for a reason that was reported."""
    return reported(_train)


def _train(pipes: PipesContext) -> None:
    """Trains the requested run; every evaluation is observed."""
    request, paths = SelfplayRequest(**pipes.get_extra(REQUEST)), DataPaths(Path(pipes.get_extra(ROOT)))

    def evaluated(figures: dict[str, float | str]) -> None:
        pipes.log.info(evaluation_line(figures))
        learned = rows_of(paths.runs / request.run / ITERATIONS)[-1]
        more = {name: float(learned[name]) for name in SHOWN if name in learned}
        pipes.report_custom_message({OBSERVED: {**figures, **more}})

    named = pipes.get_extra(WORKERS)
    workers = workers_from(named) if named else None
    train_run(paths, request, workers, None, lines(pipes.log.info), evaluated, replace=True)


def preload() -> None:
    """Imports what every run needs. Nothing is called: a thread that ran would be missing in the children."""
    import dagster_pipes  # noqa: F401
    import matplotlib.backends.backend_agg  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401

    import tichu_models.rl.train  # noqa: F401


if __name__ == "__main__":
    begin(main, preload)
