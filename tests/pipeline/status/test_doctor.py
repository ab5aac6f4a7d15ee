"""What `tichu doctor` finds where something is amiss, and that it says what to do."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.paths import ROOT
from tichu_pipeline.cli import app
from tichu_pipeline.status import doctor
from tichu_pipeline.status.doctor import Finding, Severity, examine
from tichu_pipeline.storage.folders import DataPaths


@pytest.fixture
def data(tmp_path, monkeypatch) -> DataPaths:
    """A data folder and a Dagster home without fault."""
    (tmp_path / "raw").mkdir()
    (tmp_path / "home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", tmp_path / "home")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    return DataPaths(tmp_path)


def found(data: DataPaths, subject: str) -> Finding:
    """What is found of one subject."""
    return next(finding for finding in examine(data) if finding.subject == subject)


def test_a_sound_machine_passes(data):
    """A doctor that is never content is not asked again."""
    findings = examine(data)
    assert [finding.subject for finding in findings] == [
        "Python", "packages", "disk", "cores", "memory", "GPU", "data folder", "Dagster home",
    ]  # fmt: skip
    assert not [finding for finding in findings if finding.verdict is Severity.FAIL]
    assert all(finding.remedy for finding in findings if finding.verdict is not Severity.FINE)


def test_packages_missing_or_of_the_wrong_version(data, monkeypatch):
    """A library that was updated by hand, and errors nobody connects with it."""
    wanted = ["numba>=999", "no-such-package>=1", "torch; extra == 'gpu'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: wanted)
    finding = found(data, "packages")
    assert finding.verdict is Severity.FAIL
    assert "numba" in finding.found
    assert "no-such-package is missing" in finding.found
    assert "torch" not in finding.found


def test_a_full_disk(data, monkeypatch):
    """A demo that dies of a full disk after ten minutes."""
    monkeypatch.setattr(doctor, "LEAST_FREE", 10**18)
    assert found(data, "disk").verdict is Severity.FAIL
    assert "--data" in found(data, "disk").remedy


@pytest.mark.parametrize(
    ("home", "verdict", "said"),
    [
        ("relative/home", Severity.FAIL, "export DAGSTER_HOME=/"),
        ("/no/such/home", Severity.FAIL, "dagster_home"),
        ("{tmp}", Severity.NOTE, "copy dagster_home/dagster.yaml"),
    ],
)
def test_dagster_homes(data, monkeypatch, home, verdict, said):
    """Runs that vanish in a temporary home, or an error deep in Dagster."""
    monkeypatch.setenv("DAGSTER_HOME", home.format(tmp=data.root))
    finding = found(data, "Dagster home")
    assert (finding.verdict, said in finding.remedy) == (verdict, True)


def test_a_data_folder_that_is_a_file(data, tmp_path):
    """An error from the depth of a library at the first write."""
    (tmp_path / "file").touch()
    assert found(DataPaths(tmp_path / "file"), "data folder").verdict is Severity.FAIL
    assert found(DataPaths(tmp_path / "new" / "below"), "data folder").verdict is Severity.NOTE


def test_a_gpu_that_torch_does_not_use(data, tmp_path, monkeypatch):
    """A night of training on one core beside an idle GPU."""
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA H100, 81559 MiB'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "2.14.0+cpu")
    finding = next(doctor._gpu(data))
    assert finding.verdict is Severity.NOTE
    assert "NVIDIA H100, 81559 MiB" in finding.found
    assert "CUDA" in finding.remedy


def test_the_command(data, monkeypatch):
    """A script that relies on the exit status, and a wrong one."""
    answer = CliRunner().invoke(app, ["doctor", "--data", str(data.root), "--json"])
    assert answer.exit_code == 0
    assert set(json.loads(answer.stdout)[0]) == {"subject", "verdict", "found", "remedy"}
    monkeypatch.setenv("DAGSTER_HOME", "relative")
    shown = CliRunner().invoke(app, ["doctor", "--data", str(data.root)], env={"COLUMNS": "200"})
    assert shown.exit_code == 1
    assert f"export DAGSTER_HOME={Path('relative').absolute()}" in shown.stdout
