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
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write the file, which takes its place at the end of the block. Nothing is left if the block fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    temporary = temporary_file(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_file(path: Path) -> Path:
    """Where a file is made: beside its place, by a name that says by which process of which machine."""
    return path.with_name(f".{path.name}.{node()}.{os.getpid()}.tmp")


def remove_leftovers(folder: Path) -> None:
    """Removes what killed processes of this machine have left half written; other machines may be at work here, too."""
    for leftover in folder.glob(f".*.{node()}.*.tmp"):
        owner = leftover.name.split(".")[-2]
        if not Path(f"/proc/{owner}").exists():
            leftover.unlink(missing_ok=True)
