"""Peak memory is the measured program's own."""

from __future__ import annotations

import subprocess
import sys

from tests.paths import ROOT

MEGABYTE = 1 << 20
SCRIPT = f"""
import sys
from tests.benchmarks.memory import peak_memory
ballast = b"x" * (int(sys.argv[1]) * {MEGABYTE})
del ballast
print(peak_memory() // {MEGABYTE})
"""


def peak_of_child(megabytes: int) -> int:
    """What a program says that it has held at most, which holds so many megabytes for a moment."""
    command = [sys.executable, "-c", SCRIPT, str(megabytes)]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_a_large_parent_does_not_count():
    """A benchmark that holds alone and fails within a whole run, whose process has grown by then; or one that cannot
    fail, since what it measures stays below what its parent had."""
    ballast = b"x" * (400 * MEGABYTE)
    assert peak_of_child(0) < 100
    assert 200 <= peak_of_child(200) < 300
    assert len(ballast) == 400 * MEGABYTE
