"""When a stage's version has to be bumped: its output on a fixed game is kept in tests/golden."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT
from tichu_pipeline.analysis import build as building
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling import fit as fitting
from tichu_pipeline.storage.folders import DataPaths

GOLDEN = ROOT / "tests" / "golden" / "analysis.json"
TRAINING_GAME = 7  # of the split train


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A month that holds one known game."""
    made = DataPaths(tmp_path_factory.mktemp("golden"))
    made.raw.mkdir()
    with zipfile.ZipFile(made.raw / "2024.zip", "w") as archive:
        archive.write(ROOT / "tests" / "golden" / "sound_game.tch", f"202401/{TRAINING_GAME}.tch")
    ingest(made.raw, made)
    return made


def rounded(value: object) -> object:
    """Without the last digits of floating point numbers, which processors may see differently."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list) else value


def digest(content: object) -> str:
    """Short, so that a difference is easy to read."""
    return hashlib.sha256(json.dumps(rounded(content), sort_keys=True, default=str).encode()).hexdigest()[:16]


def test_outputs_change_only_with_their_version(paths):
    """Old databases and constants that count as up to date, though the code now makes others."""
    made = building.build(paths)
    tables = {
        name: digest(table(paths, f"FROM {name} ORDER BY ALL").to_pylist()) for name in made.tables if name != "about"
    }
    constants = fitting.fit(paths).constants
    found = {
        "analysis": {"version": building.VERSION, "tables": tables},
        "scaling": {"version": fitting.VERSION, "variables": digest(constants["variables"])},
    }
    assert found == json.loads(Path(GOLDEN).read_text()), (
        "The output of a stage has changed: bump its VERSION and keep the new output in tests/golden/analysis.json:\n"
        + json.dumps(found, indent=1)
    )


def test_questions_stay_where_they_are():
    """A renamed query breaks scripts and pages that call it by its name."""
    names = [query.name for query in queries()]
    assert len(set(names)) == len(names) == 37
    assert names[0] == "01_totals"
    assert names[-1] == "37_ratings"
