"""A private file that is written whole or not at all. For files of the daemon's own, never for a workspace's."""

from __future__ import annotations

import os
from contextlib import suppress

from conductd.core.temp_name import temp_name


def put(path: str | bytes, data: bytes, mode: int = 0o600) -> None:
    """Durable when it returns, with that mode; what stood there is replaced, a link itself and not what it leads to.
    The directory must be there. Raises OSError: what stood there stands there still."""
    directory, name = os.path.split(os.path.abspath(os.fsencode(path)))
    temporary = os.path.join(directory, temp_name(os.urandom(8)))
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode != 0o600:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.rename(temporary, os.path.join(directory, name))
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)
