"""What a stage does when the world fails it: it waits, tries again, and says at last in plain words what is wrong.

Only what may mend itself is tried again, a TransientError or an OSError: a portal that is down, a full disk, a file in
use, a cluster without workers.
A missing folder, or a mistake in the input or in the code, ends the run at once. Whatever happens, nothing is lost:
stages write aside, and what was made or fetched before the failure is found by the next attempt.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from tichu_pipeline.storage.os_errors import TransientError, os_error_message

AGAIN = 3  # attempts after the first one
PAUSE = 120.0  # seconds before the second attempt, twice that before the third, and so on
HOPELESS = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)


@contextmanager
def retry_transient(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Around the work of a stage: lets Dagster try it again where that may help."""
    try:
        yield
    except HOPELESS as error:
        raise dg.Failure(_told(error), allow_retries=False) from error
    except (OSError, TransientError) as error:
        if context.retry_number >= AGAIN:
            description = f"{_told(error)} (after {AGAIN + 1} attempts). Nothing is lost: run it again then"
            raise dg.Failure(description, allow_retries=False) from error
        pause = float(os.environ.get("TICHU_RETRY_SECONDS") or PAUSE) * 2**context.retry_number
        context.log.warning(f"{_told(error)}. Tried again in {pause:g} s")
        raise dg.RetryRequested(max_retries=AGAIN, seconds_to_wait=pause) from error


def _told(error: Exception) -> str:
    return os_error_message(error) if isinstance(error, OSError) else str(error)
