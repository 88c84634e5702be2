"""Opens files whose names others choose, such as git's own: a pipe or a device in their place holds nobody up."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_plain(path: bytes) -> BinaryIO:
    """A regular file, to be read. Raises OSError for anything else, at once."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(fd, "rb")
