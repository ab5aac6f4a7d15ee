"""Errors of the environment, not of the input: a full disk, a read-only folder, a portal that is down.

One-line messages and remedies for OSErrors, and the base class of errors that another attempt may mend.
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


def os_error_message(error: OSError) -> str:
    """The file, the error and a remedy, in one line."""
    if error.errno is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    remedy = REMEDIES.get(error.errno)
    return f"{where}{os.strerror(error.errno)}{f'; {remedy}' if remedy else ''}"
