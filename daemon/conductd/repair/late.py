"""A look back at an inode that was taken out of place.

An exchange is atomic, but it is no compare: a process that had opened the old file may still
write to it, and its words then stand under no name. `LateWatch` keeps that inode by
descriptor. The engine looks again after each of `LATE_LOOKS_MS` and closes the watch.
"""

from __future__ import annotations

import hashlib
import os
from typing import Final

LATE_LOOKS_MS: Final = (1_000, 5_000, 30_000)


class LateWatch:
    """Owns one read descriptor. Not thread-safe: one owner at a time."""

    def __init__(self, descriptor: int, known: bytes) -> None:
        """``known`` is the digest of what has been read from it already."""
        self._descriptor = descriptor
        self._known = known

    def check(self) -> bytes | None:
        """The whole content if it is not what was last seen, else None. Always reads everything:
        sizes and times can be set back by a writer."""
        data = read_all(self._descriptor)
        digest = hashlib.sha256(data).digest()
        if digest == self._known:
            return None
        self._known = digest
        return data

    def close(self) -> None:
        """Give the inode up. May be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def read_all(descriptor: int) -> bytes:
    """Everything from offset 0, wherever the descriptor stands."""
    parts: list[bytes] = []
    offset = 0
    while part := os.pread(descriptor, 1 << 20, offset):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)
