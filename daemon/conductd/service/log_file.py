"""The log of a daemon whose stderr is a file that nobody else shortens: launchd writes one and never begins a new one
(newsyslog(8) would, and only root can tell it to). Called by `cli.run`, at the start and while it runs.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

MOST_BYTES = 5_000_000
_STDERR = 2


def begin_anew(path: str, most: int = MOST_BYTES) -> bool:
    """Begin a new file at `path` when it is this process's stderr and has `most` bytes; the one before is kept as
    `path`.1. True when that was done. A disk that does not let it leaves the log as it is."""
    try:
        own = os.fstat(_STDERR)
        if not stat.S_ISREG(own.st_mode) or own.st_size < most or not os.path.samestat(own, os.stat(path)):
            return False
        os.replace(path, f"{path}.1")
    except OSError:
        return False
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, stat.S_IMODE(own.st_mode))
    except OSError:
        with suppress(OSError):
            os.replace(f"{path}.1", path)
        return False
    os.dup2(number, _STDERR)
    os.close(number)
    return True
