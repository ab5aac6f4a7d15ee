"""Trouble that is not the input's: a full disk, a folder that cannot be written. What to say of it, and what to do."""

from __future__ import annotations

import errno
import os

REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space on the disk of the data folder"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or name another folder"),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), "expected a folder there"),
}


def told(error: OSError) -> str:
    """In a line, for commands and stages alike."""
    if error.errno is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    remedy = REMEDIES.get(error.errno)
    return f"{where}{os.strerror(error.errno)}{f'; {remedy}' if remedy else ''}"
