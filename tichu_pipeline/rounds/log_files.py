"""Finds and reads the logs that a person names: files, folders, zips of them. `inspect` and `review` take these.

A file that cannot be read is yielded without its content, and `report` is called with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tichu_pipeline.brettspielwelt.archives.inflate import BUFFER_BYTES, Chunk, chunk_of, file_content, inflate
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT, printable
from tichu_pipeline.brettspielwelt.archives.scan import archived_logs

LONGEST_ID = 18  # digits of a game id

Report = Callable[[str], None]  # called with the reason why a file could not be read


@dataclass(frozen=True)
class LogFile:
    """A log that was named, or found in a folder or archive."""

    stem: str  # its name without the suffix: the game's id
    file: str  # its path, printable; in an archive with the name of the member
    content: Chunk | None  # until the next log is read; None if it cannot be read


def game_id_of(stem: str) -> int | None:
    """The id of a game by the name of its log; None if that is no id."""
    return int(stem) if stem.isascii() and stem.isdecimal() and len(stem) <= LONGEST_ID else None


def logs_in(paths: list[Path], report: Report) -> Iterator[LogFile]:
    """The logs in the order of the paths; in a folder by name, in an archive in the order of its directory."""
    for path in paths:
        if path.is_dir():
            for file in _files_below(path, report):
                yield from _of_file(file, report)
        elif path.exists():
            yield from _of_file(path, report)
        else:
            report(f"{printable(str(path))}: there is no such file; expected .tch files, folders or zips of them")


def _files_below(folder: Path, report: Report) -> Iterator[Path]:
    """The logs and archives below a folder, sorted."""

    def failed(error: OSError) -> None:
        report(f"{printable(error.filename)}: it cannot be read ({error.strerror}); see that you may read it")

    for place, below, names in os.walk(folder, onerror=failed):
        below.sort()
        for name in sorted(names, key=lambda name: (len(name), name)):  # ids in numerical order
            if Path(name).suffix.lower() in (".tch", ".zip"):
                yield Path(place, name)


def _of_file(path: Path, report: Report) -> Iterator[LogFile]:
    name = printable(str(path))
    if path.suffix.lower() == ".zip":
        yield from _of_archive(path, name, report)
        return
    try:
        content = file_content(path.resolve(), SIZE_LIMIT)
    except OSError as error:
        report(
            f"{name}: it cannot be read ({error.strerror or error}); expected a .tch file, a folder or a zip of them"
        )
        yield LogFile(path.stem, name, None)
        return
    if len(content) > SIZE_LIMIT:
        report(f"{name}: it has more than {SIZE_LIMIT:,} bytes, far more than a log; see what it is")
        yield LogFile(path.stem, name, None)
        return
    yield LogFile(path.stem, name, chunk_of(content))


def _of_archive(path: Path, name: str, report: Report) -> Iterator[LogFile]:
    members, problems = archived_logs(path)
    for problem in problems:
        file = f"{name}:{problem.member}" if problem.member else name
        report(f"{file}: {problem.reason}; {problem.remedy}")
        yield LogFile(Path(problem.member).stem, file, None)
    buffer = np.empty(BUFFER_BYTES, dtype=np.uint8)
    for i in range(len(members)):
        log, file = inflate(members[i : i + 1], buffer), f"{name}:{members.member(i)}"
        for problem in log.problems if len(log) == 0 else ():
            report(f"{file}: {problem.reason}; {problem.remedy}")
        yield LogFile(str(members.game_ids[i]), file, log if len(log) else None)
