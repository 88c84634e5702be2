"""The journal's storage on a bad disk: full, read-only, slow, or with a sync that fails."""

from __future__ import annotations

import errno
import time
from collections.abc import Sequence

from conductd.ports import Storage
from entry.faults import Faults, failed, no_space


class FaultStorage:
    """Implements `conductd.ports.Storage` around another one; obeys `faults` at every call.

    A full disk gives no new space, but takes writes into space that a file has already: the journal
    keeps such space for what must still be written then.
    """

    def __init__(self, inner: Storage, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def names(self) -> Sequence[str]:
        return self._inner.names()

    def open(self, name: str, *, create: bool, write: bool) -> int:
        if create or write:
            self._check_writable()
        if create and name not in self._inner.names() and not self._faults.spend(1):
            raise no_space()
        return self._inner.open(name, create=create, write=write)

    def allocate(self, fd: int, size: int) -> None:
        self._check_writable()
        if not self._faults.spend(max(0, size - self._inner.size(fd))):
            raise no_space()
        self._inner.allocate(fd, size)

    def write_at(self, fd: int, data: bytes, offset: int) -> None:
        self._check_writable()
        if not self._faults.spend(max(0, offset + len(data) - self._inner.size(fd))):
            raise no_space()
        self._inner.write_at(fd, data, offset)

    def read_at(self, fd: int, size: int, offset: int) -> bytes:
        slow = self._faults.get("slow_read")
        if slow is not None:
            time.sleep(slow.value / 1000)  # in real time, as below
        return self._inner.read_at(fd, size, offset)

    def size(self, fd: int) -> int:
        return self._inner.size(fd)

    def data_sync(self, fd: int) -> None:
        slow = self._faults.get("slow_fsync")
        if slow is not None:
            # The disk is slow in real time, whatever the daemon's clock says.
            time.sleep(slow.value / 1000)
        if self._faults.is_on("fail_sync"):
            raise failed(errno.EIO)
        self._inner.data_sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        self._check_writable()
        self._inner.truncate(fd, size)

    def publish(self, temporary: str, name: str) -> None:
        self._check_writable()
        self._inner.publish(temporary, name)

    def remove(self, name: str) -> None:
        self._check_writable()
        self._inner.remove(name)

    def sync_directory(self) -> None:
        if self._faults.is_on("fail_sync"):
            raise failed(errno.EIO)
        self._inner.sync_directory()

    def holds(self, name: str, fd: int) -> bool:
        return self._inner.holds(name, fd)

    def close(self, fd: int) -> None:
        self._inner.close(fd)

    def _check_writable(self) -> None:
        if self._faults.is_on("readonly_fs"):
            raise failed(errno.EROFS)
