"""Reaching a file by descriptors, one part at a time, following no link at any step.

Every check and write of a repair is relative to the parent's descriptor, so a directory that
is swapped for a link in the middle cannot lead us elsewhere; `Parent.still_there` tells
whether the path from the root still ends in that directory.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from conductd.model import FileStat
from conductd.repair.late import read_all

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a FIFO put there between the look and the open must not stop us.
_FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Unreachable(Exception):
    """The path cannot be followed safely; ``reason`` is the words for `Refused`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotRegular(Exception):
    """What stands at the name is no regular file; ``what`` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def file_stat(of: os.stat_result) -> FileStat:
    return FileStat(
        device=of.st_dev,
        inode=of.st_ino,
        mode=of.st_mode,
        uid=of.st_uid,
        gid=of.st_gid,
        nlink=of.st_nlink,
        size=of.st_size,
        mtime_ns=of.st_mtime_ns,
        ctime_ns=of.st_ctime_ns,
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A regular file held by a read descriptor, with the bytes that were in it when it was read."""

    descriptor: int
    stat: os.stat_result
    data: bytes
    digest: bytes

    def reread(self) -> bytes:
        return read_all(self.descriptor)

    def same_inode(self, other: os.stat_result | None) -> bool:
        return other is not None and (other.st_dev, other.st_ino) == (self.stat.st_dev, self.stat.st_ino)

    def close(self) -> None:
        os.close(self.descriptor)


class Parent:
    """The directory a file is in. Owns its descriptor; a context manager."""

    def __init__(self, root: int | bytes, path: bytes) -> None:
        """Raises `Unreachable` when a step is missing, a link or no directory."""
        parts = path.split(b"/")
        if not path or any(part in (b"", b".", b"..") for part in parts) or b"\0" in path:
            raise Unreachable("the path leaves the workspace")
        self._root = root
        self._steps = tuple(parts[:-1])
        self.name = parts[-1]
        self.descriptor = _walk(root, self._steps)

    def __enter__(self) -> Parent:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self.descriptor)

    def still_there(self) -> bool:
        """The path from the root still leads to this very directory, without a link."""
        try:
            again = _walk(self._root, self._steps)
        except (Unreachable, OSError):
            return False
        try:
            now, held = os.fstat(again), os.fstat(self.descriptor)
            return (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)
        finally:
            os.close(again)

    def look(self, name: bytes) -> os.stat_result | None:
        """``lstat``, None when absent."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_and_read(self, name: bytes) -> Opened | None:
        """None when absent; raises `NotRegular` without having opened anything else."""
        descriptor = self.open(name, os.O_RDONLY)
        if descriptor is None:
            return None
        try:
            data = read_all(descriptor)
            return Opened(descriptor, os.fstat(descriptor), data, hashlib.sha256(data).digest())
        except BaseException:
            os.close(descriptor)
            raise

    def open(self, name: bytes, access: int) -> int | None:
        """A descriptor of a regular file, None when absent; ``access`` is O_RDONLY or O_RDWR."""
        seen = self.look(name)
        if seen is None:
            return None
        if not stat.S_ISREG(seen.st_mode):
            raise NotRegular(_kind(seen.st_mode))
        try:
            descriptor = os.open(name, access | _FILE, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise NotRegular("a symlink") from error
            if error.errno == errno.ENXIO:
                raise NotRegular("a special file") from error
            raise
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            raise NotRegular(_kind(mode))
        return descriptor

    def sync(self) -> None:
        os.fsync(self.descriptor)

    def unlink(self, name: bytes) -> None:
        """Missing already is fine."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return


def _walk(root: int | bytes, steps: tuple[bytes, ...]) -> int:
    # A descriptor is opened anew, not dup()ed: the caller's may be an O_PATH one, which cannot be synced.
    base, name = (None, root) if isinstance(root, bytes) else (root, b".")
    at = _step(base, name, "the workspace root")
    for step in steps:
        try:
            below = _step(at, step, "a parent directory")
        finally:
            os.close(at)
        at = below
    return at


def _step(at: int | None, name: bytes, what: str) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=at)
    except FileNotFoundError as error:
        raise Unreachable(f"{what} is missing") from error
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        try:
            seen = os.stat(name, dir_fd=at, follow_symlinks=False)
        except OSError:
            raise Unreachable(f"{what} is missing") from error
        raise Unreachable(f"{what} is {_kind(seen.st_mode)}") from error


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symlink"
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISREG(mode):
        return "a file"
    return "a special file"
