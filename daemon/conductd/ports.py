"""The seams between the core and the machine: what a test entry point may replace.

Each port is small and named for what it gives. Production implementations live beside
their users (`SystemClock` here, storage in `journal/storage.py`). Nothing here decides.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """Wall and monotonic time, and every wait of the daemon that is measured in time.

    All waits go through `get` or `wait_until`, so that a test can advance time and wake them.
    """

    def wall_ns(self) -> int: ...

    def mono_ns(self) -> int: ...

    def get(self, source: queue.Queue[T], deadline_mono_ns: int | None) -> T | None:
        """The next item of `source`, or None once `deadline_mono_ns` has passed (None: wait for ever)."""
        ...


class SystemClock:
    """The machine's clocks."""

    def wall_ns(self) -> int:
        return time.time_ns()

    def mono_ns(self) -> int:
        return time.monotonic_ns()

    def get(self, source: queue.Queue[T], deadline_mono_ns: int | None) -> T | None:
        try:
            if deadline_mono_ns is None:
                return source.get()
            left = (deadline_mono_ns - time.monotonic_ns()) / 1e9
            return source.get(timeout=left) if left > 0 else source.get_nowait()
        except queue.Empty:
            return None


class Storage(Protocol):
    """Every durable write the journal makes, so that a test can log, fail or reorder them.

    File handles are plain descriptors. Errors are OSError as the kernel gives them.
    Names are relative to the directory the storage was made for.
    """

    def names(self) -> Sequence[str]: ...

    def open(self, name: str, *, create: bool, write: bool) -> int: ...

    def allocate(self, fd: int, size: int) -> None:
        """Zero-fill the file to `size` bytes so that later writes need no space."""
        ...

    def write_at(self, fd: int, data: bytes, offset: int) -> None: ...

    def read_at(self, fd: int, size: int, offset: int) -> bytes: ...

    def size(self, fd: int) -> int: ...

    def data_sync(self, fd: int) -> None: ...

    def truncate(self, fd: int, size: int) -> None: ...

    def publish(self, temporary: str, name: str) -> None:
        """Rename and sync the directory."""
        ...

    def remove(self, name: str) -> None: ...

    def sync_directory(self) -> None: ...

    def holds(self, name: str, fd: int) -> bool:
        """Whether the directory still stands at its path and `fd` is the file `name` in it ("": whatever it is).

        A file that was removed takes writes and syncs as if nothing had happened.
        """
        ...

    def close(self, fd: int) -> None: ...
