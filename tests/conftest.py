"""What all tests share: the option for real logs, the report on them, and Hypothesis' settings."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.paths import real_log_paths

# Processes share the cores already: two of them with a thread for each core wait for each other, minutes for seconds.
# Before anything imports torch; what tests start inherits it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The first call of a kernel compiles it: no example may be judged by its time.
hypothesis.settings.register_profile("tichu", deadline=None)
hypothesis.settings.load_profile("tichu")

WITHOUT = "none: give a folder of .tch files as --real-logs DIR or TICHU_REAL_LOGS"
ROUNDS = "real_rounds"  # a test that replays real rounds says how many: record_property("real_rounds", 42)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --real-logs."""
    parser.addoption(
        "--real-logs",
        metavar="DIR",
        default=os.environ.get("TICHU_REAL_LOGS") or None,
        help="folder of real .tch files (default: the environment's TICHU_REAL_LOGS)",
    )


@pytest.fixture(scope="session")
def real_logs(request: pytest.FixtureRequest) -> list[Path]:
    """Real logs, which are no part of this project; the test is skipped without them."""
    paths = real_log_paths(request.config)
    if not paths:
        pytest.skip(f"real logs: {WITHOUT}")
    return paths


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says whether the tests on real logs meant anything."""
    paths = real_log_paths(terminalreporter.config)
    passed = terminalreporter.stats.get("passed", [])
    rounds = [value for report in passed for key, value in report.user_properties if key == ROUNDS]
    found = f"{len(paths)} files, {max(rounds, default=0)} rounds replayed" if paths else WITHOUT
    terminalreporter.write_line(f"real logs: {found}")
