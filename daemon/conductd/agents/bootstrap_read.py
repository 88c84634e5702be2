"""Reads one file of an agent's workspace the way a loader does that trusts nothing: what it is counts, then its bytes.

Read-only, never raises; a FIFO in the place of a file holds nobody up. The reasons are data. Called by the readers of
the agents' files.
"""

from __future__ import annotations

import errno
import os
import stat

from conductd.core.load.loaded import Why
from conductd.model import Frozen


class Guard(Frozen, frozen=True):
    """``root``: the file must lie below it, whatever links lead there. ``follows``: it may be a link itself.
    ``links``: the most hard links. ``most``: the most bytes."""

    root: str | None = None
    follows: bool = True
    links: int | None = None
    most: int | None = None


class Read(Frozen, frozen=True):
    """``data`` None: not read, see ``why`` and ``detail`` (the words of the loader that refuses, or of the system)."""

    data: bytes | None
    why: Why = Why.LOADED
    detail: str = ""
    real: str = ""
    owner: int = -1
    identity: tuple[int, int] = (0, 0)  # device and inode of what was read


READ_MOST = 64 * 1024 * 1024  # whatever a loader allows, more of one file is not read here
_PLAIN = Guard()
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def read(path: str, guard: Guard = _PLAIN) -> Read:
    """The bytes of a regular file, or why not."""
    try:
        if not guard.follows and stat.S_ISLNK(os.lstat(path).st_mode):
            return Read(None, Why.SYMLINK, "symlink path component not allowed")
        real = os.path.realpath(path, strict=True)
        if guard.root is not None and not _is_below(real, os.path.realpath(guard.root)):
            return Read(None, Why.OUTSIDE, "path escapes the workspace root", real)
        descriptor = _opened(real, os.path.realpath(guard.root) if guard.root is not None else "")
    except (OSError, ValueError) as error:
        return _failed(error, path)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return Read(None, Why.NOT_REGULAR, "path does not have the required file type", real)
        if guard.links is not None and found.st_nlink > guard.links:
            return Read(None, Why.HARD_LINK, "path must not be hardlinked", real)
        most = READ_MOST if guard.most is None else min(guard.most, READ_MOST)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    except OSError as error:
        return _failed(error, path)
    finally:
        os.close(descriptor)
    if len(data) > most:
        return Read(None, Why.TOO_LARGE, f"File exceeds {most} bytes", real)
    return Read(data, real=real, owner=found.st_uid, identity=(found.st_dev, found.st_ino))


def names(directory: str) -> frozenset[str]:
    """The exact names in a directory; none when it cannot be read."""
    try:
        return frozenset(os.listdir(directory))
    except (OSError, ValueError):
        return frozenset()


def text_of(data: bytes) -> str:
    """As Node's `toString("utf-8")` decodes: what is no UTF-8 becomes U+FFFD, a byte order mark stays."""
    return data.decode("utf-8", "replace")


def _opened(real: str, root: str) -> int:
    """What stands at a path that has no link in it; one that was made since is not followed. Below a root each step
    is opened by itself, so that no directory on the way becomes a link either."""
    if not root:
        return os.open(real, _FILE)
    *above, name = os.path.relpath(real, root).split(os.sep)
    directory = os.open(root, _DIRECTORY)
    try:
        for step in above:
            deeper = os.open(step, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = deeper
        return os.open(name, _FILE, dir_fd=directory)
    finally:
        os.close(directory)


def _is_below(real: str, root: str) -> bool:
    return real.startswith(root if root.endswith("/") else root + "/")


def _failed(error: OSError | ValueError, path: str) -> Read:
    if not isinstance(error, OSError):
        return Read(None, Why.UNREADABLE, "the name cannot be used")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Read(None, Why.MISSING)
    code = errno.errorcode.get(error.errno or 0, "EIO")
    return Read(None, Why.UNREADABLE, f"{code}: {(os.strerror(error.errno or 5)).lower()}, open '{path}'")
