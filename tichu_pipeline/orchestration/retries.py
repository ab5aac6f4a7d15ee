"""Retries of a stage after errors that may go away: it waits, tries again, and finally reports the error in a line.

Such errors are TransientError and OSError: a portal that is down, a full disk, a file in use, a cluster without
workers. A missing folder, or a mistake in the input or in the code, ends the run at once. A failure loses nothing:
stages write to temporary files, and the next attempt finds what was finished or downloaded before.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from tichu_pipeline.storage.os_errors import TransientError, os_error_message

MOST_RETRIES = 3
FIRST_PAUSE = 120.0  # seconds before the first retry, doubled before each further one
PERMANENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)


@contextmanager
def retry_transient(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Wraps the work of a stage: Dagster repeats it after an error that may go away."""
    try:
        yield
    except PERMANENT as error:
        raise dg.Failure(_message(error), allow_retries=False) from error
    except (OSError, TransientError) as error:
        if context.retry_number >= MOST_RETRIES:
            description = (
                f"{_message(error)} (after {MOST_RETRIES + 1} attempts). Nothing is lost: run the stage again when "
                "this is mended"
            )
            raise dg.Failure(description, allow_retries=False) from error
        pause = float(os.environ.get("TICHU_RETRY_SECONDS") or FIRST_PAUSE) * 2**context.retry_number
        context.log.warning(f"{_message(error)}. The next attempt is in {pause:g} s")
        raise dg.RetryRequested(max_retries=MOST_RETRIES, seconds_to_wait=pause) from error


def _message(error: Exception) -> str:
    return os_error_message(error) if isinstance(error, OSError) else str(error)
