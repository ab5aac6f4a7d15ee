"""Where things lie, for tests: in the checkout, and real logs outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
SOUND_GAME = GOLDEN / "sound_game.tch"


def real_log_paths(config: pytest.Config) -> list[Path]:
    """The real logs of this run; none when no folder was given. A folder without logs is a mistake."""
    folder = config.getoption("--real-logs")
    if folder is None:
        return []
    paths = sorted(Path(folder).glob("*.tch"))
    if not paths:
        raise pytest.UsageError(f"--real-logs {folder}: expected a folder with .tch files")
    return paths
