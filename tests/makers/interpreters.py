"""A fresh interpreter, for tests of which packages an import loads."""

from __future__ import annotations

import subprocess
import sys

from tests.paths import ROOT


def imported_by(statement: str) -> set[str]:
    """The top-level packages that are loaded after the statement in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())
