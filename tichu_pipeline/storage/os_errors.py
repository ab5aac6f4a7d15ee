"""Errors of the world, not of the input: a full disk, a folder that cannot be written, a portal that is down.

What to say of an OSError, and what to do; and the base of all others that may mend themselves.
"""

from __future__ import annotations

import errno
import os

REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space on the disk of the data folder"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or name another folder"),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), "expected a folder there"),
}


class TransientError(Exception):
    """An error that another attempt may mend. The message says what is wrong now, and what to do if it stays."""


def told(error: OSError) -> str:
    """In a line, for commands and stages alike."""
    if error.errno is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    remedy = REMEDIES.get(error.errno)
    return f"{where}{os.strerror(error.errno)}{f'; {remedy}' if remedy else ''}"
