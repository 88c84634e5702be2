"""When a content became durable, seen from outside the daemon.

The daemon runs on a storage port that notes, after each data sync, the time and the bytes that were synced. A
version's record holds its SHA-256: the first sync whose bytes contain it made it durable. The note goes to a file in
memory, after the time was taken, so that it costs the measured write nothing.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Collection

from conductd.journal.storage import DirectoryStorage

_HEAD = struct.Struct("<qI")
PATIENCE_S = 60.0


class TappedStorage(DirectoryStorage):
    """The production storage and a note of every sync, on the descriptor ``tap``."""

    def __init__(self, path: str, tap: int) -> None:
        super().__init__(path, exclusive=True)
        self._tap, self._unsynced = tap, b""

    def write_at(self, fd: int, data: bytes, offset: int) -> None:
        super().write_at(fd, data, offset)
        self._unsynced = data

    def data_sync(self, fd: int) -> None:
        super().data_sync(fd)
        at_ns = time.monotonic_ns()
        data, self._unsynced = self._unsynced, b""
        os.write(self._tap, _HEAD.pack(at_ns, len(data)) + data)


class Tap:
    """The reading end, in the benchmark's process. Times are monotonic, in nanoseconds: one clock for all processes."""

    def __init__(self) -> None:
        self.fd = os.memfd_create("syncs")
        self._read = 0
        self.syncs: list[tuple[int, bytes]] = []

    def close(self) -> None:
        os.close(self.fd)

    def poll(self) -> bool:
        """Read what was noted since; whether there was anything."""
        before = len(self.syncs)
        data = os.pread(self.fd, os.fstat(self.fd).st_size - self._read, self._read)
        at = 0
        # A long note grows page by page while it is written: one that is not whole yet is left for the next look.
        while at + _HEAD.size <= len(data):
            at_ns, length = _HEAD.unpack_from(data, at)
            if at + _HEAD.size + length > len(data):
                break
            at += _HEAD.size
            self.syncs.append((at_ns, data[at : at + length]))
            at += length
        self._read += at
        return len(self.syncs) > before

    def durable(self, digest: bytes, since: int = 0) -> int | None:
        """When the content was durable: the time of the first sync, from number ``since`` on, that holds it."""
        return next((at_ns for at_ns, data in self.syncs[since:] if digest in data), None)

    def wait(self, digest: bytes) -> int:
        """Wait for it. Raises TimeoutError."""
        seen, give_up = len(self.syncs), time.monotonic() + PATIENCE_S
        while True:
            self.poll()
            at_ns = self.durable(digest, seen)
            if at_ns is not None:
                return at_ns
            seen = len(self.syncs)
            if time.monotonic() > give_up:
                raise TimeoutError("a version was not recorded")
            time.sleep(0.002)

    def wait_for_silence(self, seconds: float) -> None:
        """Until nothing was synced for so long."""
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < seconds:
            if self.poll():
                quiet_since = time.monotonic()
            time.sleep(0.02)

    def last_durable(self, digests: Collection[bytes]) -> tuple[int, int]:
        """(when the last of these contents was durable, how many of them are missing). Looks from the end."""
        left, last = set(digests), 0
        for at_ns, data in reversed(self.syncs):
            found = {digest for digest in left if digest in data}
            if found:
                last = max(last, at_ns)
                left -= found
            if not left:
                break
        return last, len(left)
