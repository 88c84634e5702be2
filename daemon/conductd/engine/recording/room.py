"""How much may wait for the recorder: observations by number, and the bytes they hold.

Whoever reads files waits here while the disk is slower than the reading, so that memory stays bounded.
"""

from __future__ import annotations

import threading

MOST = 1_024
MOST_BYTES = 64 * 1024 * 1024


class Room:
    """Thread-safe. One observation always has room, whatever its size."""

    def __init__(self) -> None:
        self._freed = threading.Condition()
        self._count = self._bytes = 0
        self._is_open = False

    def take(self, size: int) -> None:
        """Blocks until there is room for one of `size` bytes."""
        with self._freed:
            while not self._is_open and (self._count >= MOST or (self._count and self._bytes + size > MOST_BYTES)):
                self._freed.wait()
            self._count += 1
            self._bytes += size

    def give_back(self, count: int, size: int) -> None:
        if not count:
            return
        with self._freed:
            self._count -= count
            self._bytes -= size
            self._freed.notify_all()

    def open(self) -> None:
        """Nobody waits any more: nothing that waits is written either."""
        with self._freed:
            self._is_open = True
            self._freed.notify_all()
