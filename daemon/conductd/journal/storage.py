"""The journal's directory on a real disk: the production `Storage` port.

Promises: files are 0600, never reached through a link at the last step; `data_sync` returns when the bytes and the
size are on the medium as far as the operating system can tell (``fdatasync``; ``F_FULLFSYNC`` on macOS, where fsync
stops at the drive's cache); `publish` returns when the rename is durable. What POSIX still permits: before a sync
returned any subset of sectors of a write may be there; a rename or removal may be undone until the
directory was synced. Called by the journal only; any thread.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from types import TracebackType

from conductd import macos
from conductd.errors import StoreUnavailable
from conductd.journal.lock import StateLock

_ZEROS = bytes(1 << 20)
_LOCK_NAME = "lock"


def _sync(fd: int) -> None:
    if macos.IS_MACOS:
        macos.full_sync(fd)
    else:
        os.fdatasync(fd)


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


class DirectoryStorage:
    """``exclusive`` takes the writers' lock of the directory; a second holder gets `AlreadyRunning`."""

    def __init__(self, path: str | os.PathLike[str], *, exclusive: bool = False) -> None:
        self.path = os.fspath(path)
        self._lock: StateLock | None = None
        try:
            if exclusive:
                os.makedirs(self.path, mode=0o700, exist_ok=True)
            self._directory = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreUnavailable(
                f"the journal directory cannot be opened: {error.strerror}: {self.path}",
                "check --state-dir, and that the directory belongs to you",
            ) from error
        if exclusive:
            try:
                self._lock = StateLock.acquire(os.path.join(self.path, _LOCK_NAME))
            except BaseException:
                os.close(self._directory)
                raise

    def __enter__(self) -> DirectoryStorage:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()

    def release(self) -> None:
        """Give up the directory and the lock. Open files stay open."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._directory >= 0:
            os.close(self._directory)
            self._directory = -1

    def names(self) -> Sequence[str]:
        return sorted(os.listdir(self._directory))

    def open(self, name: str, *, create: bool, write: bool) -> int:
        flags = os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_RDWR if write else os.O_RDONLY)
        if create:
            flags |= os.O_CREAT
        return os.open(name, flags, 0o600, dir_fd=self._directory)

    def allocate(self, fd: int, size: int) -> None:
        # Written, not fallocated: blocks that were written once take later writes without a metadata
        # change, so that a data sync is one flush.
        at = os.fstat(fd).st_size
        while at < size:
            at += os.pwrite(fd, memoryview(_ZEROS)[: size - at], at)

    def write_at(self, fd: int, data: bytes, offset: int) -> None:
        view = memoryview(data)
        while view:
            done = os.pwrite(fd, view, offset)
            offset += done
            view = view[done:]

    def read_at(self, fd: int, size: int, offset: int) -> bytes:
        data = os.pread(fd, size, offset)
        if len(data) in (0, size):
            return data
        parts = [data]
        have = len(data)
        while have < size and (data := os.pread(fd, size - have, offset + have)):
            parts.append(data)
            have += len(data)
        return b"".join(parts)

    def size(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def data_sync(self, fd: int) -> None:
        _sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def publish(self, temporary: str, name: str) -> None:
        os.rename(temporary, name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.sync_directory()

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._directory)

    def sync_directory(self) -> None:
        os.fsync(self._directory)

    def holds(self, name: str, fd: int) -> bool:
        try:
            if not _same(os.stat(self.path), os.fstat(self._directory)):
                return False
            return not name or _same(os.stat(name, dir_fd=self._directory, follow_symlinks=False), os.fstat(fd))
        except OSError:
            return False

    def close(self, fd: int) -> None:
        os.close(fd)
