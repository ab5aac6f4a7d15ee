"""Where things lie in the checkout, for tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
SOUND_GAME = GOLDEN / "sound_game.tch"
