"""Whole files: they appear complete or not at all, because they are written under another name and then renamed.

A killed process leaves its temporary file; the next one that writes into the folder removes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from platform import node


@contextmanager
def whole_file(path: Path, durable: bool = False, tidy: bool = True) -> Iterator[Path]:
    """A temporary path to write to; at the end of the block it is renamed to `path`, or removed if the block fails.

    A durable file is on disk before it is renamed; otherwise a power cut may leave an empty file. A caller that writes
    thousands of files into one folder removes leftovers itself, once, and says `tidy=False`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if tidy:
        remove_leftovers(path.parent)
    temporary = temporary_file(path)
    try:
        yield temporary
        if durable:
            _sync(temporary)
        temporary.replace(path)
        if durable:
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | str, durable: bool = False, tidy: bool = True) -> None:
    """Writes a whole file from its content."""
    with whole_file(path, durable, tidy) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def temporary_file(path: Path) -> Path:
    """The path that a file is written to: beside its own, named after the process and its machine."""
    return path.with_name(f".{path.name}.{node()}.{os.getpid()}.tmp")


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files of killed processes of this machine. Other machines may be writing here, too."""
    for leftover in folder.glob(f".*.{node()}.*.tmp"):
        owner = leftover.name.split(".")[-2]
        if not Path(f"/proc/{owner}").exists():
            leftover.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
