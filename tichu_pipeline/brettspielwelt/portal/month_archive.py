"""A downloaded month on disk: YYYY/YYYYMM.zip, and beside it YYYYMM.part while games are still being fetched.

Each game is a file of its own in the .part folder as soon as it is fetched, so a run that is killed loses
none. `fold` adds them to a copy of the archive and puts the copy in the archive's place: there is always one
whole archive, the old or the new. The archive's comment keeps what the portal said of the index page's age,
so that it can never outlive the page. What is fetched, and when, is decided in `download`.
"""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from tichu_models.whole_files import whole_file, write_whole
from tichu_pipeline.brettspielwelt.archives.index_pages import INDEX, PAGE_LIMIT
from tichu_pipeline.brettspielwelt.archives.listing import GAME_FILE
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT
from tichu_pipeline.brettspielwelt.archives.scan import UNFINISHED

_VALIDATORS = "index.json"


@dataclass(frozen=True)
class MonthArchive:
    """Where a month lies below the folder of downloads, whether or not anything is there yet."""

    out: Path
    month: str  # as 2024-03

    @property
    def name(self) -> str:
        """YYYYMM, as the portal and the members' folder have it."""
        return self.month.replace("-", "")

    @property
    def path(self) -> Path:
        return self.out / self.month[:4] / f"{self.name}.zip"

    @property
    def unfinished(self) -> Path:
        return self.path.with_suffix(UNFINISHED)

    def check(self) -> None:
        """Raises BadZipFile if what lies in the archive's place is none: nothing could be added to it."""
        if self.path.exists():
            try:
                zipfile.ZipFile(self.path).close()
            except zipfile.BadZipFile as error:
                message = f"{self.path}: expected a zip archive ({error}); move it away and run the command again"
                raise zipfile.BadZipFile(message) from error

    def page(self) -> tuple[bytes, dict[str, str]] | None:
        """The index page that was stored last, and what the portal said of its age."""
        if (self.unfinished / INDEX).exists():
            return (self.unfinished / INDEX).read_bytes(), _parsed(self._waiting_validators())
        if not self.path.exists():
            return None
        with zipfile.ZipFile(self.path) as archive:
            try:
                member = archive.getinfo(f"{self.name}/{INDEX}")
                page = archive.read(member) if member.file_size <= PAGE_LIMIT else b""
            except (KeyError, RuntimeError, zipfile.BadZipFile, zlib.error):
                return None  # none, or one that is damaged or encrypted: the portal has it
            return (page, _parsed(archive.comment)) if page else None

    def waiting(self) -> set[int]:
        """The games fetched, but not in the archive yet."""
        return {int(path.stem) for path in self._games()}

    def store_page(self, page: bytes, validators: dict[str, str]) -> None:
        (self.unfinished / _VALIDATORS).unlink(missing_ok=True)  # never the new page with the old one's age
        self._store(INDEX, page)
        self._store(_VALIDATORS, json.dumps(validators, sort_keys=True).encode())

    def store_game(self, game_id: int, log: bytes) -> None:
        self._store(f"{game_id}.tch", log)

    def fold(self) -> None:
        """Puts what waits into the archive. May be interrupted anywhere, and called again."""
        files = [*self._games(), *self.unfinished.glob(INDEX)]
        if files:
            with whole_file(self.path, durable=True) as temporary:
                if self.path.exists():
                    shutil.copyfile(self.path, temporary)
                self._append(temporary, files)
        if self.unfinished.exists():
            shutil.rmtree(self.unfinished)

    def _games(self) -> list[Path]:
        return sorted(path for path in self.unfinished.glob("*.tch") if GAME_FILE.fullmatch(path.name))

    def _append(self, temporary: Path, files: list[Path]) -> None:
        with zipfile.ZipFile(temporary, "a", zipfile.ZIP_DEFLATED) as archive:
            there = archive.NameToInfo
            for path in files:
                name = f"{self.name}/{path.name}"
                if name in there and path.name != INDEX and _can_be_read(archive, name):
                    continue  # folded already by a run that was killed before it could tidy up
                if name in there:
                    archive.filelist.remove(there.pop(name))
                archive.write(path, name)
                if path.name == INDEX:
                    archive.comment = self._waiting_validators()

    def _waiting_validators(self) -> bytes:
        path = self.unfinished / _VALIDATORS
        return path.read_bytes() if path.exists() else b""

    def _store(self, name: str, content: bytes) -> None:
        """Durable: after a power cut an empty file would pass for one of the portal's empty logs."""
        write_whole(self.unfinished / name, content, durable=True, tidy=False)


def _can_be_read(archive: zipfile.ZipFile, name: str) -> bool:
    if archive.getinfo(name).file_size > SIZE_LIMIT:
        return False
    try:
        archive.read(name)
    except (EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return False
    return True


def _parsed(validators: bytes) -> dict[str, str]:
    """Another program's comment, or none, is no knowledge of the page's age."""
    try:
        values = json.loads(validators)
    except ValueError:
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(name): value for name, value in values.items() if isinstance(value, str)}
