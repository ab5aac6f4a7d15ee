"""Checks of this machine and this installation, with remedies, for `tichu doctor`.

Nothing heavy is imported and nothing is changed. A new check is a function here and a line in EXAMINATIONS.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packaging.requirements import Requirement

from tichu_pipeline.storage.folders import DataPaths

OLDEST_PYTHON = (3, 11)
GB = 10**9
LEAST_FREE = 1 * GB  # the demo's twelve months need it
PLENTY_FREE = 70 * GB  # the portal's 18 years: 7 GB of archives, 5 of rounds, 27 of the database and its replacement
LEAST_MEMORY = 4 * GB  # 2 GB for DuckDB, the rest for a batch of rounds and the ratings
ANOTHER_FOLDER = "choose another folder with --data DIR or TICHU_DATA"


class Severity(StrEnum):
    """How serious a finding is."""

    FINE = "fine"
    NOTE = "note"  # enough for some uses
    FAIL = "fail"  # has to be fixed


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    subject: str
    verdict: Severity
    found: str
    remedy: str = ""


def examine(paths: DataPaths) -> list[Finding]:
    """The findings of all checks, in order."""
    return [finding for examination in EXAMINATIONS for finding in examination(paths)]


def _python(_: DataPaths) -> Iterator[Finding]:
    fine = sys.version_info >= OLDEST_PYTHON
    remedy = "" if fine else f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer, then run make install"
    found = f"{platform.python_version()}, {sys.executable}"
    yield Finding("Python", Severity.FINE if fine else Severity.FAIL, found, remedy)


def _packages(_: DataPaths) -> Iterator[Finding]:
    try:
        needed = [Requirement(line) for line in importlib.metadata.requires("tichu") or []]
    except importlib.metadata.PackageNotFoundError:
        yield Finding("packages", Severity.FAIL, "tichu itself is not installed", "run make install")
        return
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = [fault for one in needed if (fault := _fault(one))]
    if wrong:
        yield Finding("packages", Severity.FAIL, "; ".join(wrong), "run make install")
    else:
        yield Finding("packages", Severity.FINE, f"all {len(needed)} that pyproject.toml requires")


def _fault(needed: Requirement) -> str:
    """What is wrong with an installed package; empty if nothing is."""
    try:
        version = importlib.metadata.version(needed.name)
    except importlib.metadata.PackageNotFoundError:
        return f"{needed.name} is missing"
    fits = needed.specifier.contains(version, prereleases=True)
    return "" if fits else f"{needed.name} {version} is installed, {needed.specifier} is required"


def _disk(paths: DataPaths) -> Iterator[Finding]:
    free = shutil.disk_usage(_existing(paths.root)).free
    found = f"{free / GB:,.1f} GB free for {paths.root}"
    if free < LEAST_FREE:
        yield Finding("disk", Severity.FAIL, found, f"free some space, or {ANOTHER_FOLDER}")
    elif free < PLENTY_FREE:
        remedy = f"nothing for the demo; all logs of the portal need {PLENTY_FREE // GB} GB"
        yield Finding("disk", Severity.NOTE, found, remedy)
    else:
        yield Finding("disk", Severity.FINE, found)


def _cores(_: DataPaths) -> Iterator[Finding]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Finding("cores", Severity.FINE, str(usable))


def _memory(_: DataPaths) -> Iterator[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    found = f"{memory / GB:,.1f} GB"
    if memory < LEAST_MEMORY:
        yield Finding("memory", Severity.NOTE, found, "build the database with less: tichu analyse --memory 1GB")
    else:
        yield Finding("memory", Severity.FINE, found)


def _gpu(_: DataPaths) -> Iterator[Finding]:
    names = _gpu_names()
    if not names:
        yield Finding("GPU", Severity.NOTE, "nvidia-smi finds none", "nothing, unless you train large networks")
        return
    try:
        torch = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        torch = ""
    if "+cpu" in torch:
        remedy = "install torch with CUDA, see https://pytorch.org/get-started/locally"
        yield Finding("GPU", Severity.NOTE, f"{names}; torch {torch} does not use it", remedy)
    else:
        yield Finding("GPU", Severity.FINE, names)


def _gpu_names() -> str:
    command = shutil.which("nvidia-smi")
    if command is None:
        return ""
    query = [command, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return "; ".join(done.stdout.split("\n")).strip("; ")


def _data_folder(paths: DataPaths) -> Iterator[Finding]:
    root = paths.root.absolute()
    if root.exists() and not root.is_dir():
        yield Finding("data folder", Severity.FAIL, f"{root} is not a folder", ANOTHER_FOLDER)
    elif not os.access(_existing(root), os.W_OK | os.X_OK):
        remedy = f"make it writable, or {ANOTHER_FOLDER}"
        yield Finding("data folder", Severity.FAIL, f"{root} cannot be written", remedy)
    elif not paths.raw.is_dir():
        remedy = f"run make demo, tichu download or tichu generate, or put archives into {paths.raw}"
        yield Finding("data folder", Severity.NOTE, f"{root} has no logs yet", remedy)
    else:
        yield Finding("data folder", Severity.FINE, str(root))


def _dagster_home(_: DataPaths) -> Iterator[Finding]:
    variable = os.environ.get("DAGSTER_HOME")
    home = Path(variable or "dagster_home")
    subject = "Dagster home"
    if variable and not home.is_absolute():
        remedy = f"use an absolute path: export DAGSTER_HOME={home.absolute()}"
        yield Finding(subject, Severity.FAIL, f"DAGSTER_HOME={variable} is a relative path", remedy)
    elif not home.is_dir():
        remedy = "use the project's: export DAGSTER_HOME=$PWD/dagster_home (make ui does so by itself)"
        severity = Severity.FAIL if variable else Severity.NOTE
        yield Finding(subject, severity, f"{home.absolute()}: no such folder", remedy)
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Finding(subject, Severity.FAIL, f"{home.absolute()} cannot be written", "make it writable")
    elif not (home / "dagster.yaml").is_file():
        remedy = "copy dagster_home/dagster.yaml of this project there; it sets pools, retries and retention"
        yield Finding(subject, Severity.NOTE, f"{home.absolute()} has no dagster.yaml", remedy)
    else:
        by_make = "" if variable else " (make ui uses it; DAGSTER_HOME is not set)"
        yield Finding(subject, Severity.FINE, f"{home.absolute()}{by_make}")


EXAMINATIONS: tuple[Callable[[DataPaths], Iterator[Finding]], ...] = (
    _python,
    _packages,
    _disk,
    _cores,
    _memory,
    _gpu,
    _data_folder,
    _dagster_home,
)


def _existing(path: Path) -> Path:
    """The path, or its nearest parent that exists."""
    path = path.absolute()
    return next(place for place in (path, *path.parents) if place.exists())
