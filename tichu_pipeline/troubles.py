"""Trouble that is not the input's: a full disk, a folder that cannot be written. What to say of it, and what to do."""

from __future__ import annotations

import errno
import os

FULL = {errno.ENOSPC, errno.EDQUOT}
LOCKED = {errno.EACCES, errno.EPERM, errno.EROFS}


def told(error: OSError) -> str:
    """In a line, for commands and stages alike."""
    if error.errno is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{os.strerror(error.errno)}{_remedy(error.errno)}"


def _remedy(number: int) -> str:
    if number in FULL:
        return "; free some space on the disk of the data folder"
    return "; make it writable, or name another folder" if number in LOCKED else ""
