"""What this machine and this installation offer, and what to do where something is amiss: what `tichu doctor` answers.

Nothing heavy is imported and nothing is changed. A new examination is a function here and a line in EXAMINATIONS.
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
LEAST_FREE = 1 * GB  # below it the demo's twelve months do not fit
PLENTY_FREE = 70 * GB  # the portal's 18 years: 7 GB of archives, 5 of rounds, 27 of the database while it is built anew
LEAST_MEMORY = 4 * GB  # DuckDB takes 2 GB, a batch of rounds and the ratings come on top


class Severity(StrEnum):
    """How bad it is."""

    FINE = "fine"
    NOTE = "note"  # works, but not for everything
    FAIL = "fail"  # must be mended


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    verdict: Severity
    found: str
    remedy: str = ""


def examine(paths: DataPaths) -> list[Finding]:
    """All findings, in order."""
    return [finding for examination in EXAMINATIONS for finding in examination(paths)]


def _python(_: DataPaths) -> Iterator[Finding]:
    fine = sys.version_info >= OLDEST_PYTHON
    remedy = "" if fine else f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer, then make install"
    found = f"{platform.python_version()}, {sys.executable}"
    yield Finding("Python", Severity.FINE if fine else Severity.FAIL, found, remedy)


def _packages(_: DataPaths) -> Iterator[Finding]:
    try:
        needed = [Requirement(line) for line in importlib.metadata.requires("tichu") or []]
    except importlib.metadata.PackageNotFoundError:
        yield Finding("packages", Severity.FAIL, "tichu itself is not installed", "make install")
        return
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = [fault for one in needed if (fault := _fault(one))]
    if wrong:
        yield Finding("packages", Severity.FAIL, "; ".join(wrong), "make install")
    else:
        yield Finding("packages", Severity.FINE, f"all {len(needed)}, as pyproject.toml wants them")


def _fault(needed: Requirement) -> str:
    try:
        version = importlib.metadata.version(needed.name)
    except importlib.metadata.PackageNotFoundError:
        return f"{needed.name} is missing"
    fits = needed.specifier.contains(version, prereleases=True)
    return "" if fits else f"{needed.name} {version}, expected {needed.specifier}"


def _disk(paths: DataPaths) -> Iterator[Finding]:
    free = shutil.disk_usage(_existing(paths.root)).free
    found = f"{free / GB:,.1f} GB free for {paths.root}"
    if free < LEAST_FREE:
        yield Finding("disk", Severity.FAIL, found, "free some space, or take another folder: --data DIR, TICHU_DATA")
    elif free < PLENTY_FREE:
        remedy = f"enough for a demo; all of the portal's logs want {PLENTY_FREE // GB} GB"
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
        yield Finding("memory", Severity.NOTE, found, "give DuckDB less: tichu analyse --memory 1GB")
    else:
        yield Finding("memory", Severity.FINE, found)


def _gpu(_: DataPaths) -> Iterator[Finding]:
    names = _gpu_names()
    if not names:
        yield Finding(
            "GPU", Severity.NOTE, "none that nvidia-smi knows", "only the training of large networks wants one"
        )
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
        yield Finding("data folder", Severity.FAIL, f"{root} is no folder", "name a folder: --data DIR, or TICHU_DATA")
    elif not os.access(_existing(root), os.W_OK | os.X_OK):
        remedy = "make it writable, or name another folder: --data DIR, or TICHU_DATA"
        yield Finding("data folder", Severity.FAIL, f"{root} cannot be written", remedy)
    elif not paths.raw.is_dir():
        remedy = f"put archives into {paths.raw}, or: make demo, tichu download, tichu generate"
        yield Finding("data folder", Severity.NOTE, f"{root}, without logs", remedy)
    else:
        yield Finding("data folder", Severity.FINE, str(root))


def _dagster_home(_: DataPaths) -> Iterator[Finding]:
    told = os.environ.get("DAGSTER_HOME")
    home = Path(told or "dagster_home")
    subject = "Dagster home"
    if told and not home.is_absolute():
        remedy = f"Dagster wants an absolute path: export DAGSTER_HOME={home.absolute()}"
        yield Finding(subject, Severity.FAIL, f"{told} is relative", remedy)
    elif not home.is_dir():
        remedy = "name the project's own: export DAGSTER_HOME=$PWD/dagster_home (make ui does it by itself)"
        yield Finding(subject, Severity.FAIL if told else Severity.NOTE, f"{home.absolute()}: no such folder", remedy)
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Finding(subject, Severity.FAIL, f"{home.absolute()} cannot be written", "make it writable")
    elif not (home / "dagster.yaml").is_file():
        remedy = "copy dagster_home/dagster.yaml of this project there: pools, retries and retention are set in it"
        yield Finding(subject, Severity.NOTE, f"{home.absolute()}, without dagster.yaml", remedy)
    else:
        by_make = "" if told else " (make ui takes it; DAGSTER_HOME is not set)"
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
    """The path, or the nearest folder above it that is there."""
    path = path.absolute()
    return next(place for place in (path, *path.parents) if place.exists())
