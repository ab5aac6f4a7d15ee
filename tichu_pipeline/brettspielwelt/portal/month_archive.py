"""A downloaded month on disk: YYYY/YYYYMM.zip, and YYYYMM.part beside it while games are being fetched.

Each fetched game is at once a file in the .part folder, so that a run that is killed loses none. `fold` adds the games
to a copy of the archive, and the copy replaces the archive: there is always one whole archive, the old or the new. The
comment of the archive holds the validators (what the portal says of the index page's age), so that they are replaced
together with the page.
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
    """A month below the folder of downloads. Nothing of it has to exist yet."""

    out: Path
    month: str  # as 2024-03

    @property
    def name(self) -> str:
        """YYYYMM, the month's name on the portal and the folder inside the archive."""
        return self.month.replace("-", "")

    @property
    def path(self) -> Path:
        return self.out / self.month[:4] / f"{self.name}.zip"

    @property
    def unfinished(self) -> Path:
        return self.path.with_suffix(UNFINISHED)

    def check(self) -> None:
        """Raises BadZipFile if the archive is not a zip file, since nothing could be added to it."""
        if self.path.exists():
            try:
                zipfile.ZipFile(self.path).close()
            except zipfile.BadZipFile as error:
                message = f"{self.path}: expected a zip archive ({error}); move it away and run the command again"
                raise zipfile.BadZipFile(message) from error

    def page(self) -> tuple[bytes, dict[str, str]] | None:
        """The index page that was stored last, and its validators. None without a readable page."""
        if (self.unfinished / INDEX).exists():
            return (self.unfinished / INDEX).read_bytes(), _parsed(self._waiting_validators())
        if not self.path.exists():
            return None
        with zipfile.ZipFile(self.path) as archive:
            try:
                member = archive.getinfo(f"{self.name}/{INDEX}")
                page = archive.read(member) if member.file_size <= PAGE_LIMIT else b""
            except (KeyError, RuntimeError, zipfile.BadZipFile, zlib.error):
                return None  # missing, damaged or encrypted: it will be fetched again
            return (page, _parsed(archive.comment)) if page else None

    def waiting(self) -> set[int]:
        """The games that were fetched, but are not in the archive yet."""
        return {int(path.stem) for path in self._games()}

    def store_page(self, page: bytes, validators: dict[str, str]) -> None:
        """Stores an index page and its validators in the .part folder."""
        (self.unfinished / _VALIDATORS).unlink(missing_ok=True)  # so that the new page never has the old validators
        self._store(INDEX, page)
        self._store(_VALIDATORS, json.dumps(validators, sort_keys=True).encode())

    def store_game(self, game_id: int, log: bytes) -> None:
        """Stores a game's log in the .part folder."""
        self._store(f"{game_id}.tch", log)

    def fold(self) -> None:
        """Moves the .part folder into the archive. It may be interrupted anywhere, and called again."""
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
        """Adds files to an archive, and replaces members that cannot be read."""
        with zipfile.ZipFile(temporary, "a", zipfile.ZIP_DEFLATED) as archive:
            there = archive.NameToInfo
            for path in files:
                name = f"{self.name}/{path.name}"
                if name in there and path.name != INDEX and _can_be_read(archive, name):
                    continue  # added by a run that was killed before it could remove the .part folder
                if name in there:
                    archive.filelist.remove(there.pop(name))
                archive.write(path, name)
                if path.name == INDEX:
                    archive.comment = self._waiting_validators()

    def _waiting_validators(self) -> bytes:
        path = self.unfinished / _VALIDATORS
        return path.read_bytes() if path.exists() else b""

    def _store(self, name: str, content: bytes) -> None:
        """Writes a file durably: after a power cut an empty file would be taken for an empty log of the portal."""
        write_whole(self.unfinished / name, content, durable=True, tidy=False)


def _can_be_read(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether a member is undamaged and not too large."""
    if archive.getinfo(name).file_size > SIZE_LIMIT:
        return False
    try:
        archive.read(name)
    except (EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return False
    return True


def _parsed(validators: bytes) -> dict[str, str]:
    """Validators from JSON; none if the comment is missing or was written by another program."""
    try:
        values = json.loads(validators)
    except ValueError:
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(name): value for name, value in values.items() if isinstance(value, str)}
