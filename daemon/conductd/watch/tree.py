"""Walking the directories of a watch set by descriptors, following no link.

One walk serves the rescan (which looks at the files) and the watcher (which sets a watch on each
directory). Iterative; holds one descriptor a level, at most `MAX_DEPTH` of them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from conductd.watch.reader import Observation, open_parents, parts
from conductd.watch.watchset import WatchSet, join

MAX_DEPTH = 64
ROOT = b""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Visit:
    """One directory of a walk; ``fd`` is open for reading until the walk is over it (-1: not opened).

    ``error`` is the errno name when it could not be opened or listed. A directory that is not there
    (or is a link) is not visited at all.
    """

    __slots__ = ("_entries", "error", "fd", "path")

    def __init__(self, path: bytes, fd: int, error: str = "") -> None:
        self.path = path
        self.fd = fd
        self.error = error
        self._entries: list[os.DirEntry[str]] | None = None

    def entries(self) -> list[os.DirEntry[str]]:
        """The listing, made at the first call. The walk itself asks after the consumer had its turn:
        a consumer that sets a watch first misses no directory made in between."""
        if self._entries is None:
            self._entries = []
            try:
                if self.fd >= 0:
                    with os.scandir(self.fd) as listing:
                        self._entries = list(listing)
            except OSError as error:
                self.error = _name(error)
        return self._entries


def walk(root_fd: int, plan: WatchSet, under: bytes = ROOT) -> Iterator[Visit]:
    """Visit ``under`` and every watched directory below it, parents first."""
    stack: list[tuple[Visit, Iterator[bytes]]] = []
    visit = _open(root_fd, under)
    try:
        while visit is not None or stack:
            if visit is not None:
                if visit.fd >= 0:
                    stack.append((visit, iter(())))  # so that its descriptor is closed whatever happens
                yield visit
                if visit.fd >= 0:
                    stack[-1] = (visit, _watched_below(visit, plan))
                visit = None
                continue
            above, names = stack[-1]
            name = next(names, None)
            if name is None:
                stack.pop()
                os.close(above.fd)
            elif len(stack) >= MAX_DEPTH:
                visit = Visit(join(above.path, name), -1, "ELOOP")
            else:
                visit = _enter(above.fd, name, join(above.path, name))
    finally:
        for above, _ in stack:
            os.close(above.fd)


def open_directory(root_fd: int, path: bytes) -> int:
    """A readable descriptor of a directory of the workspace, following no link. OSError."""
    if path == ROOT:
        return os.open(b".", _DIRECTORY, dir_fd=root_fd)
    *parents, name = parts(path)
    above = open_parents(root_fd, parents)
    if isinstance(above, Observation):
        raise OSError(getattr(errno, above.reason, errno.ENOENT), above.reason)
    try:
        return os.open(name, _DIRECTORY, dir_fd=above)
    finally:
        if above != root_fd:
            os.close(above)


def _open(root_fd: int, path: bytes) -> Visit | None:
    try:
        return Visit(path, open_directory(root_fd, path))
    except OSError as error:
        return _not_opened(path, error)


def _enter(above: int, name: bytes, path: bytes) -> Visit | None:
    try:
        return Visit(path, os.open(name, _DIRECTORY, dir_fd=above))
    except OSError as error:
        return _not_opened(path, error)


def _not_opened(path: bytes, error: OSError) -> Visit | None:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return None
    return Visit(path, -1, _name(error))


def _watched_below(visit: Visit, plan: WatchSet) -> Iterator[bytes]:
    for entry in visit.entries():
        try:
            if not entry.is_dir(follow_symlinks=False):
                continue
        except OSError:
            continue
        name = os.fsencode(entry.name)
        if plan.watches(join(visit.path, name)):
            yield name


def _name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "EIO")
