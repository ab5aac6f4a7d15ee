"""Logs that cannot be read, for a while or until somebody repairs them: what ingest keeps, and when it looks again."""

from __future__ import annotations

import errno
import os
import zipfile
from pathlib import Path

import pytest

from tests.makers.portals import LOG
from tests.oracles.reading import digests
from tichu_pipeline.brettspielwelt.archives import inflate
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.rounds.changes import changed_months, repaired_months
from tichu_pipeline.rounds.ingest import Ingested, IngestedMonth, ingest, ingest_month
from tichu_pipeline.rounds.manifest import manifest
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Threads

MONTH = "2024-01"


@pytest.fixture
def paths(tmp_path) -> DataPaths:
    """A data folder with the archive of one month, two games."""
    paths = DataPaths(tmp_path)
    paths.raw.mkdir()
    with zipfile.ZipFile(archive(paths), "w", zipfile.ZIP_DEFLATED) as made:
        for game in (1, 2):
            made.writestr(f"202401/{game}.tch", LOG)
    return paths


def archive(paths: DataPaths) -> Path:
    """The archive."""
    return paths.raw / "202401.zip"


def damage(paths: DataPaths) -> bytes:
    """Flips a byte of the first game; returns the archive as it was, whose directory is the same."""
    whole = archive(paths).read_bytes()
    archive(paths).write_bytes(whole[:400] + bytes([whole[400] ^ 0x10]) + whole[401:])
    return whole


def read(paths: DataPaths, force: bool = False) -> Ingested:
    """Ingest in this process, whose system calls tests can make fail."""
    return ingest(paths.raw, paths, force=force, workers=Threads(1))


def only(made: Ingested) -> IngestedMonth:
    """The one month."""
    (month,) = made.months
    return month


def changed(paths: DataPaths) -> tuple[list[str], list[str]]:
    """The months that are to be read again, and those of them that were repaired."""
    catalogue = scan(paths.raw)
    return changed_months(catalogue, paths), repaired_months(catalogue, paths, catalogue.months)


def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a disk fail."""

    def pread(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(inflate.os, "pread", pread)


def test_a_repaired_archive_is_read_again(paths):
    """A game lost for good, because the archive that was fetched again has the directory of the damaged one; or a
    damaged month read again and again though nobody has repaired it."""
    whole = damage(paths)
    first = only(read(paths))
    assert (first.summary.files, first.summary.games, first.summary.unread) == (2, 1, [1])
    assert "202401/1.tch" in first.summary.problems[0]
    stamp, stored = manifest(paths).stamp, digests(paths.root)
    os.utime(archive(paths), (1, 1))
    again = only(read(paths))
    assert (again.reused, again.summary.unread, again.summary.problems) == (True, [1], first.summary.problems)
    read(paths, force=True)
    assert digests(paths.root) == stored
    assert changed(paths) == ([], [])
    archive(paths).write_bytes(whole)
    assert changed(paths) == ([MONTH], [MONTH])
    assert {stage.stage: stage.stale_months for stage in status(paths)}["rounds"] == (MONTH,)
    repaired = only(read(paths))
    summary = repaired.summary
    assert (repaired.reused, summary.games, summary.unread, summary.problems) == (False, 2, [], [])
    assert manifest(paths).stamp != stamp
    assert changed(paths) == ([], [])


def test_a_copy_elsewhere_repairs_too(paths):
    """A game that stays lost though a whole copy of its log was laid beside the damaged archive."""
    damage(paths)
    assert only(read(paths)).summary.games == 1
    (paths.raw / "202401").mkdir()
    (paths.raw / "202401" / "1.tch").write_bytes(LOG)
    assert only(read(paths)).summary.games == 2


def test_an_archive_that_changes_while_it_is_read(paths):
    """A month of no games that counts as done, because its archive was touched after it had been listed."""
    catalogue = scan(paths.raw)
    os.utime(archive(paths), (1, 1))
    left = ingest_month(catalogue.month(MONTH), catalogue.stamp(MONTH), paths, MONTH)
    assert (left.summary.games, left.summary.unread) == (0, [1, 2])
    assert "left as it was" in left.summary.problems[-1]
    assert digests(paths.root) == {}
    assert only(read(paths)).summary.games == 2
    catalogue, stored = scan(paths.raw), digests(paths.root)
    os.utime(archive(paths), (2, 2))
    left = ingest_month(catalogue.month(MONTH), catalogue.stamp(MONTH), paths, MONTH)
    assert (left.summary.games, left.reused) == (2, True)
    assert digests(paths.root) == stored


def test_a_disk_that_fails_for_once_takes_nothing(paths, monkeypatch):
    """Games overwritten by their absence, because a disk failed when a new one came in; or the new one never read."""
    read(paths)
    stored = digests(paths.root)
    (paths.raw / "202401").mkdir()
    (paths.raw / "202401" / "3.tch").write_bytes(LOG)
    with monkeypatch.context() as patch:
        failing(patch)
        for force in (False, True):
            left = only(read(paths, force))
            assert (left.summary.games, left.reused, left.summary.unread) == (2, True, [])
            assert os.strerror(errno.EIO) in left.summary.problems[0]
            assert "left as it was" in left.summary.problems[-1]
    assert digests(paths.root) == stored
    made = only(read(paths))
    assert (made.summary.games, made.reused, made.summary.problems) == (3, False, [])


def test_a_disk_that_fails_for_ever_costs_only_what_lies_there(paths, monkeypatch):
    """A month that never appears, or never changes any more, because some of its logs lie on a bad sector."""
    (paths.raw / "202401").mkdir()
    (paths.raw / "202401" / "3.tch").write_bytes(LOG)
    with monkeypatch.context() as patch:
        failing(patch)
        first = only(read(paths))
        assert (first.summary.games, first.summary.unread, first.reused) == (1, [1, 2], False)
        assert only(read(paths)).reused
        (paths.raw / "202401" / "4.tch").write_bytes(LOG)
        second = only(read(paths))
        assert (second.summary.games, second.summary.unread, second.reused) == (2, [1, 2], False)
    assert only(read(paths)).summary.games == 4
