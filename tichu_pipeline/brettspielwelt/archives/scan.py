"""Lists the raw folder: yearly and monthly zips and folders of .tch files, in any mixture.

`scan` reads only the directories of archives and of the disk, and loose logs for their checksums. It writes nothing.
The month of a log is that of its folder YYYYMM, else of its archive YYYYMM.zip, else `catalogue` finds it. `inflate`
reads the logs.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePath

import numpy as np

from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue, build_catalogue
from tichu_pipeline.brettspielwelt.archives.index_pages import INDEX
from tichu_pipeline.brettspielwelt.archives.inflate import file_content
from tichu_pipeline.brettspielwelt.archives.listing import (
    GAME_FILE,
    MAC_FOLDER,
    NOT_A_LOG,
    OTHER_ARCHIVES,
    SPECIAL,
    IndexPage,
    Listing,
    list_archive,
    month_of,
    read_pages,
    too_large,
)
from tichu_pipeline.brettspielwelt.archives.members import MEMBER, SIZE_LIMIT, LogSource, Members, Problem, printable
from tichu_pipeline.brettspielwelt.archives.zip_directory import STORED
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, State, Survey, missing, span

UNFINISHED = ".part"  # suffix of the folder of a month whose download is not finished


def scan(raw: Path, limit: int = SIZE_LIMIT) -> Catalogue:
    """The catalogue of the raw folder, or of one archive. Logs of more bytes than the limit are left out, and never
    inflated."""
    if not raw.exists():
        raise FileNotFoundError(f"{raw}: there is no such folder; fetch or generate logs first")
    listing = Listing(limit)
    if raw.is_file():
        list_archive(listing, raw, raw.name)
    else:
        _walk(listing, raw)
    return build_catalogue(_members(listing), read_pages(listing), listing.problems)


def catalogue_of(paths: DataPaths) -> Catalogue | None:
    """The catalogue of a data folder's raw folder; None if there is no such folder."""
    return scan(paths.raw) if paths.raw.exists() else None


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `raw_logs`, which is fresh if there are any logs."""
    raw, catalogue = survey.paths.raw, survey.once(catalogue_of)
    if catalogue is None or not catalogue.months:
        return missing("raw_logs", f"no logs in {raw}; put archives there, or: tichu download, tichu generate")
    size = sum(path.stat().st_size for path in raw.rglob("*") if path.is_file())
    problems = len(catalogue.problems)
    notes = (f"{problems:,} problems of archives or logs, which ingest names",) if problems else ()
    there = f"{span(catalogue.months)}, {len(catalogue):,} logs"
    return Standing("raw_logs", State.FRESH, there, size, notes)


def archived_logs(path: Path, limit: int = SIZE_LIMIT) -> tuple[Members, list[Problem]]:
    """The logs of one archive in the order of its directory, whatever their months, and the problems of others."""
    listing = Listing(limit)
    list_archive(listing, path, path.name)
    return _members(listing), listing.problems


def _members(listing: Listing) -> Members:
    return Members(np.frombuffer(listing.rows, MEMBER), tuple(listing.sources), tuple(listing.folders))


def _walk(listing: Listing, raw: Path) -> None:
    """Lists every folder below. A loop rather than recursion, since folders may be nested to any depth."""
    waiting = [raw]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as unsorted:
                entries = sorted(unsorted, key=lambda entry: entry.name)
        except OSError as error:
            listing.unreadable(printable(folder.relative_to(raw).as_posix()), "", error)
            continue
        waiting += reversed(_list_folder(listing, raw, folder, entries))


def _list_folder(listing: Listing, raw: Path, folder: Path, entries: Sequence[os.DirEntry[str]]) -> list[Path]:
    """Adds the files of a folder; returns its subfolders, which are still to be listed."""
    source = LogSource(folder, printable(folder.relative_to(raw).as_posix()), archive=False)
    month = month_of([raw.resolve().name, *source.label.split("/")])
    above = "" if folder == raw else f"{source.label}/"
    logs: list[os.DirEntry[str]] = []
    below: list[Path] = []
    for entry in entries:
        label, suffix = above + printable(entry.name), PurePath(entry.name).suffix.lower()
        if entry.name.startswith(".") or entry.name == MAC_FOLDER:
            continue
        if entry.is_dir(follow_symlinks=False):
            if suffix != UNFINISHED:
                below.append(folder / entry.name)
        elif suffix == ".tch":
            logs.append(entry)
        elif not entry.is_file(follow_symlinks=False):
            listing.problem("special file", label, "", *SPECIAL)
        elif suffix == ".zip":
            list_archive(listing, folder / entry.name, label)
        elif entry.name == INDEX and month:
            listing.pages.append(IndexPage(month, source, INDEX.encode(), None))
        elif suffix in OTHER_ARCHIVES:
            listing.problem("unreadable", label, "", "of archives only zips are read", "pack it as a zip")
    if logs:
        _list_loose_logs(listing, source, month, logs)
    return below


def _list_loose_logs(listing: Listing, source: LogSource, month: int, logs: Sequence[os.DirEntry[str]]) -> None:
    """Adds the logs of a folder. They are read for their checksums."""
    number = len(listing.sources)
    listing.sources.append(source)
    rows = []
    for entry in logs:
        game = GAME_FILE.fullmatch(entry.name)
        if not entry.is_file(follow_symlinks=False):
            listing.problem("special file", source.label, printable(entry.name), *SPECIAL)
            continue
        if game is None:
            listing.problem("not a log", source.label, printable(entry.name), *NOT_A_LOG)
            continue
        try:
            mtime_ns = entry.stat(follow_symlinks=False).st_mtime_ns
            content = file_content(Path(entry.path), listing.limit)
        except OSError as error:
            listing.unreadable(source.label, entry.name, error)
            continue
        size = len(content)
        if size > listing.limit:
            listing.problem("too large", source.label, entry.name, *too_large(listing.limit))
            continue
        rows.append((int(game[1]), 0, mtime_ns, month, number, 0, zlib.crc32(content), size, size, STORED))
    listing.rows += np.array(rows, MEMBER).tobytes()
