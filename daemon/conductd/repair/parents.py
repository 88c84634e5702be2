"""The directories above a file, made again because a person asked for the file back."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_parents(root: int, path: bytes) -> None:
    """Make what is missing between the directory ``root`` and the file ``path``. Follows no link and
    never raises: what could not be made is found by the write that follows."""
    with suppress(OSError), ExitStack() as opened:
        at = root
        for name in path.split(b"/")[:-1]:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=at)
            at = os.open(name, _DIRECTORY, dir_fd=at)
            opened.callback(os.close, at)
