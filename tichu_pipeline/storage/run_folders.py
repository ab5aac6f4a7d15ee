"""Folders of runs: what they may be called, and that one process at a time trains into one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class RunError(Exception):
    """A run that does not exist, or cannot be started as requested."""


def check_name(name: str) -> None:
    """Fails if this cannot be the name of a run, which is that of a folder."""
    if not NAME.fullmatch(name):
        raise RunError(f"run name {name!r}: expected letters, digits, '_', '-' and '.', not more than 100")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other processes from training the run of a folder meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{folder}: another process is training it; wait for it, or choose another name") from None
    try:
        yield
    finally:
        lock.release()
