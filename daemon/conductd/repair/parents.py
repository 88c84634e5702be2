"""The directories above a file: made because a person asked for the file, and removed with it where they were made
for it. Follows no link and never raises."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_parents(root: int, path: bytes) -> None:
    """Make what is missing between the directory ``root`` and the file ``path``. What could not be made is found by the
    write that follows."""
    with suppress(OSError), ExitStack() as opened:
        at = root
        for name in path.split(b"/")[:-1]:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=at)
            at = os.open(name, _DIRECTORY, dir_fd=at)
            opened.callback(os.close, at)


def missing_parents(root: int, path: bytes) -> int:
    """How many of the directories between ``root`` and the file ``path`` are not there."""
    names = path.split(b"/")[:-1]
    with suppress(OSError), ExitStack() as opened:
        at = root
        for there, name in enumerate(names):
            try:
                at = os.open(name, _DIRECTORY, dir_fd=at)
            except FileNotFoundError:
                return len(names) - there
            opened.callback(os.close, at)
    return 0


def remove_parents(root: int, path: bytes, count: int) -> None:
    """Remove the innermost ``count`` directories above the file ``path``, as far as they are empty."""
    names = path.split(b"/")[:-1]
    with suppress(OSError), ExitStack() as opened:
        chain = [root]
        for name in names[:-1]:
            chain.append(os.open(name, _DIRECTORY, dir_fd=chain[-1]))
            opened.callback(os.close, chain[-1])
        for at in range(len(names) - 1, len(names) - 1 - min(count, len(names)), -1):
            os.rmdir(names[at], dir_fd=chain[at])  # refuses one that holds anything, and a link
