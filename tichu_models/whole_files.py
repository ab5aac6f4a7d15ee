"""Files that appear when they are whole, or never: made beside their place, and put there at once.

Whoever is killed leaves what it was making; the next one to write into the folder removes that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from platform import node


@contextmanager
def whole_file(path: Path, durable: bool = False, tidy: bool = True) -> Iterator[Path]:
    """Where to write the file, which takes its place at the end of the block. Nothing is left if the block fails.

    A durable one is on disk before it has its name: after a power cut, an empty file may stand there otherwise. Whoever
    writes thousands into one folder removes leftovers from it himself, and not with each of them.
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
    """A small file in one go."""
    with whole_file(path, durable, tidy) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def temporary_file(path: Path) -> Path:
    """Where a file is made: beside its place, by a name that says by which process of which machine."""
    return path.with_name(f".{path.name}.{node()}.{os.getpid()}.tmp")


def remove_leftovers(folder: Path) -> None:
    """Removes what killed processes of this machine have left half written; other machines may be at work here, too."""
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
