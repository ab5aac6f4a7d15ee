"""`python -m tichu_pipeline.training.child`: trains one network for Dagster, in a process of its own.

The request comes through Dagster Pipes, and progress and errors are reported there. The process leads a session of its
own, so that whatever it starts can be ended with it; it ends by itself when the one that started it is gone. All of
that is `reported`, which other children use too.

Loading torch and Lightning takes as long as training a small network. Called with the descriptor of a socket, the
process therefore loads everything once and forks a child for each environment that it receives (`forking`).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from errno import EIO
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.os_errors import TransientError
from tichu_pipeline.training.forking import SECONDS_BETWEEN_LOOKS, serve
from tichu_pipeline.training.runs import figures_line, main_figure
from tichu_pipeline.training.train import TrainingRequest, train_run

if TYPE_CHECKING:
    from dagster_pipes import PipesContext

REQUEST, ROOT, OBSERVED = "request", "root", "observed"  # keys of the messages
FAILED, DISTURBED, TRANSIENT = "failed", "disturbed", "transient"
SECONDS_BETWEEN_LINES = 5.0


def main() -> int:
    """Returns the exit status: 1 if the run failed for a reason that was reported."""
    return reported(_train)


def reported(train: Callable[[PipesContext], None]) -> int:
    """Opens Dagster Pipes, trains, and reports an error there. Returns the exit status."""
    from dagster_pipes import open_dagster_pipes

    server = parent_process()  # known since before the fork: it may be gone by now
    end_with(os.getppid() if server is None or server.pid is None else server.pid)
    with open_dagster_pipes() as pipes:
        try:
            train(pipes)
        except OSError as error:
            where = str(error.filename) if error.filename else None
            pipes.report_custom_message({DISTURBED: [error.errno or EIO, error.strerror or str(error), where]})
            return 1
        except TransientError as error:
            pipes.report_custom_message({TRANSIENT: str(error)})
            return 1
        except Exception as error:  # noqa: BLE001 - reported, not swallowed
            pipes.report_custom_message({FAILED: f"{type(error).__name__}: {error}"})
            return 1
    return 0


def _train(pipes: PipesContext) -> None:
    """Trains the requested network."""
    request = TrainingRequest(**pipes.get_extra(REQUEST))

    def report(epoch: int, figures: dict[str, float]) -> None:
        pipes.log.info(f"epoch {epoch}: {figures_line(request.network, figures)}")
        shown = {name: figures[name] for name in ("train_loss", *main_figure(request.network)) if name in figures}
        pipes.report_custom_message({OBSERVED: {"epoch": epoch, "val_loss": figures["val_loss"], **shown}})

    train_run(DataPaths(Path(pipes.get_extra(ROOT))), request, report, lines(pipes.log.info), replace=True)


def lines(say: Callable[[str], None]) -> Callable[[object], None]:
    """Says how far a training is, every few seconds."""
    last = time.monotonic()

    def progress(progress: object) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            say(str(progress))

    return progress


def end_with(parent: int) -> None:
    """Ends this process and what it started when its parent is gone."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        os.killpg(os.getpgid(0), signal.SIGKILL) if os.getpgid(0) == os.getpid() else os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def begin(main: Callable[[], int], preload: Callable[[], None]) -> None:
    """Runs as the child that the command line asks for: one of its own, or one that serves."""
    if len(sys.argv) == 1:
        sys.exit(main())
    socket = int(sys.argv.pop())  # popped: Lightning starts its helpers with the arguments that are left
    preload()
    serve(socket, main)


def preload() -> None:
    """Imports what every training needs. Nothing is called: a thread that ran would be missing in the children."""
    import dagster_pipes  # noqa: F401
    import matplotlib.backends.backend_agg  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401

    import tichu_models.learning.training  # noqa: F401
    import tichu_pipeline.training.judging  # noqa: F401


if __name__ == "__main__":
    begin(main, preload)
