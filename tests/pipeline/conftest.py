"""What all tests of the pipeline need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dagster._core.storage.defs_state.base import set_defs_state_storage


@pytest.fixture(autouse=True)
def no_instance_of_another_test() -> Iterator[None]:
    """Dagster remembers the storage of the instance that was opened last, and goes back to the one before when it is
    closed. Fixtures of modules and of tests are closed in another order: it would remember one that is gone."""
    with set_defs_state_storage(None):
        yield
