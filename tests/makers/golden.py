"""Digests of what a stage makes from a few known games. When they change, the stage's VERSION must be raised.

tests/golden/<stage>.json holds a digest of each part of the output, for one version of the stage. Only figures are
digested, not how a file packs them, how a page looks or how long something took.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.paths import GOLDEN, SOUND_GAME
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths

MONTH = "2024-01"
GAMES = (7, 10, 21, 8)  # ids that fall into the splits train, train, validation, test
CONSTANTS = {
    "trick_points": {"offset": 0.0, "scale": 64.0, "clip": [-25.0, 100.0]},
    "points": {"offset": 0.0, "scale": 64.0, "clip": [-25.0, 125.0]},
    "game_score": {"offset": 0.0, "scale": 512.0, "clip": [-400.0, 400.0]},
    "score_cum": {"offset": 0.0, "scale": 1024.0, "clip": [-1000.0, 1000.0]},
    "score_diff": {"offset": 0.0, "scale": 256.0, "clip": [-400.0, 400.0]},
    "rtg": {"offset": 0.0, "scale": 4.0, "clip": [-4.0, 4.0]},
}


def known_games(folder: Path, games: Iterable[int] = GAMES) -> DataPaths:
    """A data folder with a month of rounds (one known game under several ids), and constants that are not fitted."""
    paths = DataPaths(folder)
    paths.raw.mkdir(parents=True)
    with zipfile.ZipFile(paths.raw / f"{MONTH[:4]}.zip", "w") as archive:
        for game in games:
            archive.write(SOUND_GAME, f"{MONTH.replace('-', '')}/{game}.tch")
    ingest(paths.raw, paths)
    variables = {
        name: {**constants, "method": "zscore", "method_from": "shape"} for name, constants in CONSTANTS.items()
    }
    constants = {"stamp": "not fitted", "fit": {"through": MONTH, "rounds": 0}, "variables": variables}
    paths.scaling.write_text(json.dumps(constants))
    return paths


def rounded(value: object) -> object:
    """The value with floating point numbers rounded, since their last digits depend on the processor."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def digest(content: object) -> str:
    """A digest, short so that differences are easy to read."""
    return hashlib.sha256(json.dumps(rounded(content), sort_keys=True, default=str).encode()).hexdigest()[:16]


def check(stage: str, module: ModuleType, digests: Mapping[str, str]) -> None:
    """Fails if a part of a stage's output differs from the digest in the golden file, or the version does."""
    path = GOLDEN / f"{stage}.json"
    kept = json.loads(path.read_text()) if path.exists() else {"version": None, "digests": {}}
    found = {"module": module.__name__, "version": module.VERSION, "digests": dict(digests)}
    changed = sorted({name for name, _ in digests.items() ^ kept["digests"].items()})
    if changed and kept["version"] == module.VERSION:
        pytest.fail(
            f"The stage {stage} now makes something else of the same input ({', '.join(changed)}). Where the test of a "
            f"stage above it fails as well, begin there. If it is meant, bump VERSION in {module.__name__}, and keep "
            f"what this test then prints in tests/golden/{path.name}."
        )
    if kept != found:
        print(json.dumps(found, indent=1))  # pytest puts nothing before its lines, so that they can be copied
    assert kept == found, f"tests/golden/{path.name} is to hold, for VERSION {module.VERSION}, what is printed below"
